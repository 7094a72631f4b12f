"""What is said between the page and sight, which runs in a process of its own.

Sight takes `ClaimRecord` first, then an errand at a time: `OpenJob`, `JobOpened`, `RunJob`,
`JobEnded`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tableside.recording.job import Job
from webui.contracts.desk import Command
from webui.contracts.metrics import FrameTally
from webui.contracts.state import StatePart

NOBODY: Final = "no match is being watched: set one up first"
"""Why nothing can be said by hand."""

# To sight.


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """The record is yours; `RecordClaimed` or `JobEnded` answers."""

    record: Path


@dataclass(frozen=True, slots=True)
class OpenJob:
    """Open the errand's source; `JobOpened` or `JobEnded` answers."""

    errand: Job


@dataclass(frozen=True, slots=True)
class RunJob:
    """Watch it; `JobEnded` tells when it is over."""


@dataclass(frozen=True, slots=True)
class StopJob:
    """The errand is to end."""


@dataclass(frozen=True, slots=True)
class SendCommand:
    """Said by hand; `CommandResult` tells what became of it."""

    ticket: int
    command: Command


@dataclass(frozen=True, slots=True)
class RequestPicture:
    """Somebody wants a picture newer than that one; `NewestPicture` answers."""

    after: int


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Nothing more is wanted."""


# From sight.


@dataclass(frozen=True, slots=True)
class RecordClaimed:
    """The record is open for writing, and nobody else writes to it."""


@dataclass(frozen=True, slots=True)
class JobOpened:
    """The source gives pictures."""


@dataclass(frozen=True, slots=True)
class MatchAttached:
    """A match is being watched, or none."""

    match: int | None
    variant: str = ""
    can_undo: bool = False
    begins_matches: bool = False


@dataclass(frozen=True, slots=True)
class StateChanged:
    """Parts of the state have changed, for each role by itself."""

    viewer: StatePart
    referee: StatePart


@dataclass(frozen=True, slots=True)
class FiguresCounted:
    """Figures for Prometheus."""

    tally: FrameTally


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What became of something said by hand; it is in the record unless there is an error."""

    ticket: int
    error: Exception | None
    is_paused: bool
    can_undo: bool


@dataclass(frozen=True, slots=True)
class UndoChanged:
    """Whether there is something to undo has changed: play has gone on from it, or back to it."""

    can_undo: bool


@dataclass(frozen=True, slots=True)
class NewestPicture:
    """The newest picture, numbered; None where none newer came in time."""

    number: int
    jpeg: bytes | None


@dataclass(frozen=True, slots=True)
class JobEnded:
    """The errand is over, or could not begin."""

    error: Exception | None = None
