"""A cup on a serial line, served by a thread of its own so that no caller has to wait.

The thread opens the port, feeds the sans-I/O client and opens again, for ever, what breaks. What
others want is put into its queue; what the cup says comes out of `notices`.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Final

from hardware import messages as told
from hardware.client import CupClient, CupState
from hardware.errors import CupLost, CupOutOfStep, CupRefused, HardwareError, NoCup
from hardware.messages import Committed, Message, Refused
from hardware.notices import CommandAnswered, CommandBroken, LineSilent, Notice
from hardware.ports import Open, Port, PortSearch, open_port
from hardware.proof import chain_start
from hardware.protocol_constants import MAJOR, MINOR, CommandCode, CupPhase, Refusal, RollPurpose
from hardware.roll_ledger import RollLedger

PATIENCE: Final = 5.0
"""Seconds that an answer is waited for."""
BEGIN_PATIENCE: Final = 60.0
"""The same where a match begins: a half done one would only have to be begun again."""
SEED_PATIENCE: Final = 60.0
"""Seconds that a cup may gather noise for a seed; a real one takes 25 after it was switched on."""
SHORTEST_PAUSE: Final = 0.25
ABSENT_PAUSE: Final = 1.0
"""Seconds at most between two looks for a port that is not there: looking costs nothing."""
LONGEST_PAUSE: Final = 5.0
"""Seconds at most between two tries at a port that does not answer as a cup."""

_LOGGER: Final = logging.getLogger(__name__)

Clock = Callable[[], float]
Job = Callable[[CupClient], None]


@dataclass(frozen=True, slots=True)
class CupView:
    """How the cup is, for whoever shows it."""

    state: CupState
    why: str
    """What is wrong, or what is looked for; empty if all is well."""
    url: str
    identity: told.CupIdentity | None
    status: told.Status | None


class CupConnection:
    """A cup; `close` it, or use it in a `with`."""

    def __init__(
        self,
        search: PortSearch,
        *,
        opener: Open = open_port,
        random_bytes: Callable[[int], bytes] = os.urandom,
        clock: Clock = time.monotonic,
        on_change: Callable[[], object] = lambda: None,
    ) -> None:
        """`on_change` is called by the thread of the cup when there is news of it."""
        self.notices: SimpleQueue[Notice] = SimpleQueue()
        self._search, self._open, self._clock = search, opener, clock
        self._on_change = on_change
        self._client = CupClient(random_bytes)
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._answers: dict[int, Future[Message]] = {}
        self._closing = threading.Event()
        self._url = search.url or ""
        self._why = "it is looked for"
        self._finding = CupState.SEARCHING
        self._is_open = False
        self._thread = threading.Thread(target=self._run, name="cup", daemon=True)
        self._thread.start()

    # From any thread

    @property
    def view(self) -> CupView:
        """How it is now."""
        client = self._client
        if not self._is_open:
            return CupView(self._finding, self._why, self._url, client.identity, None)
        return CupView(client.state, client.why, self._url, client.identity, client.status)

    @property
    def ledger(self) -> RollLedger | None:
        """The match at the cup, with its newest roll."""
        return self._client.ledger

    @property
    def asked_for(self) -> RollPurpose | None:
        """What the roll is that is wanted and not made yet."""
        asked = self._client.asked
        return None if asked is None else asked.roll.what

    def call(self, word: CommandCode, payload: bytes = b"", patience: float = PATIENCE) -> Message:
        """The cup's answer; `CupLost` if none comes, `CupRefused` if it will not."""
        answer: Future[Message] = Future()

        def job(client: CupClient) -> None:
            self._answers[client.ask(word, payload)] = answer

        self._jobs.put(job)
        try:
            message = answer.result(patience)
        except NotYet:
            raise CupLost(self._no_answer()) from None
        except CancelledError:
            raise CupLost("the cup is not used any more") from None
        if isinstance(message, Refused):
            raise CupRefused(str(message)) from _Why(message)
        return message

    def _no_answer(self) -> str:
        view = self.view
        return f"the cup does not answer ({view.state.value}{': ' * bool(view.why)}{view.why})"

    def wait_ready(self, patience: float) -> told.CupIdentity:
        """Who the cup is, once it has answered; `NoCup` if none does."""
        try:
            message = self.call(CommandCode.HELLO, bytes([MAJOR, MINOR]), patience)
        except CupLost:
            raise NoCup(self.view.why or self._no_answer()) from None
        if not isinstance(message, told.CupIdentity):
            raise NoCup("what answers is no cup")
        return message

    def roll(self, what: RollPurpose, *, is_armed: bool = False) -> None:
        """A roll is wanted; `RollMade` comes out of `notices`, however long it takes."""
        self._done(lambda client: client.roll(what, is_armed=is_armed))

    def keep_armed(self, what: RollPurpose | None) -> None:
        """The next throw is a roll of that, or of nothing; waits for nobody.

        What is wanted already stays so; an armed roll that is made meanwhile is told all the same.
        """

        def job(client: CupClient) -> None:
            asked = client.asked
            if asked is not None and asked.roll.what != what:
                client.call_off()
            if what is not None and client.asked is None and client.ledger is not None:
                client.roll(what, is_armed=True)

        self._jobs.put(job)

    def roll_now(self, what: RollPurpose) -> None:
        """A roll of that is made without a shake, in place of an armed one; waits for nobody."""

        def job(client: CupClient) -> None:
            client.call_off()
            if client.asked is None and client.ledger is not None:
                client.roll(what)

        self._jobs.put(job)

    def call_off(self) -> None:
        """An armed roll is not wanted any more."""
        self._done(CupClient.call_off)

    def resume(self, ledger: RollLedger) -> None:
        """A match that was begun earlier goes on; rolls made meanwhile come out of `notices`."""

        def job(client: CupClient) -> None:
            client.ledger = ledger
            if client.state is not CupState.LOST:
                client.connected(self._clock())

        self._done(job)

    def begin(
        self, pledge: Callable[[Committed, bytes], bytes], patience: float = SEED_PATIENCE
    ) -> RollLedger:
        """A new match, sealed with the nonces that `pledge` gives for the commitment.

        `pledge` gets the commitment and the cup's name, and keeps both safe before it makes any
        nonce; it may take its time. See `commit`.
        """
        committed, unit = self.commit(patience)
        nonces = pledge(committed, unit)
        chain = chain_start(committed.commitment, nonces)
        ledger = RollLedger(
            unit, committed.match, committed.commitment, nonces, committed.number, chain
        )
        self.seal(ledger, patience)
        return ledger

    def commit(self, patience: float = SEED_PATIENCE) -> tuple[Committed, bytes]:
        """The cup is bound to a new match's seed; its commitment, and the cup's name.

        A match that the cup was at is revealed first: it can be played no further.
        """
        end = self._clock() + patience
        self.wait_ready(patience)
        self._done(_forget)
        committed = self._committed(end)
        # Only now: a cup that was never on draws its name from the noise before its first seed.
        return committed, self.wait_ready(patience).unit

    def seal(self, ledger: RollLedger, patience: float = SEED_PATIENCE) -> None:
        """The match that the cup is bound to is sealed with the ledger's nonces, and goes on.

        Once it is, this changes nothing. `CupOutOfStep` if the cup is bound to another seed by
        now, or sealed with other nonces.
        """
        end = self._clock() + patience
        unit = self.wait_ready(patience).unit
        here = self.call(CommandCode.MATCH, patience=BEGIN_PATIENCE)
        if not isinstance(here, told.MatchStatus):
            raise CupLost(self._no_answer())
        is_bound = here.phase is CupPhase.COMMITTED
        ledger.check(unit, replace(here, phase=CupPhase.SEALED) if is_bound else here)
        last = self.call(CommandCode.LAST, patience=BEGIN_PATIENCE)
        if is_bound or (isinstance(last, told.LastRoll) and last.what is None):
            self._seal(ledger.nonces, ledger.chain, end)
        self.resume(ledger)

    def reveal(self, patience: float) -> Message:
        """The match is over; the cup's answer with the seed.

        Every roll of the match has come out of `notices` before: nothing is armed any more, and the
        cup was asked once again where it stands.
        """
        self.call_off()
        self.call(CommandCode.DISARM, patience=patience)
        ledger = self.ledger
        if ledger is not None:
            self.resume(ledger)
        message = self.call(CommandCode.REVEAL, patience=patience)
        self._done(_forget)
        return message

    def light(self, colour: int, *, is_blinking: bool = False) -> None:
        """The lamp shows `colour` (bits red, green, blue), 0 for none; waits for nobody."""
        payload = bytes([colour, is_blinking])

        def job(client: CupClient) -> None:
            client.ask(CommandCode.LED, payload)

        self._jobs.put(job)

    def _committed(self, end: float) -> Committed:
        while True:
            here = self.call(CommandCode.MATCH, patience=BEGIN_PATIENCE)
            if isinstance(here, told.MatchStatus) and here.phase is CupPhase.COMMITTED:
                last = self.call(CommandCode.LAST, patience=BEGIN_PATIENCE)
                number = last.number if isinstance(last, told.LastRoll) else 0
                return Committed(here.match, number, here.commitment)
            if isinstance(here, told.MatchStatus) and here.phase is CupPhase.SEALED:
                self.call(CommandCode.REVEAL, patience=BEGIN_PATIENCE)
            try:
                message = self.call(CommandCode.COMMIT, patience=BEGIN_PATIENCE)
            except CupRefused as refused:
                if not _is_refused(refused, Refusal.NOT_YET) or self._clock() > end:
                    raise
                self._closing.wait(0.5)
                continue
            if isinstance(message, Committed):
                return message

    def _seal(self, nonces: bytes, chain: bytes, end: float) -> None:
        """The cup says itself that it is sealed with them: its first answer comes before."""
        is_said = False
        while self._clock() < end:
            try:
                if not is_said:
                    self.call(CommandCode.SEAL, nonces, BEGIN_PATIENCE)
                    is_said = True
                last = self.call(CommandCode.LAST, patience=BEGIN_PATIENCE)
            except CupLost:
                is_said = False
                continue
            except CupRefused as refused:
                if not _is_refused(refused, Refusal.NOT_NOW):
                    raise
                # Sealed already, and only the word of it was lost: LAST shows with what.
                last = self.call(CommandCode.LAST, patience=BEGIN_PATIENCE)
            if isinstance(last, told.LastRoll) and last.phase is CupPhase.SEALED:
                if last.tag != chain[: len(last.tag)]:
                    raise CupOutOfStep("the cup is sealed with other nonces: begin another match")
                return
            self._closing.wait(0.05)
        raise CupLost(self._no_answer())

    def close(self) -> None:
        """The port is free again."""
        self._closing.set()
        self._thread.join(PATIENCE)

    def __enter__(self) -> CupConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _done(self, job: Job) -> None:
        """The job was done in the cup's thread; raises what it raised."""
        done: Future[None] = Future()

        def carried_out(client: CupClient) -> None:
            try:
                job(client)
            except HardwareError as error:
                done.set_exception(error)
            else:
                done.set_result(None)

        self._jobs.put(carried_out)
        try:
            done.result(PATIENCE)
        except NotYet:
            raise CupLost(self._no_answer()) from None

    # In the thread of the cup

    def _run(self) -> None:
        pause = SHORTEST_PAUSE
        while not self._closing.is_set():
            port = self._opened()
            if port is None:
                most = ABSENT_PAUSE
            else:
                most = LONGEST_PAUSE
                if self._serve(port):
                    pause = SHORTEST_PAUSE
            self._work()
            self._closing.wait(pause)
            pause = min(2 * pause, most)
        for answer in self._answers.values():
            answer.cancel()

    def _opened(self) -> Port | None:
        try:
            self._show(CupState.SEARCHING)
            self._url = self._search.next()
            self._show(CupState.OPENING)
            return self._open(self._url)
        except NoCup as absent:
            self._show(CupState.SEARCHING, str(absent))
            return None

    def _show(self, state: CupState, why: str | None = None) -> None:
        self._finding = state
        if why is not None:
            self._why = why
        self._on_change()

    def _serve(self, port: Port) -> bool:
        """Talk until the line breaks; whether a cup answered."""
        import serial

        client = self._client
        client.connected(self._clock())
        self._is_open = True
        was_known = False
        try:
            while not self._closing.is_set() and self._turn(port):
                if not was_known and client.state not in (CupState.HANDSHAKING, CupState.LOST):
                    was_known = True
                    _LOGGER.info("the cup at %s answers", self._url)
                    self._search.was_right(self._url)
        except (OSError, serial.SerialException) as error:
            self._why = f"the line broke: {' '.join(str(error).split())}"
        self._is_open = False
        if was_known and not self._closing.is_set():
            _LOGGER.warning("the cup at %s is lost: %s", self._url, self._why)
        self._show(CupState.LOST)
        self._tell(client.lost(self._clock()))
        self._close(port)
        return was_known

    def _turn(self, port: Port) -> bool:
        """One breath of the line; False if it has to be opened anew."""
        self._work()
        notices = self._client.tick(self._clock())
        out = self._client.output()
        if out:
            port.write(out)
        arrived = port.read(1)
        if arrived:
            arrived += port.read(port.in_waiting) if port.in_waiting else b""
            notices += self._client.received(arrived, self._clock())
        self._tell(notices)
        silent = [one for one in notices if isinstance(one, LineSilent)]
        if silent:
            self._why = silent[0].why
        return not silent

    def _work(self) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return
            job(self._client)

    def _tell(self, notices: list[Notice]) -> None:
        for notice in notices:
            match notice:
                case CommandAnswered(token=token, message=message) if token in self._answers:
                    answer = self._answers.pop(token)
                    if answer.set_running_or_notify_cancel():
                        answer.set_result(message)
                case CommandBroken(token=token, why=why) if token in self._answers:
                    answer = self._answers.pop(token)
                    if answer.set_running_or_notify_cancel():
                        answer.set_exception(CupLost(why))
                case _:
                    self.notices.put(notice)
        if notices:
            self._on_change()

    def _close(self, port: Port) -> None:
        import serial

        # pyserial forgets a socket whose other end is gone without closing it.
        inner = getattr(port, "_socket", None)
        with suppress(OSError, serial.SerialException):  # what is gone already
            port.close()
        if inner is not None:
            inner.close()


class _Why(Exception):
    """What a refusal said, as the cause of a `CupRefused`."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(str(refused))
        self.refused = refused


def _is_refused(error: CupRefused, why: Refusal) -> bool:
    cause = error.__cause__
    return isinstance(cause, _Why) and cause.refused.why is why


def _forget(client: CupClient) -> None:
    client.ledger = None
