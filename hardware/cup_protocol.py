"""The cup's messages as values; `hardware/PROTOCOL.md` is their document.

A frame that passes its CRC is not believed for that: its type must be known, its length exact, and
every value in its range, else it is a `BadFrame`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Final

from engine.position import Side
from hardware.errors import BadFrame
from hardware.frames import Frame, arc

MAJOR: Final = 1
MINOR: Final = 0
RING: Final = 32
"""Rolls that a cup keeps for LOG."""


class Word(IntEnum):
    """Commands to the cup; an answer is its command's number + 0x80."""

    HELLO = 0x01
    STATUS = 0x02
    COMMIT = 0x10
    SEAL = 0x11
    ARM = 0x12
    DISARM = 0x13
    ROLL = 0x14
    LAST = 0x15
    REVEAL = 0x16
    LOG = 0x17
    FACES = 0x18
    MATCH = 0x19
    LED = 0x20
    PLAYER = 0x21
    SELFTEST = 0x22


ANSWER: Final = 0x80
REFUSED: Final = 0xFF
CHECKED: Final = frozenset({Word.COMMIT, Word.SEAL, Word.ARM, Word.ROLL, Word.REVEAL})
"""What changes something: a second CRC stands at the end of the payload."""


class Came(IntEnum):
    """What the cup tells by itself."""

    STATUS = 0x40
    BOOT = 0x41
    LIFT = 0x42
    SHAKE = 0x43
    POUR = 0x44
    ROLL = 0x45
    BATTERY = 0x46
    FAULT = 0x47
    GARBLED = 0x48


class Kind(IntEnum):
    """What is rolled."""

    ONE = 1
    TWO = 2
    OPENING = 3
    """One die each: light's, then dark's."""


class Phase(IntEnum):
    """How far the cup's match is."""

    NONE = 0
    COMMITTED = 1
    SEALED = 2
    REVEALED = 3


class Refusal(IntEnum):
    """Why a cup will not."""

    NOT_KNOWN = 1
    NOT_THAT_LONG = 2
    NOT_IN_RANGE = 3
    NOT_NOW = 4
    NOT_YET = 5
    NOT_THAT_NUMBER = 6
    NOT_WELL = 7
    NOT_THE_SAME = 8
    NOT_CHECKED = 9


REFUSALS: Final = {
    Refusal.NOT_KNOWN: "it does not know this command",
    Refusal.NOT_THAT_LONG: "the command has a wrong length",
    Refusal.NOT_IN_RANGE: "a value of the command is out of range",
    Refusal.NOT_NOW: "its match is not at that point",
    Refusal.NOT_YET: "it is not ready for that yet",
    Refusal.NOT_THAT_NUMBER: "its count of rolls is another",
    Refusal.NOT_WELL: "it has a fault",
    Refusal.NOT_THE_SAME: "the number of the command was used for another",
    Refusal.NOT_CHECKED: "the command's second checksum is wrong",
}
FAULTS: Final = {
    1: "its clock noise repeats itself",
    2: "its clock noise is one-sided",
    3: "its open pin's noise repeats itself",
    4: "its open pin's noise is one-sided",
    5: "its memory does not hold what is written",
    6: "its hash is wrong",
    7: "it cannot read back the match that was going on",
}


class Can(IntFlag):
    """Capabilities."""

    SHAKE = 1
    LIFT = 2
    TILT = 4
    LAMP = 8
    FACES = 16
    BATTERY = 32


@dataclass(frozen=True, slots=True)
class What:
    """What a roll is: its kind, and whose; an opening is nobody's."""

    kind: Kind
    player: Side | None = None

    def __int__(self) -> int:
        players = {None: 0, Side.LIGHT: 1, Side.DARK: 2}
        return self.kind | players[self.player] << 2

    @classmethod
    def of(cls, byte: int) -> What:
        """The inverse of `int`; `BadFrame` if it is none."""
        if byte & 3 == 0 or byte >> 2 > 2:
            raise BadFrame(f"{byte} is no kind of roll")
        return cls(Kind(byte & 3), (None, Side.LIGHT, Side.DARK)[byte >> 2])


def faces_of(byte: int, kind: Kind) -> tuple[int, ...]:
    """One face or two; `BadFrame` unless they are what `kind` throws."""
    first, second = byte >> 3, byte & 7
    faces = (first,) if kind is Kind.ONE and second == 0 else (first, second)
    if not all(1 <= face <= 6 for face in faces):
        raise BadFrame(f"{byte} is no roll of that kind")
    return faces


def faces_byte(faces: tuple[int, ...]) -> int:
    """The inverse of `faces_of`."""
    return 8 * faces[0] + (faces[1] if len(faces) > 1 else 0)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answers: HELLO and BOOT."""

    major: int
    minor: int
    firmware: tuple[int, int]
    build: int
    unit: bytes
    can: Can
    reset_cause: int
    """MCUSR: 1 power, 2 reset pin, 4 brown-out, 8 watchdog."""
    starts: int
    session: int


@dataclass(frozen=True, slots=True)
class Status:
    """How the cup is: STATUS, and once a second by itself."""

    phase: Phase
    is_prepared: bool
    is_armed: bool
    is_busy: bool
    is_weak: bool
    fault: int
    pins: int
    battery_mv: int
    uptime_s: int
    number: int
    good: int
    bad: int
    overruns: int


@dataclass(frozen=True, slots=True)
class Committed:
    """A match began: the seed's commitment is told before any nonce is."""

    match: int
    number: int
    commitment: bytes


@dataclass(frozen=True, slots=True)
class Sealed:
    """The nonces are bound in; `tag` begins the chain."""

    number: int
    tag: bytes


@dataclass(frozen=True, slots=True)
class Rolled:
    """A roll was made; `number` is the lower half of the cup's count."""

    number: int
    what: What
    faces: tuple[int, ...]
    tag: bytes


@dataclass(frozen=True, slots=True)
class Last:
    """Where the cup stands; `what` is None before the match's first roll."""

    phase: Phase
    match: int
    number: int
    what: What | None
    faces: tuple[int, ...]
    salt: bytes
    tag: bytes


@dataclass(frozen=True, slots=True)
class Revealed:
    """The match is over: its seed."""

    match: int
    number: int
    seed: bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """A roll out of the cup's log."""

    number: int
    what: What
    faces: tuple[int, ...]
    salt: bytes


@dataclass(frozen=True, slots=True)
class Shown:
    """What the cup's display shows: the faces as a byte, 0 for none."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class MatchTold:
    """Which match the cup is at, and after which roll it was sealed."""

    phase: Phase
    match: int
    first: int
    commitment: bytes


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the cup found of itself; samples of each noise since its start-up test began."""

    hash_works: bool
    memory_works: bool
    clock_tripped: int
    clock_samples: int
    noise_tripped: int
    noise_samples: int
    is_prepared: bool


@dataclass(frozen=True, slots=True)
class Done:
    """The cup has done it, and has nothing to add."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The cup will not."""

    why: Refusal
    detail: int

    def __str__(self) -> str:
        if self.why is Refusal.NOT_WELL:
            return f"the cup refuses: {FAULTS.get(self.detail, f'fault {self.detail}')}"
        return f"the cup refuses: {REFUSALS[self.why]}"


@dataclass(frozen=True, slots=True)
class Lifted:
    """The cup left its base, or stands on it again."""

    is_up: bool


@dataclass(frozen=True, slots=True)
class Shaken:
    """The cup was shaken."""


@dataclass(frozen=True, slots=True)
class Poured:
    """The cup was turned over after a shake: the dice are out."""


@dataclass(frozen=True, slots=True)
class Battery:
    """The battery became weak, or well again."""

    battery_mv: int
    is_weak: bool


@dataclass(frozen=True, slots=True)
class Faulty:
    """The cup fell ill; it makes no roll until a self-test finds it well."""

    fault: int

    def __str__(self) -> str:
        return f"the cup has a fault: {FAULTS.get(self.fault, f'number {self.fault}')}"


@dataclass(frozen=True, slots=True)
class Garbled:
    """The cup received a frame that it could not read."""


Message = (
    Identity | Status | Committed | Sealed | Rolled | Last | Revealed | Kept | Shown | MatchTold
    | SelfTest | Done | Refused | Lifted | Shaken | Poured | Battery | Faulty | Garbled
)  # fmt: skip


def command(number: int, word: Word, payload: bytes = b"") -> Frame:
    """The frame of a command, with its second check where it changes something."""
    if word in CHECKED:
        payload += check_of(number, word, payload).to_bytes(2, "little")
    return Frame(number, word, payload)


def check_of(number: int, word: int, payload: bytes) -> int:
    """The second check: over the type, the id and the payload."""
    return arc(struct.pack("<BH", word, number) + payload)


def roll_payload(what: What, salt: bytes, after: int) -> bytes:
    """Of ROLL and ARM: the roll is made only if the cup's count is `after` still."""
    return struct.pack("<B4sH", int(what), salt, after & 0xFFFF)


def _identity(payload: bytes) -> Identity:
    major, minor, fw, fw_minor, build, unit, can, cause, starts, session = struct.unpack(
        "<BBBBI8sHBHH", payload
    )
    return Identity(
        major, minor, (fw, fw_minor), build, unit, Can(can & 63), cause, starts, session
    )


def _status(payload: bytes) -> Status:
    state, fault, pins, battery, uptime, number, good, bad, overruns = struct.unpack(
        "<BBBHIIHHH", payload
    )
    if state >> 6 or pins > 7:
        raise BadFrame("a status has bits that mean nothing")
    return Status(
        phase=Phase(state & 3),
        is_prepared=bool(state & 4),
        is_armed=bool(state & 8),
        is_busy=bool(state & 16),
        is_weak=bool(state & 32),
        fault=fault,
        pins=pins,
        battery_mv=battery,
        uptime_s=uptime,
        number=number,
        good=good,
        bad=bad,
        overruns=overruns,
    )


def _committed(payload: bytes) -> Committed:
    return Committed(*struct.unpack("<HI32s", payload))


def _sealed(payload: bytes) -> Sealed:
    return Sealed(*struct.unpack("<I4s", payload))


def _rolled(payload: bytes) -> Rolled:
    number, what, faces, tag = struct.unpack("<HBB4s", payload)
    known = What.of(what)
    return Rolled(number, known, faces_of(faces, known.kind), tag)


def _armed(payload: bytes) -> Rolled | Done:
    """A roll where the one that is to be armed was made before."""
    return _rolled(payload) if payload else Done()


def _last(payload: bytes) -> Last:
    phase, match, number, what, faces, salt, tag = struct.unpack("<BHIBB4s4s", payload)
    known = What.of(what) if what else None
    shown = () if known is None else faces_of(faces, known.kind)
    return Last(_phase(phase), match, number, known, shown, salt, tag)


def _revealed(payload: bytes) -> Revealed:
    return Revealed(*struct.unpack("<HI32s", payload))


def _kept(payload: bytes) -> Kept:
    number, what, faces, salt = struct.unpack("<IBB4s", payload)
    known = What.of(what)
    return Kept(number, known, faces_of(faces, known.kind), salt)


def _shown(payload: bytes) -> Shown:
    first, second = payload[0] >> 3, payload[0] & 7
    if first > 6 or second > 6:
        raise BadFrame(f"{payload[0]} shows no faces")
    return Shown(first, second)


def _match(payload: bytes) -> MatchTold:
    phase, match, first, commitment = struct.unpack("<BHI32s", payload)
    return MatchTold(_phase(phase), match, first, commitment)


def _phase(byte: int) -> Phase:
    if byte > Phase.REVEALED:
        raise BadFrame(f"{byte} is no phase of a match")
    return Phase(byte)


def _self_test(payload: bytes) -> SelfTest:
    parts, clock, clocked, noise, noised, prepared = struct.unpack("<BBHBHB", payload)
    return SelfTest(bool(parts & 1), bool(parts & 2), clock, clocked, noise, noised, bool(prepared))


def _done(_payload: bytes) -> Done:
    return Done()


def _refused(payload: bytes) -> Refused:
    if not 1 <= payload[0] <= len(Refusal):
        raise BadFrame(f"{payload[0]} is no refusal")
    return Refused(Refusal(payload[0]), payload[1])


def _lifted(payload: bytes) -> Lifted:
    return Lifted(_bit(payload[0]))


def _battery(payload: bytes) -> Battery:
    return Battery(int.from_bytes(payload[:2], "little"), _bit(payload[2]))


def _faulty(payload: bytes) -> Faulty:
    return Faulty(payload[0])


def _bit(byte: int) -> bool:
    if byte > 1:
        raise BadFrame(f"{byte} is neither yes nor no")
    return bool(byte)


_READERS: Final[dict[int, tuple[tuple[int, ...], Callable[[bytes], Message]]]] = {
    ANSWER | Word.HELLO: ((23,), _identity),
    ANSWER | Word.STATUS: ((19,), _status),
    ANSWER | Word.COMMIT: ((38,), _committed),
    ANSWER | Word.SEAL: ((8,), _sealed),
    ANSWER | Word.ARM: ((0, 8), _armed),
    ANSWER | Word.DISARM: ((0,), _done),
    ANSWER | Word.ROLL: ((8,), _rolled),
    ANSWER | Word.LAST: ((17,), _last),
    ANSWER | Word.REVEAL: ((38,), _revealed),
    ANSWER | Word.LOG: ((10,), _kept),
    ANSWER | Word.FACES: ((1,), _shown),
    ANSWER | Word.MATCH: ((39,), _match),
    ANSWER | Word.LED: ((0,), _done),
    ANSWER | Word.PLAYER: ((0,), _done),
    ANSWER | Word.SELFTEST: ((8,), _self_test),
    REFUSED: ((2,), _refused),
    Came.STATUS: ((19,), _status),
    Came.BOOT: ((23,), _identity),
    Came.LIFT: ((1,), _lifted),
    Came.SHAKE: ((0,), lambda _: Shaken()),
    Came.POUR: ((0,), lambda _: Poured()),
    Came.ROLL: ((8,), _rolled),
    Came.BATTERY: ((3,), _battery),
    Came.FAULT: ((1,), _faulty),
    Came.GARBLED: ((0,), lambda _: Garbled()),
}


def message_of(frame: Frame) -> Message:
    """What the cup says; `BadFrame` if a cup does not say that."""
    lengths, reader = _READERS.get(frame.type, ((), _done))
    if len(frame.payload) not in lengths:
        raise BadFrame(f"no message of type {frame.type:#04x} has {len(frame.payload)} bytes")
    return reader(frame.payload)


def is_event(frame: Frame) -> bool:
    """Whether the cup says it by itself; its id then counts such messages."""
    return Came.STATUS <= frame.type <= Came.GARBLED
