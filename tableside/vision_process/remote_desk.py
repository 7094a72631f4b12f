"""What the page has of the board while another process watches it: pictures, and the desk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final

from engine import Event, MatchState, NotNow, fold
from engine.rules import find_rules
from tableside.desk.availability import DeskContext
from tableside.desk.queries import DeskQueries
from tableside.record.recorder import blank_match
from tableside.record.store import Store
from tableside.review.stills import StillKeeper, stills_folder
from tableside.vision_process import messages as words
from webui.contracts.desk import Command, DeskUnavailable
from webui.contracts.state import State, blank_state

PICTURE_SECONDS: Final = 0.4
"""How long somebody waits who wants the newest picture; then he gets the last one."""
FRESH_SECONDS: Final = 0.03
"""A picture that came so shortly ago is the newest."""
ANSWER_SECONDS: Final = 40.0
"""More than a word takes in any case, see `tableside.desk.command_queue`."""

Say = Callable[[object], None]


class RemotePreview:
    """A `Gallery` of pictures that are asked for, one at a time, when somebody looks."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._changed = threading.Condition()
        self._newest: tuple[int, bytes] | None = None
        self._came = -FRESH_SECONDS
        self._is_asked = False

    def take(self, shown: words.NewestPicture) -> None:
        """One has come, or none."""
        with self._changed:
            self._is_asked = False
            if shown.jpeg is not None:
                self._newest, self._came = (shown.number, shown.jpeg), time.monotonic()
            self._changed.notify_all()

    def picture(self) -> bytes | None:
        """The newest picture; None before any."""
        with self._changed:
            if time.monotonic() - self._came >= FRESH_SECONDS:
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
            if not self._is_asked:
                self._is_asked = True
                self._say(words.RequestPicture(self._number))
            self._changed.wait(left)


class RemoteDesk(DeskQueries):
    """A `Desk`: what is said goes to sight, what is read is read from the record."""

    def __init__(self, say: Say, shown: Callable[[], State] = blank_state) -> None:
        """`shown`: the page's state as the referee sees it; it tells how the cup is."""
        self._say, self._shown = say, shown
        self._lock = threading.Lock()
        self._tickets = count()
        self._waiting: dict[int, Future[None]] = {}
        self._store: Store | None = None
        self._seat: AttachedMatch | None = None
        self._is_lost = False

    def read_from(self, record: Path) -> None:
        """The record that the matches are in."""
        self._store = Store.open_read_only(record)

    def close(self) -> None:
        """Let go of the record."""
        if self._store is not None:
            self._store.close()

    def execute(self, command: Command) -> None:
        """See `webui.contracts.desk.Desk`."""
        answer: Future[None] = Future()
        with self._lock:
            if self._seat is None:
                raise NotNow(words.NOBODY)
            if self._is_lost:
                raise DeskUnavailable("nobody watches the board any more; start the program again")
            ticket = next(self._tickets)
            self._waiting[ticket] = answer
        self._say(words.SendCommand(ticket, command))
        try:
            answer.result(ANSWER_SECONDS)
        except NotYet:
            raise DeskUnavailable("the table does not answer; look at the record first") from None
        finally:
            with self._lock:
                self._waiting.pop(ticket, None)

    def known(self) -> DeskContext:
        """The match as the record has it."""
        seat, shown = self._seated(), self._shown()
        return replace(seat.known(), is_told=shown["by_hand"], cup=shown["cup"])

    def kept(self) -> tuple[Sequence[Event], StillKeeper]:
        """See `DeskQueries`."""
        return self._seated().kept()

    def _seated(self) -> AttachedMatch:
        with self._lock:
            seat = self._seat
        if seat is None:
            raise NotNow(words.NOBODY)
        return seat

    def seat(self, seated: words.MatchAttached) -> None:
        """Another match is being watched, or none."""
        assert self._store is not None, "the record is claimed first"  # noqa: S101
        seat = None if seated.match is None else AttachedMatch(self._store, seated.match, seated)
        with self._lock:
            self._seat = seat

    def answered(self, answer: words.CommandResult) -> None:
        """What became of something that was said."""
        with self._lock:
            if self._seat is not None:
                self._seat.is_paused = answer.is_paused
                self._seat.can_undo = answer.can_undo
            waiting = self._waiting.get(answer.ticket)
        if waiting is None:
            return
        if answer.error is None:
            waiting.set_result(None)
        else:
            waiting.set_exception(answer.error)

    def undoable(self, told: words.UndoChanged) -> None:
        """Whether there is something to undo has changed without a word."""
        with self._lock:
            if self._seat is not None:
                self._seat.can_undo = told.can_undo

    def lost(self) -> None:
        """Nobody will answer any more."""
        with self._lock:
            self._is_lost = True
            waiting = list(self._waiting.values())
        for one in waiting:
            one.set_exception(
                DeskUnavailable("nobody watches the board any more; look at the record")
            )


class AttachedMatch:
    """A match that is being watched, as its record has it."""

    def __init__(self, store: Store, match: int, seated: words.MatchAttached) -> None:
        self.is_paused, self.can_undo = False, seated.can_undo
        self._store, self._match, self._begins = store, match, seated.begins_matches
        self._rules = find_rules(seated.variant)
        self._lock = threading.Lock()
        self._state: MatchState = blank_match(store, match)
        self._read = 0

    def known(self) -> DeskContext:
        """The newest; only what is new is read."""
        with self._lock:
            new = self._store.events(self._match, self._read)
            self._read += len(new)
            self._state = fold(new, self._state)
            return DeskContext(
                self._state, self._rules, self.is_paused, self.can_undo, self._begins
            )

    def kept(self) -> tuple[Sequence[Event], StillKeeper]:
        """Its events, and what the other process has kept of its pictures so far."""
        folder = stills_folder(self._store.path, self._match)
        return self._store.events(self._match), StillKeeper(folder)
