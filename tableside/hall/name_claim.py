"""Which of several tables with one name publishes under it.

The one that is there keeps the name, also over a restart of the broker; the others wait. What the
broker kept of a table may be older than its end, so such a table is asked whether it is there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from tableside.hall.messages import Presence

ANNOUNCE_S: Final = 1.0
"""Seconds for the broker to say who else has the name."""
ANSWER_S: Final = 5.0
"""Seconds for another table to say that it is still there."""
REPEAT_S: Final = 10.0
"""Seconds after which a table whose name is taken asks again, so that the hall knows of it."""
RETURN_S: Final = 15.0
"""Seconds for the table that has the name to come back after the broker was gone."""


class _Stage(Enum):
    AWAY = auto()
    """Not connected."""
    WAITING = auto()
    """The name is taken at a certain time, unless another table is heard before."""
    HELD = auto()
    TAKEN = auto()
    """Another table has the name."""


class NameClaim:
    """One table's claim to its name. It does no I/O: it is told what arrives."""

    def __init__(self, instance: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._instance, self._clock = instance, clock
        self._stage, self._take_at = _Stage.AWAY, math.inf
        self._ask_at = math.inf
        self._other = ""
        """The table that has the name, or may have it."""
        self._gave_way = False
        """Whether another table had the name when we were last connected for long enough."""

    @property
    def is_connected(self) -> bool:
        """Whether the broker is there."""
        return self._stage is not _Stage.AWAY

    @property
    def is_held(self) -> bool:
        """Whether this table publishes."""
        return self._stage is _Stage.HELD

    @property
    def is_taken(self) -> bool:
        """Whether another table surely has the name."""
        return self._stage is _Stage.TAKEN

    def connect(self) -> None:
        """The broker is there."""
        self._wait(RETURN_S if self._gave_way else ANNOUNCE_S)

    def disconnect(self) -> None:
        """The broker is gone."""
        self._stage = _Stage.AWAY

    def take(self) -> bool:
        """Whether the name is ours from now on, and must be announced."""
        if self._stage is not _Stage.WAITING or self._clock() < self._take_at:
            return False
        self._stage, self._gave_way = _Stage.HELD, False
        return True

    def asks_again(self) -> bool:
        """Whether to ask again if the table that has the name is still there."""
        if self._stage is not _Stage.TAKEN or self._clock() < self._ask_at:
            return False
        self._ask_at = self._clock() + REPEAT_S
        return True

    def hear(self, other: Presence, *, is_kept: bool) -> bool:
        """Follow what a table said under our name; return whether to ask if it is still there.

        is_kept: the broker kept the message from before we were connected.
        """
        name = other["instance"]
        if name == self._instance:
            return False
        if not other["online"]:
            # It leaves, or asks; in either case, what it said stands under our name.
            if self.is_held or name == self._other:
                self._wait(0.0)
            return False
        if is_kept:
            is_unknown = self._stage is _Stage.WAITING
            if is_unknown:
                self._other = name
                self._take_at = max(self._take_at, self._clock() + ANSWER_S)
            return is_unknown
        if self.is_held and self._instance < name:  # both took it at once
            self._wait(0.0)
        else:
            if self._stage is not _Stage.TAKEN:
                self._ask_at = self._clock() + REPEAT_S
            self._stage, self._other, self._gave_way = _Stage.TAKEN, name, True
        return False

    def _wait(self, seconds: float) -> None:
        self._stage, self._take_at = _Stage.WAITING, self._clock() + seconds
