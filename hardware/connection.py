"""A cup on a serial line, served by a thread of its own.

The thread opens the port, feeds the sans-I/O client, and reopens the port whenever it breaks.
Requests go into its queue; the cup's notices come out of `notices`.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Final

from engine.message import Message, Sentence, message_of, msg
from hardware.client import CupClient, CupState
from hardware.errors import CupLost, CupRefused, HardwareError, NoCup
from hardware.messages import (
    CommandAnswered,
    CommandBroken,
    CupIdentity,
    CupMessage,
    LineSilent,
    Notice,
    Refused,
    Status,
)
from hardware.ports import Open, Port, PortSearch, open_port
from hardware.protocol_constants import MAJOR, MINOR, CommandCode, RollPurpose
from hardware.roll_ledger import RollLedger

ANSWER_TIMEOUT_S: Final = 5.0
MIN_PAUSE_S: Final = 0.25
MAX_SEARCH_PAUSE_S: Final = 1.0
"""The longest pause between two searches for a missing port; searching costs next to nothing."""
MAX_RETRY_PAUSE_S: Final = 5.0
"""The longest pause between two attempts at a port on which no cup answers."""
LOOK_ROUND_S: Final = 1.0
"""How often other ports are looked for while the device at this one is not the match's cup."""
DISARM_S: Final = 0.5
"""The longest time that closing takes to leave the cup unarmed."""

_LOGGER: Final = logging.getLogger(__name__)

Job = Callable[[CupClient], object]


@dataclass(frozen=True, slots=True)
class CupView:
    """The cup's state, for display."""

    state: CupState
    why: Sentence
    """The fault, or the port being searched for; empty if all is well."""
    url: str
    identity: CupIdentity | None
    status: Status | None

    def __str__(self) -> str:
        return f"{self.state.value}: {self.why}" if self.why else self.state.value


class CupConnection:
    """A cup; `close` it or use it in a `with` statement. Its methods are thread-safe."""

    def __init__(
        self,
        search: PortSearch,
        *,
        opener: Open = open_port,
        random_bytes: Callable[[int], bytes] = os.urandom,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.notices: SimpleQueue[Notice] = SimpleQueue()
        self._search, self._open, self._clock = search, opener, clock
        self._client = CupClient(random_bytes)
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._answers: dict[int, Future[CupMessage]] = {}
        self._closing = threading.Event()
        self._url = search.url or ""
        self._why: Sentence = msg("searching")
        self._finding = CupState.SEARCHING
        self._is_open = False
        self._look_round_at = 0.0
        self._thread = threading.Thread(target=self._run, name="cup", daemon=True)
        self._thread.start()

    @property
    def view(self) -> CupView:
        """The current state."""
        client = self._client
        if self._is_open:
            return CupView(client.state, client.why, self._url, client.identity, client.status)
        return CupView(self._finding, self._why, self._url, client.identity, None)

    @property
    def ledger(self) -> RollLedger | None:
        """The match at the cup, up to its newest roll."""
        return self._client.ledger

    @property
    def requested(self) -> RollPurpose | None:
        """The purpose of the roll that has been requested but not made yet."""
        requested = self._client.requested
        return None if requested is None else requested.roll.what

    def call(
        self, code: CommandCode, payload: bytes = b"", patience: float = ANSWER_TIMEOUT_S
    ) -> CupMessage:
        """Send a command and return its answer.

        Raises `CupLost` if none comes within `patience` seconds, and then withdraws the command if
        it was not sent yet; `CupRefused` if the cup refuses.
        """
        answer: Future[CupMessage] = Future()
        tokens: list[int] = []

        def job(client: CupClient) -> None:
            tokens.append(client.send(code, payload))
            self._answers[tokens[0]] = answer

        def withdraw(client: CupClient) -> None:
            client.withdraw(tokens[0])
            self._answers.pop(tokens[0], None)

        self._jobs.put(job)
        try:
            message = answer.result(patience)
        except NotYet:
            self._jobs.put(withdraw)  # or it would be carried out once there is a cup, unexpectedly
            raise CupLost(self.no_answer) from None
        except CancelledError:
            raise CupLost(msg("the cup is no longer in use")) from None
        if isinstance(message, Refused):
            raise CupRefused(message.sentence, message.why)
        return message

    @property
    def no_answer(self) -> Message:
        """A message that the cup does not answer, with its state."""
        view = self.view
        return msg(
            "the cup does not answer ({state}{why}{why_})",
            state=view.state.value,
            why=": " if view.why else "",
            why_=view.why,
        )

    def wait_ready(self, patience: float) -> CupIdentity:
        """Wait for the cup to answer and return its identity; raises `NoCup` if it does not."""
        message, end = None, time.monotonic() + patience
        while message is None:
            left = max(end - time.monotonic(), 0.0)
            try:
                message = self.call(CommandCode.HELLO, bytes([MAJOR, MINOR]), left)
            except CupLost:  # the line may have broken, or led to another cup
                if self._closing.is_set() or time.monotonic() >= end:
                    raise NoCup(self.view.why or self.no_answer) from None
        if not isinstance(message, CupIdentity):
            raise NoCup(msg("the device that answers is not a cup"))
        if message.major != MAJOR:
            raise NoCup(self.view.why or self.no_answer)
        return message

    def roll(self, what: RollPurpose, *, is_armed: bool = False) -> None:
        """Request a roll; `RollMade` comes out of `notices`, however long that takes."""
        self._do(lambda client: client.roll(what, is_armed=is_armed))

    def keep_armed(
        self, what: RollPurpose | None, turn: Hashable | None = None, after: int | None = None
    ) -> None:
        """Make the next throw a roll for `what` in `turn`, or no roll for None; does not wait.

        after: the newest roll that the caller knows; if the cup has made another one since, nothing
        is requested, as that may be the one wanted.

        A roll already requested for both stays so, any other is withdrawn. One made in the meantime
        still comes out of `notices`, with the turn that it was requested for.
        """

        def job(client: CupClient) -> None:
            requested = client.requested
            if _has_rolled_since(client, after):
                return
            if requested is not None and (requested.roll.what, requested.turn) != (what, turn):
                client.cancel_roll()
            if what is not None and client.requested is None and client.ledger is not None:
                client.roll(what, is_armed=True, turn=turn)

        self._jobs.put(job)

    def roll_now(
        self, what: RollPurpose, turn: Hashable | None = None, after: int | None = None
    ) -> None:
        """Request a roll without a shake, instead of an armed one; does not wait.

        after: as in `keep_armed`.
        """

        def job(client: CupClient) -> None:
            if _has_rolled_since(client, after):
                return
            if client.requested is not None and client.requested.is_armed:
                client.cancel_roll()
            if client.requested is None and client.ledger is not None:
                client.roll(what, turn=turn)

        self._jobs.put(job)

    def cancel_roll(self) -> None:
        """Withdraw the request for a roll."""
        self._do(CupClient.cancel_roll)

    def resume(self, ledger: RollLedger) -> None:
        """Continue a sealed match; rolls made in the meantime come out of `notices`."""
        self._do(lambda client: client.resume(ledger, self._clock()))

    def forget_match(self) -> None:
        """Forget the cup's match; the next one must be sealed."""

        def job(client: CupClient) -> None:
            client.forget(self._clock())

        self._do(job)

    def light(self, colour: int, *, is_blinking: bool = False) -> None:
        """Light the lamp in `colour` (bits red, green, blue; 0 for off); does not wait."""
        payload = bytes([colour, is_blinking])
        self._jobs.put(lambda client: client.send(CommandCode.LED, payload))

    def close(self) -> None:
        """Free the port; the cup is left unarmed if it responds."""
        self._closing.set()
        self._thread.join(ANSWER_TIMEOUT_S)

    def __enter__(self) -> CupConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, job: Job) -> None:
        """Run the job in the cup's thread; raises what it raises."""
        done: Future[None] = Future()

        def run(client: CupClient) -> None:
            try:
                job(client)
            except HardwareError as error:
                done.set_exception(error)
            else:
                done.set_result(None)

        self._jobs.put(run)
        try:
            done.result(ANSWER_TIMEOUT_S)
        except NotYet:
            raise CupLost(self.no_answer) from None

    # In the cup's thread

    def _run(self) -> None:
        pause = MIN_PAUSE_S
        while not self._closing.is_set():
            port = self._open_next()
            if port is None:
                most = MAX_SEARCH_PAUSE_S
            else:
                most = MAX_RETRY_PAUSE_S
                if self._serve(port):
                    pause = MIN_PAUSE_S
            self._run_jobs()
            self._closing.wait(pause)
            pause = min(2 * pause, most)
        for answer in self._answers.values():
            answer.cancel()

    def _open_next(self) -> Port | None:
        try:
            self._finding = CupState.SEARCHING
            self._url = self._search.next()
            self._finding = CupState.OPENING
            return self._open(self._url)
        except NoCup as error:
            self._finding, self._why = CupState.SEARCHING, message_of(error)
            return None

    def _serve(self, port: Port) -> bool:
        """Serve the line until it breaks or another must be tried; return whether it was right."""
        import serial

        client = self._client
        client.connected(self._clock())
        self._is_open = True
        was_known = False
        try:
            while not self._closing.is_set() and self._exchange(port):
                if client.is_stranger and self._is_another_there():
                    was_known, self._why = False, client.why
                    _LOGGER.warning("%s: %s", self._url, client.why)
                    self._search.was_wrong()
                    break
                if not was_known and client.is_recognized:
                    was_known = True
                    _LOGGER.info("the cup at %s responds", self._url)
                    self._search.was_right(self._url)
            if self._closing.is_set():
                self._disarm(port)
        except (OSError, serial.SerialException) as error:
            self._why = msg("the connection broke: {split}", split=message_of(error))
        self._is_open = False
        if was_known and not self._closing.is_set():
            _LOGGER.warning("the cup at %s is lost: %s", self._url, self._why)
        self._finding = CupState.LOST
        self._deliver(client.lost(self._clock()))
        _close(port)
        return was_known

    def _is_another_there(self) -> bool:
        """Whether there is another port to try; looked up now and then."""
        now = self._clock()
        if now < self._look_round_at:
            return False
        self._look_round_at = now + LOOK_ROUND_S
        return self._search.has_another(self._url)

    def _disarm(self, port: Port) -> None:
        """Before the port is freed, withdraw what is requested: a shake afterward rolls nothing."""
        client = self._client
        self._run_jobs()
        client.cancel_roll()
        end = self._clock() + DISARM_S
        while client.may_be_armed and self._clock() < end and self._exchange(port):
            pass

    def _exchange(self, port: Port) -> bool:
        """Write and read what is there now; return False if the line must be reopened."""
        self._run_jobs()
        notices = self._client.tick(self._clock())
        out = self._client.output()
        if out:
            port.write(out)
        arrived = port.read(1)
        if arrived:
            arrived += port.read(port.in_waiting) if port.in_waiting else b""
            notices += self._client.received(arrived, self._clock())
        self._deliver(notices)
        silent = [one for one in notices if isinstance(one, LineSilent)]
        if silent:
            self._why = silent[0].why
        return not silent

    def _run_jobs(self) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return
            job(self._client)

    def _deliver(self, notices: list[Notice]) -> None:
        for notice in notices:
            match notice:
                case CommandAnswered(token=token, message=message) if token in self._answers:
                    self._answers.pop(token).set_result(message)
                case CommandBroken(token=token, why=why) if token in self._answers:
                    self._answers.pop(token).set_exception(CupLost(why))
                case _:
                    self.notices.put(notice)


def _has_rolled_since(client: CupClient, number: int | None) -> bool:
    return number is not None and client.ledger is not None and client.ledger.number != number


def _close(port: Port) -> None:
    import serial

    # pyserial drops a socket whose other end has gone without closing it.
    inner = getattr(port, "_socket", None)
    with suppress(OSError, serial.SerialException):  # already gone
        port.close()
    if inner is not None:
        inner.close()
