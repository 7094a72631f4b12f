"""Codes of the cup's protocol: commands, notices, kinds of roll, refusals and faults."""

from __future__ import annotations

from dataclasses import dataclass
from enum import CONFORM, STRICT, IntEnum, IntFlag
from typing import Final

from engine.message import msg
from engine.position import Side
from hardware.errors import BadFrame

MAJOR: Final = 1
MINOR: Final = 2
RING: Final = 32
"""The number of rolls that a cup keeps for LOG."""


class CommandCode(IntEnum):
    """Commands to the cup; an answer's code is its command's code + 0x80."""

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
    RAW = 0x23


ANSWER: Final = 0x80
REFUSED: Final = 0xFF
CHECKED: Final = frozenset(
    {CommandCode.COMMIT, CommandCode.SEAL, CommandCode.ARM, CommandCode.ROLL, CommandCode.REVEAL}
)
"""Commands that change state: a second CRC ends their payload."""


class NoticeCode(IntEnum):
    """Messages that answer no command."""

    STATUS = 0x40
    BOOT = 0x41
    LIFT = 0x42
    SHAKE = 0x43
    POUR = 0x44
    ROLL = 0x45
    BATTERY = 0x46
    FAULT = 0x47
    GARBLED = 0x48
    RAW = 0x49


class RollKind(IntEnum):
    """Which dice to roll."""

    ONE = 1
    TWO = 2
    OPENING = 3
    """One die each: light's, then dark's."""

    @property
    def dice(self) -> int:
        """How many dice it rolls."""
        return 1 if self is RollKind.ONE else 2


class CupPhase(IntEnum):
    """The stage of the cup's match."""

    NONE = 0
    COMMITTED = 1
    SEALED = 2
    REVEALED = 3


class Refusal(IntEnum):
    """Why a command was refused."""

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
    Refusal.NOT_KNOWN: msg("it does not know this command"),
    Refusal.NOT_THAT_LONG: msg("the command has the wrong length"),
    Refusal.NOT_IN_RANGE: msg("a value of the command is out of range"),
    Refusal.NOT_NOW: msg("its match is at another stage"),
    Refusal.NOT_YET: msg("it is not ready for that yet"),
    Refusal.NOT_THAT_NUMBER: msg("its number of rolls differs"),
    Refusal.NOT_WELL: msg("it has a fault"),
    Refusal.NOT_THE_SAME: msg("the number of the command was already used"),
    Refusal.NOT_CHECKED: msg("the command's second checksum is wrong"),
}
UNREADABLE_MATCH: Final = 7
"""The only fault that is over once the cup commits to another match."""
FAULTS: Final = {
    1: msg("its clock noise repeats itself"),
    2: msg("its clock noise is biased"),
    5: msg("its memory does not keep what is written"),
    6: msg("its hash is wrong"),
    UNREADABLE_MATCH: msg("it cannot read back the match in progress: start another match"),
}


class Capability(IntFlag, boundary=CONFORM):
    """What a cup is equipped with; unknown bits are ignored."""

    SHAKE = 1
    LIFT = 2
    TILT = 4
    LAMP = 8
    FACES = 16
    BATTERY = 32
    RAW_NOISE = 64


class StatusFlag(IntFlag, boundary=STRICT):
    """The flag byte of a status."""

    PHASE_LOW = 1
    PHASE_HIGH = 2
    """The two bits of the `CupPhase`."""
    PREPARED = 4
    """A seed is ready."""
    ARMED = 8
    WRITING = 16
    WEAK = 32
    """The battery is weak."""
    POOR_NOISE = 64
    """The open pin's noise has failed its test; nothing depends on it."""


class Switch(IntFlag, boundary=STRICT):
    """What the cup's sensors show."""

    LIFTED = 1
    RATTLING = 2
    MOUTH_DOWN = 4


class NoiseSource(IntEnum):
    """Where a cup's noise comes from, as RAW numbers it."""

    CLOCK = 1
    PIN = 2


class SelfTestPart(IntFlag):
    """What the self-test found to work."""

    HASH = 1
    MEMORY = 2


@dataclass(frozen=True, slots=True)
class RollPurpose:
    """The kind of a roll, and its player; None for an opening roll."""

    kind: RollKind
    player: Side | None = None

    def __int__(self) -> int:
        return self.kind | _PLAYERS.index(self.player) << 2

    @classmethod
    def of(cls, byte: int) -> RollPurpose:
        """The inverse of `int`; raises `BadFrame` if the byte is not a roll."""
        if byte & 3 == 0 or byte >> 2 > 2:
            raise BadFrame(f"{byte} is not a kind of roll")
        return cls(RollKind(byte & 3), _PLAYERS[byte >> 2])


_PLAYERS: Final = (None, Side.LIGHT, Side.DARK)


def faces_of(byte: int) -> tuple[int, ...]:
    """Zero, one or two faces; raises `BadFrame` if the byte encodes none of these."""
    first, second = divmod(byte, 8)
    faces = (first, second) if second else (first,) if first else ()
    if not all(1 <= face <= 6 for face in faces):
        raise BadFrame(f"{byte} does not encode faces")
    return faces


def faces_byte(faces: tuple[int, ...]) -> int:
    """The inverse of `faces_of`."""
    first, second = (*faces, 0, 0)[:2]
    return 8 * first + second
