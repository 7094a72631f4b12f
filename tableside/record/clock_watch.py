"""Notices when the machine's clock was set, or the machine slept."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

JUMP_S: Final = 2.0
"""Seconds between two looks that are not drift."""
_LOGGER: Final = logging.getLogger(__name__)


class ClockWatch:
    """Compares the clock with the time that has passed, and logs a difference."""

    def __init__(
        self,
        clock: Callable[[], float] = time.time,
        passed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock, self._passed = clock, passed
        self._ahead = clock() - passed()

    def look(self) -> None:
        """Log by how much the clock has jumped since the last look, if it has."""
        ahead = self._clock() - self._passed()
        jump, self._ahead = ahead - self._ahead, ahead
        if abs(jump) >= JUMP_S:
            _LOGGER.warning("the clock jumped by %+.0f s: it was set, or the machine slept", jump)
