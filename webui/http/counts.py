"""How often something was done lately, for rate limits that outlast a change of the clock.

The storage of `limits` goes by the machine's clock: set back by an hour, as by a machine whose
clock runs on local time, it would count the commands of that hour as those of one minute.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from limits.storage import Storage

FEW: Final = 1_000
"""Counts that need not be cleaned up."""


class CountsInMemory(Storage):
    """Counts in windows that begin with the first; thread-safe."""

    STORAGE_SCHEME = ["counts"]  # noqa: RUF012 (as the base class has it)

    def __init__(
        self,
        uri: str | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        wrap_exceptions: bool = False,
    ) -> None:
        super().__init__(uri, wrap_exceptions=wrap_exceptions)
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: dict[str, tuple[float, int]] = {}
        """When its window ends, and the count, by key."""
        self._most = FEW

    @property
    def base_exceptions(self) -> type[Exception]:
        """What the store itself may raise."""
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count; the count in this window. expiry: how long a window that begins now lasts."""
        now = self._clock()
        with self._lock:
            end, count = self._counts.get(key, (now, 0))
            if end <= now:
                end, count = now + expiry, 0
            self._counts[key] = end, count + amount
            if len(self._counts) > self._most:
                self._counts = {k: one for k, one in self._counts.items() if one[0] > now}
                self._most = max(FEW, 2 * len(self._counts))
            return count + amount

    def decr(self, key: str) -> None:
        """Take one back, if it was in this window."""
        with self._lock:
            if key in self._counts:
                end, count = self._counts[key]
                self._counts[key] = end, max(0, count - 1)

    def get(self, key: str) -> int:
        """The count in this window."""
        with self._lock:
            end, count = self._counts.get(key, (0.0, 0))
        return count if end > self._clock() else 0

    def get_expiry(self, key: str) -> float:
        """When the window ends by the machine's clock, in seconds since 1970."""
        now = self._clock()
        with self._lock:
            end, _ = self._counts.get(key, (now, 0))
        return time.time() + max(0.0, end - now)

    def check(self) -> bool:
        """Whether it works."""
        return True

    def reset(self) -> int:
        """Forget all; how many there were."""
        with self._lock:
            known, self._counts = len(self._counts), {}
        return known

    def clear(self, key: str) -> None:
        """Forget one."""
        with self._lock:
            self._counts.pop(key, None)
