"""Log-in attempts, each counted before its password is checked.

A check takes a moment: if attempts were counted only afterwards, many that arrive at once would all
be checked.
"""

from __future__ import annotations

import threading
import time
from math import ceil
from typing import Final

from limits import RateLimitItem, parse_many
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

PER_ADDRESS: Final = "5 per minute; 50 per hour"
"""Wrong passwords from one address."""
TOTAL: Final = "30 per minute"
"""Passwords from all visitors together, including correct ones: each check costs CPU time."""


class LoginAttempts:
    """Counts attempts per address, in memory; thread-safe."""

    def __init__(self, per_address: str, total: str | None = None) -> None:
        """Limits in the notation of `limits.parse_many`."""
        self._per_address = parse_many(per_address)
        self._total = [] if total is None else parse_many(total)
        self._storage = MemoryStorage()
        self._strategy = FixedWindowRateLimiter(self._storage)
        self._lock = threading.Lock()

    def count(self, address: str) -> None:
        """Count an attempt that is about to be checked; raises `TooManyRequests` above a limit."""
        counts = [(limit, ("one", address)) for limit in self._per_address]
        counts += [(limit, ("all", "")) for limit in self._total]
        with self._lock:
            for limit, key in counts:
                if not self._strategy.test(limit, *key):
                    raise self._refusal(limit, *key)
            for limit, key in counts:
                self._strategy.hit(limit, *key)

    def give_back(self, address: str) -> None:
        """Uncount an attempt of this address whose password was right."""
        with self._lock:
            for limit in self._per_address:
                self._storage.decr(limit.key_for("one", address))

    def _refusal(self, limit: RateLimitItem, *key: str) -> TooManyRequests:
        seconds = self._strategy.get_window_stats(limit, *key).reset_time - time.time()
        return TooManyRequests(str(limit), retry_after=max(1, ceil(seconds)))
