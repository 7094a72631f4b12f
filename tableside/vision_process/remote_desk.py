"""The pictures and the desk of a match that is recorded in another process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TimedOut
from itertools import count
from pathlib import Path
from typing import Final

from engine import Event, MatchState, NotNow, fold
from engine.message import join, msg
from engine.rules import find_rules
from tableside.desk.availability import DeskContext
from tableside.desk.queries import DeskQueries
from tableside.record.recorder import blank_match
from tableside.record.store import Store
from tableside.review.stills import StillKeeper, stills_folder
from tableside.vision_process import messages
from webui.contracts.desk import Command, DeskUnavailable
from webui.contracts.state import State, blank_state

PICTURE_SECONDS: Final = 0.4
"""How long a request for the newest picture waits; then it gets the last one."""
FRESH_SECONDS: Final = 0.03
"""A picture that came so shortly ago is the newest."""
START_SECONDS: Final = 5.0
"""For a command to be started: a running match takes commands four times a second or more."""
EXECUTION_SECONDS: Final = 25.0
"""For one that was started: a long game is judged again from its start."""
STILL_BUSY: Final = join(
    [msg("the table is still at it"), msg("look at the record before you try again")]
)
GONE: Final = msg("nobody watches the board any more")

Send = Callable[[object], None]


class RemotePreview:
    """A `PictureSource` of pictures that are requested one at a time, when a client asks."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._changed = threading.Condition()
        self._newest: tuple[int, bytes] | None = None
        self._received_at = -FRESH_SECONDS
        self._is_requested = False

    def receive(self, sent: messages.NewestPicture) -> None:
        """Take the response to a request."""
        with self._changed:
            self._is_requested = False
            if sent.jpeg is not None:
                self._newest = sent.number, sent.jpeg
                self._received_at = time.monotonic()
            self._changed.notify_all()

    def picture(self) -> bytes | None:
        """The newest picture; None before any."""
        with self._changed:
            if time.monotonic() - self._received_at >= FRESH_SECONDS:
                self._await(self._number, PICTURE_SECONDS)
            return None if self._newest is None else self._newest[1]

    def next_picture(self, after: int, timeout: float) -> tuple[int, bytes] | None:
        """The newest picture numbered above `after`; None after `timeout` seconds."""
        with self._changed:
            self._await(after, timeout)
            return self._newest if self._number > after else None

    @property
    def _number(self) -> int:
        return 0 if self._newest is None else self._newest[0]

    def _await(self, after: int, timeout: float) -> None:
        until = time.monotonic() + timeout
        while self._number <= after and (left := until - time.monotonic()) > 0:
            if not self._is_requested:
                self._is_requested = True
                self._send(messages.RequestPicture(self._number))
            self._changed.wait(left)


class RemoteDesk(DeskQueries):
    """A `Desk`: commands go to the vision process, queries are answered from the record."""

    def __init__(
        self,
        send: Send,
        shown: Callable[[], State] = blank_state,
        start_seconds: float = START_SECONDS,
    ) -> None:
        """`shown`: the page's state as the referee sees it."""
        self._send, self._shown, self._start_seconds = send, shown, start_seconds
        self._lock = threading.Lock()
        self._tickets = count()
        self._responses: dict[int, Future[None]] = {}
        self._store: Store | None = None
        self._match: AttachedMatch | None = None
        self._is_lost = False

    def read_from(self, record: Path) -> None:
        """Open the record that the matches are in."""
        self._store = Store.open_read_only(record)

    def close(self) -> None:
        """Close the record."""
        if self._store is not None:
            self._store.close()

    def execute(self, command: Command) -> None:
        """See `webui.contracts.desk.Desk`."""
        response: Future[None] = Future()
        with self._lock:
            if self._match is None:
                raise NotNow(messages.NO_MATCH)
            if self._is_lost:
                raise DeskUnavailable(join([GONE, msg("start the program again")]))
            ticket = next(self._tickets)
            self._responses[ticket] = response
        self._send(messages.SendCommand(ticket, command))
        try:
            self._await(ticket, response)
        finally:
            with self._lock:
                self._responses.pop(ticket, None)

    def _await(self, ticket: int, response: Future[None]) -> None:
        """Wait for the response; a command that is not started in time is cancelled."""
        try:
            return response.result(self._start_seconds)
        except TimedOut:
            if response.done():  # at the last moment, or the command itself raised it
                return response.result()
            self._send(messages.CancelCommand(ticket))
        try:
            return response.result(EXECUTION_SECONDS)
        except TimedOut:
            raise DeskUnavailable(STILL_BUSY) from None

    def context(self) -> DeskContext:
        """The match as the record has it."""
        match, shown = self._attached(), self._shown()
        return DeskContext(
            match.state(),
            match.rules,
            shown["paused"],
            match.can_undo,
            match.begins_matches,
            shown["by_hand"],
            shown["cup"],
        )

    def evidence(self) -> tuple[Sequence[Event], StillKeeper]:
        """See `DeskQueries`."""
        return self._attached().evidence()

    def _attached(self) -> AttachedMatch:
        with self._lock:
            match = self._match
        if match is None:
            raise NotNow(messages.NO_MATCH)
        return match

    def attach(self, attached: messages.MatchAttached) -> None:
        """Show another match, or none."""
        assert self._store is not None, "the record is claimed first"  # noqa: S101
        number = attached.match
        match = None if number is None else AttachedMatch(self._store, number, attached)
        with self._lock:
            self._match = match

    def resolve(self, result: messages.CommandResult) -> None:
        """Return or raise the result where the command was sent."""
        with self._lock:
            response = self._responses.get(result.ticket)
        if response is None:
            return
        if result.error is None:
            response.set_result(None)
        else:
            response.set_exception(result.error)

    def set_undo(self, changed: messages.UndoChanged) -> None:
        """Note whether a correction can be undone."""
        with self._lock:
            if self._match is not None:
                self._match.can_undo = changed.can_undo

    def lost(self) -> None:
        """Fail every command that waits, and those to come: the process has ended."""
        with self._lock:
            self._is_lost = True
            responses = list(self._responses.values())
        for response in responses:
            if not response.done():
                response.set_exception(DeskUnavailable(join([GONE, msg("look at the record")])))


class AttachedMatch:
    """A match that is being recorded, as its record has it."""

    def __init__(self, store: Store, match: int, attached: messages.MatchAttached) -> None:
        self.rules = find_rules(attached.variant)
        self.can_undo, self.begins_matches = attached.can_undo, attached.begins_matches
        self._store, self._match = store, match
        self._lock = threading.Lock()
        self._state: MatchState = blank_match(store, match)
        self._read = 0

    def state(self) -> MatchState:
        """The match now; only new events are read."""
        with self._lock:
            new = self._store.events(self._match, self._read)
            self._read += len(new)
            self._state = fold(new, self._state)
            return self._state

    def evidence(self) -> tuple[Sequence[Event], StillKeeper]:
        """Its events, and the stills that were kept so far."""
        folder = stills_folder(self._store.path, self._match)
        return self._store.events(self._match), StillKeeper(folder)
