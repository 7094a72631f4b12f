"""What the doctor finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Level(Enum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    """The program works, but something else may not."""
    PROBLEM = "problem"
    """The program does not work, or not as it should."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    level: Level
    what: str
    mend: str = ""
    """What to do about it; empty if nothing need be done."""

    @property
    def line(self) -> str:
        """The finding as a line for the user."""
        return f"{self.level.value:8} {self.what}" + (f"; {self.mend}" if self.mend else "")


@dataclass(frozen=True, slots=True)
class Places:
    """Where the program is set up to work."""

    record: Path
    log: Path
    passwords: Path
    port: int = 8000
    camera: str | None = None
    """The camera, stream or video to look through, as `--camera` takes it."""


Check = Callable[[Places], Iterator[Finding]]
"""Looks at one thing; yields what it finds."""


def ok(what: str) -> Finding:
    """A finding that is as it should be."""
    return Finding(Level.OK, what)


def warning(what: str, mend: str) -> Finding:
    """A finding that does not stop the program."""
    return Finding(Level.WARNING, what, mend)


def problem(what: str, mend: str) -> Finding:
    """A finding that stops the program, or makes it worse."""
    return Finding(Level.PROBLEM, what, mend)
