"""Messages between the page's process and the vision process.

The vision process takes `ClaimRecord` first, then one job at a time: `OpenJob`, answered by
`JobOpened`, and `RunJob`, answered by `JobEnded`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine.message import msg
from tableside.recording.job import Job
from webui.contracts.desk import Command
from webui.contracts.metrics import FrameTally
from webui.contracts.state import StatePart

NO_MATCH: Final = msg("no match is being watched: set one up first")
"""Why no command can be executed."""

# To the vision process.


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """Open this record for writing; answered by `RecordClaimed` or `JobEnded`."""

    record: Path


@dataclass(frozen=True, slots=True)
class OpenJob:
    """Open the job's source; answered by `JobOpened` or `JobEnded`."""

    job: Job


@dataclass(frozen=True, slots=True)
class RunJob:
    """Run the opened job; answered by `JobEnded`."""


@dataclass(frozen=True, slots=True)
class StopJob:
    """End the job."""


@dataclass(frozen=True, slots=True)
class SendCommand:
    """Execute a command of the desk; answered by `CommandResult`."""

    ticket: int
    command: Command


@dataclass(frozen=True, slots=True)
class CancelCommand:
    """Do not execute that command any more, unless it has begun; answered as the command is."""

    ticket: int


@dataclass(frozen=True, slots=True)
class RequestPicture:
    """Send a picture newer than that one; answered by `NewestPicture`."""

    after: int


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End the process."""


# From the vision process.


@dataclass(frozen=True, slots=True)
class RecordClaimed:
    """The record is open for writing, and no other process writes to it."""


@dataclass(frozen=True, slots=True)
class JobOpened:
    """The source delivers frames."""


@dataclass(frozen=True, slots=True)
class MatchAttached:
    """A match of the record takes commands from now on, or none does."""

    match: int | None
    variant: str = ""
    can_undo: bool = False
    begins_matches: bool = False


@dataclass(frozen=True, slots=True)
class StateChanged:
    """Parts of the page's state have changed, for each role."""

    viewer: StatePart
    referee: StatePart


@dataclass(frozen=True, slots=True)
class FiguresCounted:
    """Figures for Prometheus."""

    tally: FrameTally


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The command was executed and is in the record, unless there is an error."""

    ticket: int
    error: BaseException | None


@dataclass(frozen=True, slots=True)
class UndoChanged:
    """A correction can be undone now, or no longer can."""

    can_undo: bool


@dataclass(frozen=True, slots=True)
class NewestPicture:
    """The newest picture, numbered; None where none newer came in time."""

    number: int
    jpeg: bytes | None


@dataclass(frozen=True, slots=True)
class JobEnded:
    """The job has ended, or could not begin."""

    error: Exception | None = None
