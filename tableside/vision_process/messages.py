"""The messages between the page's process and the vision process.

The page first requests `ClaimRecord`, then `OpenJob` and `RunJob` for one job at a time. `RunJob`
lasts until the job has ended; during it, the page requests pictures, hands over those of a
phone (`vision.sources.phone_feed.PhonePicture`) and executes the desk's commands. It gives notice
with `Signal`. The vision process gives notice with `StateChanged`, `MatchAttached`, `UndoChanged`,
a `tableside.recording.job.KeptEvents` and a `webui.contracts.metrics.FrameTally`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final

from engine.message import msg
from tableside.recording.job import AttachedMatch, Job
from webui.contracts.roles import Visibility
from webui.contracts.state import StatePart

NO_MATCH: Final = msg("no match is in progress: set one up first")
"""Why no command can be executed."""


class Signal(Enum):
    """Orders to the vision process, which get no response."""

    STOP_JOB = auto()
    """End the job."""
    SHUTDOWN = auto()
    """End the process."""


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """Open this record for writing, so that no other process can."""

    record: Path


@dataclass(frozen=True, slots=True)
class OpenJob:
    """Open the job's source and wait until it delivers frames."""

    job: Job


@dataclass(frozen=True, slots=True)
class RunJob:
    """Run the opened job."""


@dataclass(frozen=True, slots=True)
class NewerPicture:
    """Return a picture numbered above `after` with its number; None if none comes in time."""

    after: int


@dataclass(frozen=True, slots=True)
class MatchAttached:
    """The match of the record that takes commands from now on; None if there is none."""

    match: AttachedMatch | None


@dataclass(frozen=True, slots=True)
class UndoChanged:
    """A correction can be undone now, or no longer can."""

    can_undo: bool


@dataclass(frozen=True, slots=True)
class StateChanged:
    """Parts of the page's state have changed, for each visibility."""

    parts: Mapping[Visibility, StatePart]
