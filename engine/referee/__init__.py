"""Turns observations and manual entries into events of the record.

Takes observations, manual entries and a match's state, and gives events and corrections to
`tableside` and `simulation`; imports every engine folder except `dice_sets`, `formats` and
`fairness`.
"""

from __future__ import annotations

from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.referee.replay import (
    Entry,
    InMemoryLog,
    ManualEntry,
    ObservationLog,
    ReplayableMatch,
    ReplaySteps,
)

__all__ = [
    "Entry",
    "HistorySearch",
    "InMemoryLog",
    "ManualEntry",
    "ObservationLog",
    "Referee",
    "ReplaySteps",
    "ReplayableMatch",
]
