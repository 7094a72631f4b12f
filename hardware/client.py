"""`CupClient`: one cup's line, sans-I/O. Bytes and the time go in; bytes and notices come out.

One command is under way at a time. A roll is asked for with the number that it must get and a salt
of its own, so that asking again, even after a reset of the cup or another line, gives the same roll
and never a second one. After each handshake the cup is asked where it stands before anything else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from hardware import messages as told
from hardware.errors import BadFrame, CupOutOfStep
from hardware.frames import CupFrame, FrameDecoder
from hardware.messages import Message
from hardware.notices import (
    CommandAnswered,
    CommandBroken,
    LineSilent,
    MatchBroken,
    Notice,
    RollMade,
    UnsolicitedMessage,
)
from hardware.proof import CupRoll
from hardware.protocol import command, is_event, message_of, roll_payload
from hardware.protocol_constants import (
    ANSWER,
    CHECKED,
    MAJOR,
    MINOR,
    REFUSED,
    RING,
    CommandCode,
    Refusal,
    RollPurpose,
)
from hardware.roll_ledger import RequestedRoll, RollLedger, kept_roll, last_roll

TIMEOUT: Final = 0.25
"""Seconds until a command is said again; the slowest answer takes 0.05."""
AGAIN_SOON: Final = 0.005
"""Seconds until it is said again where the line spoilt it or its answer."""
NOT_YET_PAUSE: Final = 0.05
GIVE_UP: Final = 10.0
"""Seconds without the answer, though the cup is heard, after which the line is given up."""
DOUBTS: Final = 3
"""How often a refusal of a malformed command is laid to the line before it is believed: where a
0x00 is lost, two good frames run into one whose CRC is right."""
SILENCE: Final = 3.0
"""Seconds without a word of the cup, which tells its status every second."""


class CupState(Enum):
    """What is shown of a cup."""

    SEARCHING = "searching"
    OPENING = "opening"
    HANDSHAKING = "handshaking"
    READY = "ready"
    ROLLING = "rolling"
    FAULT = "fault"
    LOST = "lost"


@dataclass(slots=True)
class _Command:
    word: CommandCode
    payload: bytes
    take: Callable[[Message], Iterator[Notice]]
    token: int | None = None
    number: int | None = None
    """The id; None before it is first said."""
    due: float = 0.0
    begun: float = 0.0
    doubted: int = 0
    """How often the cup found it malformed, which the line may have made it."""


class CupClient:
    """Talks to one cup over whatever carries its bytes."""

    def __init__(self, random_bytes: Callable[[int], bytes]) -> None:
        self.state = CupState.LOST
        self.identity: told.CupIdentity | None = None
        self.status: told.Status | None = None
        self.ledger: RollLedger | None = None
        self.why = ""
        """What a fault is."""
        self.framer = FrameDecoder()
        self.retries = 0
        self._random = random_bytes
        self._id = int.from_bytes(random_bytes(2), "little")
        self._token = 0
        self._out = bytearray()
        self._now = 0.0
        self._heard_at = 0.0
        self._asked: RequestedRoll | None = None
        self._current: _Command | None = None
        self._urgent: deque[_Command] = deque()
        self._waiting: deque[_Command] = deque()
        self._match: told.MatchStatus | None = None
        self._missing: list[CupRoll] = []
        self._broken: list[Notice] = []
        self._is_astray = False

    # What is wanted

    def ask(self, word: CommandCode, payload: bytes = b"") -> int:
        """The token of a queued command; `CommandAnswered` or `CommandBroken` carries it."""
        self._token += 1
        token = self._token

        def take(message: Message) -> Iterator[Notice]:
            yield CommandAnswered(token, message)

        self._waiting.append(_Command(word, payload, take, token))
        return token

    def roll(self, what: RollPurpose, *, is_armed: bool = False) -> None:
        """The next roll of the match is wanted; `RollMade` tells it, whatever happens meanwhile.

        `CupOutOfStep` if there is no match, or another roll is wanted already.
        """
        if self.ledger is None:
            raise CupOutOfStep("the cup is at no match: begin one first")
        if self._asked is not None:
            raise CupOutOfStep("a roll is being made already")
        wanted = CupRoll(self.ledger.number + 1, what, self._random(4), ())
        self._asked = RequestedRoll(wanted, is_armed)
        if self.state is CupState.READY:
            self._say_roll()

    @property
    def asked(self) -> RequestedRoll | None:
        """The roll that is wanted and not made yet."""
        return self._asked

    def call_off(self) -> None:
        """The roll that was armed is not wanted any more; one that was made meanwhile is told."""
        if self._asked is not None and self._asked.is_armed:
            self._asked = None
            if self.state is CupState.ROLLING:
                self.state = CupState.READY
                self._say_disarm()

    # The line

    def connected(self, now: float) -> None:
        """The line is open: the handshake begins."""
        self._now = self._heard_at = now
        self.framer.clear()
        self._out.clear()
        self._out += b"\0"  # what the last line left half said ends here
        self._shake_hands()

    def lost(self, now: float) -> list[Notice]:
        """The line is gone; commands are given up, a roll is not."""
        self._now = now
        self.state = CupState.LOST
        self._out.clear()
        self._urgent.clear()
        given_up = [one for one in (self._current, *self._waiting) if one is not None]
        self._current = None
        self._waiting.clear()
        return [CommandBroken(c.token, "the line broke") for c in given_up if c.token is not None]

    def output(self) -> bytes:
        """What is to be written now; told once."""
        out = bytes(self._out)
        self._out.clear()
        return out

    def received(self, arrived: bytes, now: float) -> list[Notice]:
        """Bytes of the line, in any pieces."""
        self._now = now
        notices: list[Notice] = []
        for found in self.framer.take(arrived):
            if isinstance(found, BadFrame):
                self._say_again_soon()
                continue
            try:
                message = message_of(found)
            except BadFrame:
                self._say_again_soon()
                continue
            self._heard_at = now
            notices += self._heard(found, message)
        self._go_on()
        return notices + self._given_up()

    def tick(self, now: float) -> list[Notice]:
        """Time has passed; call it four times a second or more, and at `due`."""
        self._now = now
        if self.state is CupState.LOST:
            return []
        if now - self._heard_at > SILENCE:
            return [LineSilent(f"nothing was heard of the cup for {SILENCE:.0f} s")]
        current = self._current
        if current is not None and now - current.begun > GIVE_UP:
            return [LineSilent(f"the cup does not answer {current.word.name}")]
        self._go_on()
        return self._given_up()

    def _given_up(self) -> list[Notice]:
        broken, self._broken = self._broken, []
        return broken

    @property
    def due(self) -> float | None:
        """When `tick` should be called at the latest; None: nothing is under way."""
        return None if self._current is None else self._current.due

    # Commands

    def _go_on(self) -> None:
        if self._current is None:
            if self._urgent:
                self._current = self._urgent.popleft()
            elif self._waiting and self.state in (CupState.READY, CupState.ROLLING, CupState.FAULT):
                self._current = self._waiting.popleft()
            else:
                return
            self._current.begun = self._current.due = self._now
        if self._now >= self._current.due:
            self._say(self._current)

    def _say(self, one: _Command) -> None:
        if one.number is None:
            self._id = (self._id + 1) & 0xFFFF
            one.number = self._id
        else:
            self.retries += 1
        one.due = self._now + TIMEOUT
        self._out += command(one.number, one.word, one.payload).encoded()

    def _say_again_soon(self) -> None:
        if self._current is not None and self._current.number is not None:
            self._current.due = min(self._current.due, self._now + AGAIN_SOON)

    def _heard(self, frame: CupFrame, message: Message) -> Iterator[Notice]:
        if is_event(frame):
            yield from self._on_event(message)
            return
        one = self._current
        if one is None or frame.id != one.number:
            return  # the answer to a command that was said twice
        if frame.type not in (one.word | ANSWER, REFUSED):
            return
        if isinstance(message, told.Refused) and self._is_for_later(message, one):
            return
        self._current = None
        try:
            yield from one.take(message)
        except CupOutOfStep as astray:
            self._is_astray = True
            yield self._fail(str(astray))

    def _is_for_later(self, refused: told.Refused, one: _Command) -> bool:
        match refused.why:
            case Refusal.NOT_YET if one.word is not CommandCode.COMMIT:
                one.due = self._now + NOT_YET_PAUSE
            case Refusal.NOT_CHECKED:
                one.due = self._now
            case Refusal.NOT_THE_SAME:
                one.number, one.due = None, self._now
            case Refusal.NOT_KNOWN | Refusal.NOT_THAT_LONG | Refusal.NOT_IN_RANGE:
                one.doubted, one.due = one.doubted + 1, self._now
                return one.doubted <= DOUBTS
            case _:
                return False
        return True

    # The handshake

    def _shake_hands(self) -> None:
        self.state = CupState.HANDSHAKING
        self._is_astray = False
        self._missing = []
        self._urgent.clear()
        one, self._current = self._current, None
        if one is not None and one.token is not None:
            if one.word in CHECKED:
                self._broken.append(CommandBroken(one.token, "the cup was reset meanwhile"))
            else:
                one.number = None  # the cup has forgotten what it answered
                self._waiting.appendleft(one)
        hello = bytes([MAJOR, MINOR])
        self._urgent.append(_Command(CommandCode.HELLO, hello, self._on_hello))

    def _on_hello(self, message: Message) -> Iterator[Notice]:
        if not isinstance(message, told.CupIdentity):
            raise CupOutOfStep(f"the cup speaks another protocol than {MAJOR}: {message}")
        self.identity = message
        self._urgent.append(_Command(CommandCode.MATCH, b"", self._on_match))
        self._urgent.append(_Command(CommandCode.LAST, b"", self._on_last))
        yield from ()

    def _on_match(self, message: Message) -> Iterator[Notice]:
        if isinstance(message, told.MatchStatus):
            self._match = message
        yield from ()

    def _on_last(self, message: Message) -> Iterator[Notice]:
        if not isinstance(message, told.LastRoll):
            return
        if self.ledger is None:
            self._is_ready()
            return
        yield from self._reconciled(message)

    def _reconciled(self, last: told.LastRoll) -> Iterator[Notice]:
        """The cup's rolls are ours up to its newest; what is missing is fetched from its log."""
        ledger, unit = self.ledger, self.identity
        if ledger is None or unit is None or self._match is None:
            return
        ledger.check(unit.unit, self._match)
        behind = last.number - ledger.number
        newest = last_roll(last)
        if behind == 0:
            if last.tag != ledger.chain[: len(last.tag)]:
                raise CupOutOfStep("the cup's rolls are not those recorded; its proof is broken")
            self._is_ready()
        elif behind == 1 and newest is not None:
            yield from self._missed([newest], last.tag)
        elif 1 < behind <= RING:
            self._fetch(behind - 1, last.tag)
        else:
            raise CupOutOfStep(
                f"the cup has made {behind} rolls that nobody recorded: roll by hand, "
                "or begin a new match"
            )

    def _fetch(self, back: int, tag: bytes) -> None:
        """The log's rolls from `back` before the newest on, one by one."""

        def take(message: Message) -> Iterator[Notice]:
            if not isinstance(message, told.LoggedRoll):
                raise CupOutOfStep(f"the cup's log has a hole: {message}")
            self._missing.append(kept_roll(message))
            if back:
                self._fetch(back - 1, tag)
            else:
                yield from self._missed(self._missing, tag)
                self._missing = []

        self._urgent.append(_Command(CommandCode.LOG, bytes([back]), take))

    def _missed(self, rolls: list[CupRoll], tag: bytes) -> Iterator[Notice]:
        """Rolls that the cup made and that were not told here; all of them or none."""
        ledger = self.ledger
        if ledger is None:
            return
        for roll in rolls:
            ledger = ledger.with_roll(roll)
        if ledger.chain[: len(tag)] != tag:
            raise CupOutOfStep("the cup's rolls do not follow from those recorded")
        self.ledger = ledger
        for roll in rolls:
            yield RollMade(roll, self._is_answer(roll))
        if self._asked is not None:
            self._asked = self._asked.after(ledger.number)
        self._is_ready()

    def _is_answer(self, roll: CupRoll) -> bool:
        """Whether it is the roll that is wanted; then it is wanted no more."""
        asked = self._asked
        if asked is None or replace(roll, faces=()) != asked.roll:
            return False
        self._asked = None
        return True

    def _is_ready(self) -> None:
        fault = 0 if self.status is None else self.status.fault
        self.state = CupState.FAULT if fault else CupState.READY
        self.why = str(told.Faulty(fault)) if fault else ""
        if self._asked is not None and not fault:
            self._say_roll()

    def _fail(self, why: str) -> Notice:
        self.state, self.why = CupState.FAULT, why
        self._asked = None
        self._missing = []
        return MatchBroken(why)

    # Rolls

    def _say_roll(self) -> None:
        asked = self._asked
        if asked is None:
            return
        self.state = CupState.ROLLING
        word = CommandCode.ARM if asked.is_armed else CommandCode.ROLL
        roll = asked.roll
        payload = roll_payload(roll.what, roll.salt, roll.number - 1)
        self._urgent.append(_Command(word, payload, self._on_roll))

    def _say_disarm(self) -> None:
        # Before whatever is armed next: a cup disarmed after that would wait for ever.
        self._urgent.append(_Command(CommandCode.DISARM, b"", _nothing))
        self._urgent.append(_Command(CommandCode.LAST, b"", self._on_last))

    def _on_roll(self, message: Message) -> Iterator[Notice]:
        match message:
            case told.RollMessage():
                yield from self._rolled(message)
            case told.Refused(why=Refusal.NOT_THAT_NUMBER | Refusal.NOT_NOW):
                self._shake_hands()
            case told.Refused():
                yield self._fail(str(message))
            case _:
                pass  # armed: the roll comes when it is thrown

    def _rolled(self, rolled: told.RollMessage) -> Iterator[Notice]:
        ledger, asked = self.ledger, self._asked
        if ledger is None or asked is None:
            return
        roll = asked.made_by(rolled)
        if roll is None or not ledger.follows(roll, rolled.tag):
            self._shake_hands()  # LAST tells whether the line lied or the cup
            return
        self.ledger = ledger.with_roll(roll)
        self._asked = None
        self.state = CupState.READY
        yield RollMade(roll, is_asked=True)

    # What the cup says by itself

    def _on_event(self, message: Message) -> Iterator[Notice]:
        match message:
            case told.Garbled():
                self._say_again_soon()
                return
            case told.CupIdentity():
                if self.state not in (CupState.HANDSHAKING, CupState.LOST):
                    self._shake_hands()  # it was reset: what it was told is forgotten
            case told.RollMessage():
                yield from self._rolled(message)
            case told.Status():
                self._on_status(message)
            case told.Faulty() if self.state is not CupState.LOST:
                self.state, self.why = CupState.FAULT, str(message)
        yield UnsolicitedMessage(message)

    def _on_status(self, status: told.Status) -> None:
        self.status = status
        if self.state is CupState.FAULT and not status.fault and not self._is_astray:
            self._shake_hands()
        elif status.fault and self.state in (CupState.READY, CupState.ROLLING):
            self.state, self.why = CupState.FAULT, str(told.Faulty(status.fault))
        elif self._is_at_rest and self.ledger is not None:
            self._set_right(status, self.ledger)

    @property
    def _is_at_rest(self) -> bool:
        """Whether no command is under way, so that a status tells of what they all led to."""
        is_busy = self._current is not None or self._urgent
        return not is_busy and self.state in (CupState.READY, CupState.ROLLING)

    def _set_right(self, status: told.Status, ledger: RollLedger) -> None:
        """A word of the cup, or to it, that was lost is made good."""
        is_wanted = self._asked is not None and self._asked.is_armed
        if status.number != ledger.number:
            self._shake_hands()  # the roll is fetched
        elif is_wanted and not status.is_armed:
            self._say_roll()
        elif status.is_armed and not is_wanted:
            self._say_disarm()


def _nothing(_message: Message) -> Iterator[Notice]:
    yield from ()
