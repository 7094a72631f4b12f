"""Who is logged in. Only an id is in the cookie, so a session ends here, for every copy of it."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from webui.contracts.roles import RIGHTS, Role

LONGEST_S: Final = 16 * 3600.0
"""A tournament day, in seconds."""
IDLE_S: Final = 4 * 3600.0
"""An open page is never idle: its stream asks for its state twice a second."""
MOST: Final = 2_000
"""Sessions at once; beyond that, that of those who only watch ends which has been idle longest."""


@dataclass(slots=True)
class _Session:
    role: Role
    begun: float
    used: float


class Sessions:
    """The sessions of one server, in memory; thread-safe. A restart ends them all."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._sessions: dict[str, _Session] = {}

    def begin(self, role: Role) -> str:
        """The id of a new session."""
        number, now = secrets.token_urlsafe(24), self._clock()
        with self._lock:
            self._drop_expired(now)
            if len(self._sessions) >= MOST:
                del self._sessions[min(self._sessions, key=self._worth)]
            self._sessions[number] = _Session(role, now, now)
        return number

    def role_of(self, number: str | None) -> Role | None:
        """The role of a session, which is in use now; None if it has ended or never began."""
        now = self._clock()
        with self._lock:
            found = self._sessions.get(number or "")
            if found is None or self._is_expired(found, now):
                return None
            found.used = now
            return found.role

    def end(self, number: str | None) -> None:
        """End one session."""
        with self._lock:
            self._sessions.pop(number or "", None)

    def end_all(self) -> None:
        """End every session."""
        with self._lock:
            self._sessions.clear()

    def _worth(self, number: str) -> tuple[bool, float]:
        """By what a session is kept: players' and the referee's longest, else the latest used."""
        found = self._sessions[number]
        return RIGHTS[found.role].speaks, found.used

    def _drop_expired(self, now: float) -> None:
        for number in [n for n, one in self._sessions.items() if self._is_expired(one, now)]:
            del self._sessions[number]

    def _is_expired(self, session: _Session, now: float) -> bool:
        return now - session.begun > LONGEST_S or now - session.used > IDLE_S
