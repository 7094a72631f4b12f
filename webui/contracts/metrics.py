"""Counts of the vision process's work, and the sink that collects them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FrameTally:
    """What the vision process has done since the last tally."""

    fps: float
    processed: int = 0
    """Frames that were read and judged."""
    skipped: int = 0
    durations: Sequence[float] = ()
    """Seconds spent on each processed frame."""
    lateness: Sequence[float] = ()
    """Seconds between the capture of each frame and the start of its processing."""
    intervals: Sequence[float] = ()
    """Seconds between each frame and the one before."""
    is_behind: bool = False
    """Whether the machine cannot keep up."""
    events: Sequence[str] = ()
    """Types of the events recorded."""

    def __add__(self, later: FrameTally) -> FrameTally:
        return FrameTally(
            fps=later.fps,
            processed=self.processed + later.processed,
            skipped=self.skipped + later.skipped,
            durations=(*self.durations, *later.durations),
            lateness=(*self.lateness, *later.lateness),
            intervals=(*self.intervals, *later.intervals),
            is_behind=later.is_behind,
            events=(*self.events, *later.events),
        )


class MetricsSink(Protocol):
    """Collects tallies."""

    def add(self, tally: FrameTally) -> None:
        """Add `tally` to the totals."""
