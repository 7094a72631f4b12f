"""How fast a table sends what waits after a long time without a broker."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

FASTEST: Final = 200.0
"""Events a second; a hall stores a thousand, and shows its tables meanwhile."""
SLOWEST: Final = 10.0
GAIN: Final = 10.0
"""Events a second by which it becomes faster, every second."""
BURST: Final = 20.0
"""Events that are sent at once: what people play is never held up."""


class Pace:
    """A bucket that fills as fast as events may be sent; slower once the hall cannot follow."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._at = clock, clock()
        self._rate, self._room = FASTEST, BURST

    def room(self) -> int:
        """How many events may be sent now."""
        now = self._clock()
        passed, self._at = now - self._at, now
        self._room = min(BURST, self._room + self._rate * passed)
        self._rate = min(FASTEST, self._rate + GAIN * passed)
        return int(self._room)

    def spend(self, events: int) -> None:
        """Note that so many were sent."""
        self._room -= events

    def slow_down(self) -> None:
        """Send half as fast: events got lost because too many came at once."""
        self._rate = max(SLOWEST, self._rate / 2)
