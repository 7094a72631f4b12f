"""What the page's process and the vision process send each other.

The page requests `ClaimRecord` first, then for one job at a time `OpenJob` and `RunJob`, which
lasts until the job has ended; meanwhile pictures and the desk's commands. It notifies by
`Signal`. The vision process notifies by `StateChanged`, `MatchAttached`, `UndoChanged` and a
`webui.contracts.metrics.FrameTally`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final

from engine.message import msg
from tableside.recording.job import AttachedMatch, Job
from webui.contracts.state import StatePart

NO_MATCH: Final = msg("no match is in progress: set one up first")
"""Why no command can be executed."""


class Signal(Enum):
    """Orders to the vision process that have no response."""

    STOP_JOB = auto()
    """The job is to end."""
    SHUTDOWN = auto()
    """The process is to end."""


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """Open this record for writing, so that no other process can."""

    record: Path


@dataclass(frozen=True, slots=True)
class OpenJob:
    """Open the job's source, until it delivers frames."""

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
    """The match of the record that takes commands from now on; None: none does."""

    match: AttachedMatch | None


@dataclass(frozen=True, slots=True)
class UndoChanged:
    """A correction can be undone now, or no longer can."""

    can_undo: bool


@dataclass(frozen=True, slots=True)
class StateChanged:
    """Parts of the page's state have changed, for each role."""

    viewer: StatePart
    referee: StatePart
