"""What the program counts of its work before the camera, and who takes the figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FrameTally:
    """What has happened before the camera since the last tally."""

    fps: float
    seen: int = 0
    """Pictures that were judged."""
    skipped: int = 0
    looks: Sequence[float] = ()
    """Seconds that each judged one took."""
    events: Sequence[str] = ()
    """Types of those that were recorded."""

    def __add__(self, later: FrameTally) -> FrameTally:
        return FrameTally(
            fps=later.fps,
            seen=self.seen + later.seen,
            skipped=self.skipped + later.skipped,
            looks=(*self.looks, *later.looks),
            events=(*self.events, *later.events),
        )


class FigureReceiver(Protocol):
    """Whoever is told of what happens before the camera."""

    def take(self, tally: FrameTally) -> None:
        """Add it to what was."""
