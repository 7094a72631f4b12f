"""What is said between the page and sight, which runs in a process of its own.

Sight takes `Claim` first, then an errand at a time: `Begin`, `Opened`, `Go`, `Ended`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tableside.recording.job import Errand
from webui.contracts.counting import Tally
from webui.contracts.desk import Command

NOBODY: Final = "no match is being watched: set one up first"
"""Why nothing can be said by hand."""

# To sight.


@dataclass(frozen=True, slots=True)
class Claim:
    """The record is yours; `Ready` or `Ended` answers."""

    record: Path


@dataclass(frozen=True, slots=True)
class Begin:
    """Open the errand's source; `Opened` or `Ended` answers."""

    errand: Errand


@dataclass(frozen=True, slots=True)
class Go:
    """Watch it; `Ended` tells when it is over."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The errand is to end."""


@dataclass(frozen=True, slots=True)
class Say:
    """Said by hand; `Answered` tells what became of it."""

    ticket: int
    command: Command


@dataclass(frozen=True, slots=True)
class Look:
    """Somebody wants a picture newer than that one; `Shown` answers."""

    after: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Nothing more is wanted."""


# From sight.


@dataclass(frozen=True, slots=True)
class Ready:
    """The record is open for writing, and nobody else writes to it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The source gives pictures."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A match is being watched, or none."""

    match: int | None
    variant: str = ""
    can_undo: bool = False
    begins_matches: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """Parts of the state have changed, for each role by itself."""

    viewer: Mapping[str, Any]
    referee: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Counted:
    """Figures for Prometheus."""

    tally: Tally


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of something said by hand; it is in the record unless there is an error."""

    ticket: int
    error: Exception | None
    is_paused: bool
    can_undo: bool


@dataclass(frozen=True, slots=True)
class Undoable:
    """Whether there is something to undo has changed: play has gone on from it, or back to it."""

    can_undo: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """The newest picture, numbered; None where none newer came in time."""

    number: int
    jpeg: bytes | None


@dataclass(frozen=True, slots=True)
class Ended:
    """The errand is over, or could not begin."""

    error: Exception | None = None
