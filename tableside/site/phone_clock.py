"""The phone's clock in terms of ours."""

from __future__ import annotations

from collections import deque
from typing import Final

LOOKBACK: Final = 150
"""Pictures whose fastest transfer counts: ten seconds, in which clocks drift by under a
millisecond."""
OLDEST_SECONDS: Final = 2.0
"""An older picture means that the phone's clock has jumped, as some do after sleep."""


class PhoneClock:
    """Maps times of the phone to ours by the picture that took the least time to arrive."""

    def __init__(self) -> None:
        self._offsets: deque[float] = deque(maxlen=LOOKBACK)
        self._last = 0.0

    def age(self, taken: float, arrived: float) -> float:
        """Seconds since a picture was taken, beyond the fastest transfer.

        taken: by the phone's clock; arrived: by ours. The times that follow from it never decrease.
        """
        offset = arrived - taken
        if self._offsets and abs(offset - min(self._offsets)) > OLDEST_SECONDS:
            self._offsets.clear()
        self._offsets.append(offset)
        self._last = min(arrived, max(self._last, taken + min(self._offsets)))
        return arrived - self._last
