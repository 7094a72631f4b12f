"""`CommandQueue`: words said by hand, from other threads to the one that watches the board.

A session is not thread-safe, so a word waits in a queue until the sitting has a moment between two
frames. What has to be judged again is done bit by bit, so that frames are looked at all along.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from queue import Empty, SimpleQueue
from typing import Final

from engine import Event, NotNow
from engine.match.corrections import PlayChosen, RollFixed
from engine.referee.replay import ReplaySteps
from engine.rules import Rules
from engine.timestamp import Timestamp
from tableside.cup.disagreement import NO_CUP
from tableside.desk.availability import DeskContext
from tableside.desk.clock import end_turn, press
from tableside.desk.command_events import event_of
from tableside.desk.queries import DeskQueries
from tableside.match.session import Session
from tableside.record.recorder import Recorder
from tableside.review.stills import StillKeeper, stills_folder
from webui.contracts.desk import Command, CupWords, DeskCommand, DeskUnavailable, NextMatch
from webui.contracts.state import CupShown

PATIENCE: Final = 5.0
"""Seconds that a word waits to be heard: the sitting looks four times a second or more."""
AT_WORK: Final = 25.0
"""Seconds more that one may take which was heard: a long game is judged again from its start."""
Do = Callable[[Command], Iterator[object] | None]
"""Carries a command out; what it gives is work that is still to be done, bit by bit."""


class CommandQueue(DeskQueries):
    """The `Desk` of a sitting, which works it off with `work_off` and `go_on`."""

    def __init__(self, recorder: Recorder, rules: Rules, patience: float = PATIENCE) -> None:
        self._recorder, self._rules, self._patience = recorder, rules, patience
        self._waiting: SimpleQueue[tuple[Command, Future[None]]] = SimpleQueue()
        self._work: tuple[Iterator[object], Future[None]] | None = None
        self.is_paused = False
        """Set by the sitting, like the next."""
        self.can_undo = False
        self.on_undo: Callable[[bool], object] = lambda _: None
        """Told of each change of `can_undo` that `let_undo` makes."""
        self.begins_matches = False
        self.is_told = False
        self.cup: Callable[[], CupShown | None] = lambda: None

    def known(self) -> DeskContext:
        """The match as the record has it."""
        return DeskContext(
            self._recorder.state,
            self._rules,
            self.is_paused,
            self.can_undo,
            self.begins_matches,
            self.is_told,
            self.cup(),
        )

    def kept(self) -> tuple[Sequence[Event], StillKeeper]:
        """See `DeskQueries`."""
        recorder = self._recorder
        return tuple(recorder.events), StillKeeper(stills_folder(recorder.path, recorder.match))

    def let_undo(self, can_undo: bool) -> None:
        """Whether there is something to undo now."""
        if can_undo != self.can_undo:
            self.can_undo = can_undo
            self.on_undo(can_undo)

    def execute(self, command: Command) -> None:
        """The command was carried out and is in the record; see `webui.contracts.desk.Desk`."""
        answer: Future[None] = Future()
        self._waiting.put((command, answer))
        try:
            answer.result(self._patience)
        except NotYet:
            if answer.cancel():
                raise DeskUnavailable(
                    "the table does not answer; nothing was changed, try again"
                ) from None
            self._await(answer)

    def _await(self, answer: Future[None]) -> None:
        """The answer to a word that was heard: it cannot be taken back any more."""
        try:
            answer.result(AT_WORK)
        except NotYet:
            raise DeskUnavailable(
                "the table is still at it; look at the record before you try again"
            ) from None

    @property
    def is_at_work(self) -> bool:
        """Whether something that was said is still being carried out."""
        return self._work is not None

    def work_off(self, do: Do, timeout: float = 0.0) -> int:
        """Carry out what was said, waiting so many seconds for the first; how many there were.

        It ends early where one leaves work for `go_on`: the others wait for that.
        What goes wrong is raised where the word was said, and not here.
        """
        done = 0
        while self._work is None:
            try:
                command, answer = self._waiting.get(timeout > 0 and not done, timeout)
            except Empty:
                break
            done += 1
            if answer.set_running_or_notify_cancel():
                self._start(do, command, answer)
        return done

    def _start(self, do: Do, command: Command, answer: Future[None]) -> None:
        try:
            work = do(command)
        except Exception as error:  # noqa: BLE001 (the request that waits tells it)
            answer.set_exception(error)
            return
        if work is None:
            answer.set_result(None)
        else:
            self._work = work, answer

    def go_on(self, seconds: float) -> None:
        """So many seconds of the work that is left, or a little more."""
        until = time.monotonic() + seconds
        while self._work is not None:
            self._step(*self._work)
            if time.monotonic() >= until:
                return

    def _step(self, work: Iterator[object], answer: Future[None]) -> None:
        try:
            next(work)
        except StopIteration:
            self._work = None
            answer.set_result(None)
        except Exception as error:  # noqa: BLE001 (the request that waits tells it)
            self._work = None
            answer.set_exception(error)


def carry_out(
    session: Session, command: Command, rules: Rules, when: Timestamp
) -> list[Event] | ReplaySteps:
    """What `command` adds to the record, which has it; `EngineError` if it cannot be.

    What has to be judged again is done bit by bit.
    """
    match command:
        case DeskCommand.UNDO:
            return session.undoing(when)
        case PlayChosen() | RollFixed():
            return session.correcting(command, when)
        case NextMatch():
            raise NotNow("it is begun once the match before it is over")
        case CupWords():
            raise NotNow(NO_CUP)
        case DeskCommand.CLOCK:
            return press(session, when)
        case DeskCommand.END_TURN:
            return end_turn(session, event_of(command, session.state, rules, when), when)
        case _:
            return session.told(event_of(command, session.state, rules, when))
