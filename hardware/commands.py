"""Commands to the cup: one at a time, resent until answered."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from hardware.frames import CupFrame
from hardware.messages import CupMessage, Notice, Refused
from hardware.protocol import command
from hardware.protocol_constants import ANSWER, CHECKED, REFUSED, CommandCode, Refusal

RESEND_S: Final = 0.25
"""Seconds before a command is resent; the slowest answer takes 0.05."""
DAMAGED_RESEND_S: Final = 0.005
"""The same after a damaged frame, which may have been the command or its answer."""
NOT_YET_PAUSE_S: Final = 0.05
MALFORMED_LIMIT: Final = 3
"""How often a refusal as malformed is blamed on the line before it is believed: if a 0x00 is lost,
two good frames merge into one whose CRC is still right."""


AnswerHandler = Callable[[CupMessage], Iterator[Notice]]


@dataclass(slots=True)
class PendingCommand:
    """A command that is queued or awaits its answer."""

    code: CommandCode
    payload: bytes
    on_answer: AnswerHandler
    token: int | None = None
    """The caller's token; None for the client's own commands."""
    id: int | None = None
    """The id of its frame; None before it is first sent."""
    due: float = 0.0
    started: float = 0.0
    malformed: int = 0
    """How often the cup found it malformed, perhaps because of the line."""


class CommandSender:
    """The queue of commands; the client's own go before the callers'."""

    def __init__(self, last_id: int) -> None:
        self.current: PendingCommand | None = None
        self._id = last_id
        self._own: deque[PendingCommand] = deque()
        self._queued: deque[PendingCommand] = deque()

    def put(self, pending: PendingCommand) -> None:
        """Queue a command."""
        (self._own if pending.token is None else self._queued).append(pending)

    def withdraw(self, token: int) -> None:
        """Drop a caller's command that is still queued."""
        self._queued = deque(one for one in self._queued if one.token != token)

    @property
    def is_idle(self) -> bool:
        """Whether no command is in progress and none of the client's own is queued."""
        return self.current is None and not self._own

    def next_frame(self, now: float, *, is_ready: bool) -> bytes:
        """The frame that is due now, if any; callers' commands wait until the cup `is_ready`."""
        if self.current is None:
            if not self._own and not (self._queued and is_ready):
                return b""
            self.current = (self._own or self._queued).popleft()
            self.current.started = self.current.due = now
        return self._frame(self.current, now) if now >= self.current.due else b""

    def _frame(self, current: PendingCommand, now: float) -> bytes:
        if current.id is None:
            self._id = (self._id + 1) & 0xFFFF
            current.id = self._id
        current.due = now + RESEND_S
        return command(current.id, current.code, current.payload).encode()

    def retry_soon(self, now: float) -> None:
        """Resend the current command at once: a damaged frame may have been it or its answer."""
        if self.current is not None and self.current.id is not None:
            self.current.due = min(self.current.due, now + DAMAGED_RESEND_S)

    def answered(self, frame: CupFrame, message: CupMessage, now: float) -> PendingCommand | None:
        """Return and clear the current command if `frame` answers it; otherwise None."""
        current = self.current
        if current is None or frame.id != current.id:
            return None  # the answer to a command that was sent twice
        if frame.type not in (current.code | ANSWER, REFUSED):
            return None
        if isinstance(message, Refused) and _is_retried(current, message, now):
            return None
        self.current = None
        return current

    def clear(self) -> list[PendingCommand]:
        """Drop all commands and return those of callers."""
        dropped = [one for one in (self.current, *self._queued) if one is not None]
        self.current = None
        self._own.clear()
        self._queued.clear()
        return [one for one in dropped if one.token is not None]

    def restart(self) -> PendingCommand | None:
        """After a reset of the cup, return a caller's current command if it cannot be repeated.

        A command that changes nothing is resent instead.
        """
        self._own.clear()
        current, self.current = self.current, None
        if current is None or current.token is None:
            return None
        if current.code in CHECKED:
            return current
        current.id = None
        self._queued.appendleft(current)
        return None


def _is_retried(current: PendingCommand, refused: Refused, now: float) -> bool:
    match refused.why:
        case Refusal.NOT_YET if current.code is not CommandCode.COMMIT:
            current.due = now + NOT_YET_PAUSE_S
        case Refusal.NOT_CHECKED:
            current.due = now
        case Refusal.NOT_THE_SAME:
            current.id, current.due = None, now
        case Refusal.NOT_KNOWN | Refusal.NOT_THAT_LONG | Refusal.NOT_IN_RANGE:
            current.malformed, current.due = current.malformed + 1, now
            return current.malformed <= MALFORMED_LIMIT
        case _:
            return False
    return True
