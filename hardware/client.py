"""The client of one cup, sans-I/O: bytes and the time come in, bytes and notices go out.

One command is in progress at a time. A roll request carries the number that the roll must have and
a salt of its own, so that repeating it, even after a reset of the cup or on another line, yields
the same roll and never a second one. Each handshake starts by asking the cup for its newest roll.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from enum import Enum
from typing import Final

from engine.message import Message, Sentence, join, message_of, msg
from hardware import messages as m
from hardware.commands import AnswerHandler, CommandSender, PendingCommand
from hardware.errors import BadFrame, CupOutOfStep, WrongCup
from hardware.frames import CupFrame, FrameDecoder
from hardware.messages import CupMessage, Notice
from hardware.proof import CupRoll
from hardware.protocol import is_notice, parse_message, roll_payload
from hardware.protocol_constants import (
    MAJOR,
    MINOR,
    RING,
    CommandCode,
    Refusal,
    RollPurpose,
    StatusFlag,
)
from hardware.roll_ledger import RequestedRoll, RollLedger

ANSWER_TIMEOUT_S: Final = 10.0
"""Seconds to wait for an answer from a cup that is sending, before giving up the line."""
SILENCE_TIMEOUT_S: Final = 3.0
"""Seconds of silence before giving up the line; the cup sends its status every second."""


class CupState(Enum):
    """The cup's state as shown to people."""

    SEARCHING = "searching"
    OPENING = "opening"
    HANDSHAKING = "handshaking"
    READY = "ready"
    ROLLING = "rolling"
    FAULT = "fault"
    LOST = "lost"


class CupClient:
    """Talks to one cup over whatever carries its bytes."""

    def __init__(self, random_bytes: Callable[[int], bytes]) -> None:
        self.state = CupState.LOST
        self.identity: m.CupIdentity | None = None
        self.status: m.Status | None = None
        self.ledger: RollLedger | None = None
        self.why: Sentence = ""
        """Why the cup is in its state, such as its fault; empty if all is well."""
        self.requested: RequestedRoll | None = None
        """The roll that has been requested but not made yet."""
        self._is_sent = False
        """Whether the cup may have learned of that request."""
        self._withdrawn: RequestedRoll | None = None
        """The request before it, which was withdrawn; the cup may have carried it out already."""
        self.may_be_armed = False
        """Whether the cup may be armed for a roll that is not requested; it is disarmed first."""
        self._decoder = FrameDecoder()
        self._random = random_bytes
        self._commands = CommandSender(int.from_bytes(random_bytes(2), "little"))
        self._token = 0
        self._out = bytearray()
        self._now = 0.0
        self._last_message_at = 0.0
        self._match: m.MatchStatus | None = None
        self._missing: list[CupRoll] = []
        self._broken: list[Notice] = []
        self._is_out_of_step = False
        self.is_stranger = False
        """Whether it is another cup, or none; during a match it is sent no caller's command."""

    # Requests

    def send(self, code: CommandCode, payload: bytes = b"") -> int:
        """Queue a command; return the token for its `CommandAnswered` or `CommandBroken`."""
        self._token += 1
        token = self._token

        def on_answer(message: CupMessage) -> Iterator[Notice]:
            yield m.CommandAnswered(token, message)

        self._commands.put(PendingCommand(code, payload, on_answer, token))
        return token

    def withdraw(self, token: int) -> None:
        """Drop a command that has not been sent yet."""
        self._commands.withdraw(token)

    def resume(self, ledger: RollLedger, now: float) -> None:
        """Continue a sealed match; whoever had the cup before may have left it armed."""
        self.ledger, self.may_be_armed = ledger, True
        if self.state is not CupState.LOST:
            self.connected(now)

    @property
    def is_recognized(self) -> bool:
        """Whether the device is the match's cup, and is at that match; any cup if there is none."""
        is_known = self.state not in (CupState.HANDSHAKING, CupState.LOST)
        return is_known and not self._is_out_of_step

    def forget(self, now: float) -> None:
        """Forget the cup's match: from now on any cup will do."""
        self.ledger = None
        if self._is_out_of_step and self.state is not CupState.LOST:
            self.connected(now)

    def roll(
        self, what: RollPurpose, *, is_armed: bool = False, turn: Hashable | None = None
    ) -> None:
        """Request the next roll of the match; `RollMade` delivers it, even if the line breaks.

        turn: what the caller wants it for, which `RollMade` repeats.

        Raises `CupOutOfStep` if there is no match, or if another roll is already requested.
        """
        if self.ledger is None:
            raise CupOutOfStep(msg("the cup is not in a match: start one first"))
        if self.requested is not None:
            raise CupOutOfStep(msg("a roll is already in progress"))
        wanted = self.ledger.as_next(CupRoll(0, what, self._random(4), ()))
        self.requested, self._is_sent = RequestedRoll(wanted, is_armed, turn), False
        if self.state is CupState.READY and not self.may_be_armed:
            self._send_roll()

    def cancel_roll(self) -> None:
        """Withdraw the request for a roll; one already made is still delivered, for its turn.

        The next request is sent once the cup has confirmed that it is no longer armed: otherwise a
        throw could not be told from one for the request before.
        """
        requested, self.requested = self.requested, None
        if requested is None or not self._is_sent:
            return
        self._withdrawn, self.may_be_armed = requested, True
        if self.state is CupState.ROLLING:
            self.state = CupState.READY
            self._send_disarm()

    # The line

    def connected(self, now: float) -> None:
        """Begin the handshake: the line is open."""
        self._now = self._last_message_at = now
        self._decoder.clear()
        self._out.clear()
        self._out += b"\0"  # ends a frame that was half sent on the previous line
        self._start_handshake()

    def lost(self, now: float) -> list[Notice]:
        """Handle the loss of the line: commands are given up, a requested roll is not."""
        self._now = now
        self.state = CupState.LOST
        self._out.clear()
        why = msg("the connection broke")
        return [m.CommandBroken(one.token or 0, why) for one in self._commands.clear()]

    def output(self) -> bytes:
        """Return the bytes to write now, each once."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def received(self, arrived: bytes, now: float) -> list[Notice]:
        """Process bytes from the line, in pieces of any size."""
        self._now = now
        notices: list[Notice] = []
        for frame in self._decoder.feed(arrived):
            try:
                if isinstance(frame, BadFrame):
                    raise frame
                message = parse_message(frame)
            except BadFrame:
                self._commands.retry_soon(now)
                continue
            self._last_message_at = now
            notices += self._on_message(frame, message)
        self._send_next()
        return notices + self._given_up()

    def tick(self, now: float) -> list[Notice]:
        """Process the passage of time: call it at least four times a second, and at `due`."""
        self._now = now
        if self.state is CupState.LOST:
            return []
        if now - self._last_message_at > SILENCE_TIMEOUT_S:
            seconds = round(SILENCE_TIMEOUT_S)
            silence = msg("no sign of the cup for {silence} s", silence=seconds)
            return [m.LineSilent(silence)]
        current = self._commands.current
        if current is not None and now - current.started > ANSWER_TIMEOUT_S:
            return [m.LineSilent(msg("the cup does not respond to {name}", name=current.code.name))]
        self._send_next()
        return self._given_up()

    @property
    def due(self) -> float | None:
        """When `tick` must be called at the latest; None if nothing is in progress."""
        current = self._commands.current
        return None if current is None else current.due

    def _given_up(self) -> list[Notice]:
        broken, self._broken = self._broken, []
        return broken

    def _send_next(self) -> None:
        is_known = self.state in (CupState.READY, CupState.ROLLING, CupState.FAULT)
        is_ready = is_known and not (self.is_stranger and self.ledger is not None)
        self._out += self._commands.next_frame(self._now, is_ready=is_ready)

    def _put(self, code: CommandCode, payload: bytes, on_answer: AnswerHandler) -> None:
        self._commands.put(PendingCommand(code, payload, on_answer))

    def _on_message(self, frame: CupFrame, message: CupMessage) -> Iterator[Notice]:
        if is_notice(frame):
            yield from self._on_notice(message)
            return
        answered = self._commands.answered(frame, message, self._now)
        if answered is None:
            return
        try:
            yield from answered.on_answer(message)
        except CupOutOfStep as error:
            self._is_out_of_step, self.is_stranger = True, isinstance(error, WrongCup)
            yield self._fail(message_of(error))

    # The handshake

    def _start_handshake(self) -> None:
        self.state = CupState.HANDSHAKING
        self._is_out_of_step = self.is_stranger = False
        self._missing = []
        broken = self._commands.restart()
        if broken is not None and broken.token is not None:
            self._broken.append(
                m.CommandBroken(broken.token, msg("the cup was reset in the meantime"))
            )
        self._put(CommandCode.HELLO, bytes([MAJOR, MINOR]), self._on_hello)

    def _on_hello(self, message: CupMessage) -> Iterator[Notice]:
        if not isinstance(message, m.CupIdentity):
            raise WrongCup(
                msg(
                    "the cup does not speak protocol {major}: {message}",
                    major=MAJOR,
                    message=_sentence(message),
                )
            )
        if message.major != MAJOR:
            version = f"{message.major}.{message.minor}"
            raise WrongCup(
                msg(
                    "the cup does not speak protocol {major}: {message}",
                    major=MAJOR,
                    message=version,
                )
            )
        self.identity = message
        self._put(CommandCode.MATCH, b"", self._on_match)
        self._put(CommandCode.LAST, b"", self._on_last)
        yield from ()

    def _on_match(self, message: CupMessage) -> Iterator[Notice]:
        if isinstance(message, m.MatchStatus):
            self._match = message
        yield from ()

    def _on_last(self, message: CupMessage) -> Iterator[Notice]:
        if not isinstance(message, m.LastRoll):
            return
        if self.ledger is None:
            self._set_ready()
            return
        yield from self._reconcile(message)

    def _reconcile(self, last: m.LastRoll) -> Iterator[Notice]:
        """Catch up with the cup's newest roll; fetch missing rolls from its log."""
        ledger, identity = self.ledger, self.identity
        if ledger is None or identity is None or self._match is None:
            return
        ledger.check(identity.unit, self._match)
        behind = last.number - ledger.number
        newest = last.roll
        if behind == 0:
            if last.tag != ledger.chain[: len(last.tag)]:
                others = msg("the cup's rolls differ from those recorded")
                raise CupOutOfStep(join([others, msg("its proof does not hold")]))
            self._set_ready()
        elif behind == 1 and newest is not None:
            yield from self._add_missed([newest], last.tag)
        elif 1 < behind <= RING:
            self._fetch(behind - 1, last.tag)
        elif behind < 0:
            raise CupOutOfStep(
                msg(
                    "the cup has forgotten recorded rolls ({number}): roll by hand, or start a new "
                    "match",
                    number=-behind,
                )
            )
        else:
            raise CupOutOfStep(
                msg(
                    "the cup made {behind} rolls that were not recorded: roll by hand, or start a "
                    "new match",
                    behind=behind,
                )
            )

    def _fetch(self, back: int, tag: bytes) -> None:
        """Fetch from the log, one by one, the rolls from `back` before the newest onward."""

        def on_answer(message: CupMessage) -> Iterator[Notice]:
            if not isinstance(message, m.LoggedRoll):
                hole = _sentence(message)
                raise CupOutOfStep(msg("the cup's log has a gap: {message}", message=hole))
            self._missing.append(message.roll)
            if back:
                self._fetch(back - 1, tag)
            else:
                yield from self._add_missed(self._missing, tag)
                self._missing = []

        self._put(CommandCode.LOG, bytes([back]), on_answer)

    def _add_missed(self, rolls: list[CupRoll], tag: bytes) -> Iterator[Notice]:
        """Add rolls that the cup made unnoticed: all of them or none."""
        ledger = self.ledger
        if ledger is None:
            return
        for roll in rolls:
            ledger = ledger.with_roll(roll)
        if ledger.chain[: len(tag)] != tag:
            raise CupOutOfStep(msg("the cup's rolls do not continue those recorded"))
        self.ledger = ledger
        for roll in rolls:
            yield self._made(roll)
        self._renumber_request(ledger)
        self._set_ready()

    def _renumber_request(self, ledger: RollLedger) -> None:
        """Give the request, if it is not made yet, the next number: other rolls came before it."""
        if self.requested is not None:
            wanted = ledger.as_next(self.requested.roll)
            self.requested, self._is_sent = replace(self.requested, roll=wanted), False

    @property
    def _open_requests(self) -> list[RequestedRoll]:
        """The requests that the cup may carry out or have carried out, the older one first."""
        sent = self.requested if self._is_sent else None
        return [one for one in (self._withdrawn, sent) if one is not None]

    def _made(self, roll: CupRoll) -> m.RollMade:
        """The notice of a roll; the request behind it, if any, is cleared."""
        asked = replace(roll, faces=())
        request = next((one for one in self._open_requests if one.roll == asked), None)
        self._withdrawn = None  # the numbers have passed it
        if request is None:
            return m.RollMade(roll, is_asked=False)
        wanted = self.requested
        # One made just before its request was withdrawn is also the one requested again since.
        if wanted is request or (
            wanted and wanted.turn is not None and wanted.turn == request.turn
        ):
            self.requested = None
        return m.RollMade(roll, is_asked=True, turn=request.turn)

    def _set_ready(self) -> None:
        fault = 0 if self.status is None else self.status.fault
        self.state = CupState.FAULT if fault else CupState.READY
        self.why = m.Faulty(fault).sentence if fault else ""
        if fault:
            return
        if self.may_be_armed:
            self._send_disarm()
        elif self.requested is not None:
            self._send_roll()

    def _fail(self, why: Sentence) -> Notice:
        self.state, self.why = CupState.FAULT, why
        if not self.is_stranger:  # another cup says nothing about what was requested from ours
            self.requested = None
        self._missing = []
        return m.MatchBroken(why)

    # Rolls

    def _send_roll(self) -> None:
        requested = self.requested
        if requested is None:
            return
        self.state, self._is_sent = CupState.ROLLING, True
        code = CommandCode.ARM if requested.is_armed else CommandCode.ROLL
        roll = requested.roll
        self._put(code, roll_payload(roll.what, roll.salt, roll.number - 1), self._on_roll)

    def _send_disarm(self) -> None:
        """Disarm the cup, then compare its newest roll: it may have been made just before."""
        self.may_be_armed = True
        self._put(CommandCode.DISARM, b"", lambda _: iter(()))
        self._put(CommandCode.LAST, b"", self._on_last_disarmed)

    def _on_last_disarmed(self, message: CupMessage) -> Iterator[Notice]:
        self.may_be_armed = False
        yield from self._on_last(message)
        self._withdrawn = None

    def _on_roll(self, message: CupMessage) -> Iterator[Notice]:
        match message:
            case m.RollMessage():
                yield from self._rolled(message)
            case m.Refused(why=Refusal.NOT_THAT_NUMBER | Refusal.NOT_NOW):
                self._start_handshake()
            case m.Refused():
                yield self._fail(message.sentence)
            case _:
                pass  # armed: the roll comes with the next throw

    def _rolled(self, rolled: m.RollMessage) -> Iterator[Notice]:
        ledger, requests = self.ledger, self._open_requests
        if ledger is None or not requests:
            return
        made = (one.made_by(rolled) for one in requests)
        roll = next((one for one in made if one is not None), None)
        if roll is None or not ledger.is_next(roll, rolled.tag):
            self._start_handshake()  # LAST shows whether the line or the cup was wrong
            return
        self.ledger = ledger.with_roll(roll)
        self.state = CupState.READY
        notice = self._made(roll)
        self._renumber_request(self.ledger)
        yield notice

    # Messages that answer no command

    def _on_notice(self, message: CupMessage) -> Iterator[Notice]:
        match message:
            case m.Garbled():
                self._commands.retry_soon(self._now)
                return
            case m.CupIdentity():
                if self.state not in (CupState.HANDSHAKING, CupState.LOST):
                    self._start_handshake()  # it was reset, and has forgotten its commands
            case m.RollMessage():
                yield from self._rolled(message)
            case m.Status():
                self._on_status(message)
            case m.Faulty() if self.state is not CupState.LOST:
                self.state, self.why = CupState.FAULT, message.sentence
        yield m.UnsolicitedMessage(message)

    def _on_status(self, status: m.Status) -> None:
        self.status = status
        if self.state is CupState.FAULT and not status.fault and not self._is_out_of_step:
            self._start_handshake()
        elif self.state not in (CupState.READY, CupState.ROLLING):
            return
        elif status.fault:
            self.state, self.why = CupState.FAULT, m.Faulty(status.fault).sentence
        elif self._commands.is_idle and self.ledger is not None:
            self._resynchronise(status, self.ledger)

    def _resynchronise(self, status: m.Status, ledger: RollLedger) -> None:
        """Recover a message that was lost on the line; no command is in progress."""
        is_wanted = self.requested is not None and self.requested.is_armed
        is_armed = StatusFlag.ARMED in status.flags
        if status.number != ledger.number:
            self._start_handshake()  # the roll is fetched
        elif is_wanted and not is_armed and not self.may_be_armed:
            self._send_roll()
        elif is_armed and not is_wanted:
            self._send_disarm()


def _sentence(message: CupMessage) -> Message | str:
    return message.sentence if isinstance(message, m.Refused | m.Faulty) else str(message)
