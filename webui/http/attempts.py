"""Log-in attempts: how many an address may make, and in which order they are checked.

A check takes a twentieth of a second of processor time, so they are made one at a time. Those of
addresses with the fewest attempts come first: whoever comes for the first time waits for at most
one guess of each machine that guesses, of up to `MOST_WAITING` machines. There is no limit for all
addresses together, which would let a few of them lock out everybody else.
"""

from __future__ import annotations

import bisect
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network
from itertools import count
from math import ceil
from typing import Final

from limits import RateLimitItem, parse_many
from limits.strategies import FixedWindowRateLimiter
from werkzeug.exceptions import TooManyRequests

from webui.contracts.roles import Role
from webui.http.counts import CountsInMemory

PER_ADDRESS: Final = "5 per minute; 50 per hour"
"""Wrong passwords from one address, or from one network of 2^64 IPv6 addresses."""
MOST_WAITING: Final = 64
"""Attempts that may wait for their turn; each occupies a thread of the server."""

_Ticket = tuple[int, int, str]
"""How many attempts its address has made or waits with, when it came, and the address."""


class LoginAttempts:
    """Counts attempts per address and checks them one at a time; in memory, thread-safe."""

    def __init__(
        self,
        per_address: str = PER_ADDRESS,
        most_waiting: int = MOST_WAITING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """per_address: in the notation of `limits.parse_many`."""
        self._limits = parse_many(per_address)
        self._storage = CountsInMemory(clock=clock)
        self._strategy = FixedWindowRateLimiter(self._storage)
        self._turns = _Turns(most_waiting)

    def role(
        self,
        address: str,
        check: Callable[[], Role | None],
        known: Callable[[], Role | None] = lambda: None,
    ) -> Role | None:
        """The role that `check` finds, in its turn; a right password is not counted.

        known: looked up before the attempt is counted. Raises `TooManyRequests` for an address with
        too many attempts.
        """
        source = source_of(address)
        made = max(
            limit.amount - self._strategy.get_window_stats(limit, source).remaining
            for limit in self._limits
        )
        with self._turns.turn(source, made):
            if (role := known()) is not None:
                return role
            for limit in self._limits:
                if not self._strategy.test(limit, source):
                    raise self._refusal(limit, source)
            for limit in self._limits:
                self._strategy.hit(limit, source)
            role = check()
            if role is not None:
                for limit in self._limits:
                    self._storage.decr(limit.key_for(source))
            return role

    def _refusal(self, limit: RateLimitItem, source: str) -> TooManyRequests:
        seconds = self._strategy.get_window_stats(limit, source).reset_time - time.time()
        return TooManyRequests(str(limit), retry_after=max(1, ceil(seconds)))


class _Turns:
    """Lets one thread at a time proceed, the one with the lowest ticket first."""

    def __init__(self, most_waiting: int) -> None:
        self._most_waiting = most_waiting
        self._changed = threading.Condition()
        self._numbers = count()
        self._waiting: list[_Ticket] = []
        self._is_taken = False

    @contextmanager
    def turn(self, source: str, made: int) -> Iterator[None]:
        """Wait for the turn; raises `TooManyRequests` if there are too many with better claims.

        made: the attempts that the address has made before.
        """
        with self._changed:
            made += sum(other == source for *_, other in self._waiting)
            ticket = made, next(self._numbers), source
            bisect.insort(self._waiting, ticket)
            if len(self._waiting) > self._most_waiting:
                self._waiting.pop()
                self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_next(ticket) or ticket not in self._waiting)
            if ticket not in self._waiting:
                raise TooManyRequests("log-ins at once", retry_after=1)
            self._waiting.remove(ticket)
            self._is_taken = True
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()

    def _is_next(self, ticket: _Ticket) -> bool:
        return not self._is_taken and self._waiting[:1] == [ticket]


def source_of(address: str) -> str:
    """The address, or the network of an IPv6 address: whoever has one of these has all of it."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return str(ip_network((parsed, 64), strict=False))
    return address
