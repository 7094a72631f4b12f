"""The cup's messages and their layout on the wire, and the notices of the cup's client."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import Annotated, Any, Self, get_type_hints

from engine.message import Message, Sentence, msg
from hardware.errors import BadFrame
from hardware.proof import CupRoll
from hardware.protocol_constants import (
    FAULTS,
    REFUSALS,
    Capability,
    CupPhase,
    NoiseSource,
    Refusal,
    RollPurpose,
    SelfTestPart,
    StatusFlag,
    Switch,
    faces_byte,
    faces_of,
)


@dataclass(frozen=True, slots=True)
class Wire:
    """A field's `struct` format, and the conversions from the unpacked value and back."""

    code: str
    decode: Callable[[Any], Any] = lambda raw: raw
    encode: Callable[[Any], Any] = lambda value: value


def _strict_bool(raw: int) -> bool:
    if raw > 1:
        raise ValueError(f"{raw} is neither yes nor no")
    return bool(raw)


U8 = Annotated[int, Wire("B")]
U16 = Annotated[int, Wire("H")]
U32 = Annotated[int, Wire("I")]
StrictBool = Annotated[bool, Wire("B", _strict_bool)]
Tag = Annotated[bytes, Wire("4s")]
Digest = Annotated[bytes, Wire("32s")]
Phase = Annotated[CupPhase, Wire("B", CupPhase)]
Purpose = Annotated[RollPurpose, Wire("B", RollPurpose.of, int)]
OptionalPurpose = Annotated[
    RollPurpose | None,
    Wire("B", lambda raw: RollPurpose.of(raw) if raw else None, lambda what: int(what or 0)),
]
Faces = Annotated[tuple[int, ...], Wire("B", faces_of, faces_byte)]


@dataclass(frozen=True, slots=True)
class CupMessage:
    """A message from the cup; the payload is its fields, one after another."""

    def encode(self) -> bytes:
        """The payload."""
        struct, wires = self._layout()
        return struct.pack(*(wire.encode(getattr(self, name)) for name, wire in wires.items()))

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Decode a payload of `size` bytes; raises `BadFrame` if a value is out of range."""
        struct, wires = cls._layout()
        raw = zip(wires.values(), struct.unpack(payload), strict=True)
        try:
            return cls(*(wire.decode(value) for wire, value in raw))
        except ValueError as error:
            raise BadFrame(str(error)) from error

    @classmethod
    def size(cls) -> int:
        """The number of bytes in the payload."""
        return cls._layout()[0].size

    @classmethod
    @cache
    def _layout(cls) -> tuple[Struct, dict[str, Wire]]:
        """The struct of a payload, and the wire format of each field."""
        hints = get_type_hints(cls, include_extras=True)
        wires = {name: hint.__metadata__[0] for name, hint in hints.items()}
        return Struct("<" + "".join(wire.code for wire in wires.values())), wires


@dataclass(frozen=True, slots=True)
class CupIdentity(CupMessage):
    """Identity and capabilities: the answer to HELLO, and BOOT."""

    major: U8
    minor: U8
    firmware: Annotated[tuple[int, ...], Wire("2s", tuple, bytes)]
    """Major and minor version."""
    build: U32
    unit: Annotated[bytes, Wire("8s")]
    can: Annotated[Capability, Wire("H", Capability)]
    reset_cause: U8
    """MCUSR: 1 power, 2 reset pin, 4 brown-out, 8 watchdog."""
    starts: U16
    session: U16


@dataclass(frozen=True, slots=True)
class Status(CupMessage):
    """The cup's state: the answer to STATUS, also sent once a second."""

    flags: Annotated[StatusFlag, Wire("B", StatusFlag)]
    fault: U8
    switches: Annotated[Switch, Wire("B", Switch)]
    battery_mv: U16
    uptime_s: U32
    number: U32
    good: U16
    bad: U16
    overruns: U16


@dataclass(frozen=True, slots=True)
class Committed(CupMessage):
    """The cup has begun a match: the commitment to its seed, made before any nonce is known."""

    match: U16
    number: U32
    commitment: Digest


@dataclass(frozen=True, slots=True)
class Sealed(CupMessage):
    """The nonces are bound in; `tag` is the beginning of the hash chain."""

    number: U32
    tag: Tag


@dataclass(frozen=True, slots=True)
class RollMessage(CupMessage):
    """A roll; `number` is the lower 16 bits of the cup's count."""

    number: U16
    what: Purpose
    faces: Faces
    tag: Tag

    def __post_init__(self) -> None:
        _check_dice(self.what, self.faces)


@dataclass(frozen=True, slots=True)
class LastRoll(CupMessage):
    """The newest roll of the match; `what` is None before the first."""

    phase: Phase
    match: U16
    number: U32
    what: OptionalPurpose
    faces: Faces
    salt: Tag
    tag: Tag

    def __post_init__(self) -> None:
        if self.what is not None:
            _check_dice(self.what, self.faces)

    @property
    def roll(self) -> CupRoll | None:
        """The roll, as used in a proof."""
        if self.what is None:
            return None
        return CupRoll(self.number, self.what, self.salt, self.faces)


@dataclass(frozen=True, slots=True)
class Revealed(CupMessage):
    """The seed of a match that is over."""

    match: U16
    number: U32
    seed: Digest


@dataclass(frozen=True, slots=True)
class LoggedRoll(CupMessage):
    """A roll from the cup's log."""

    number: U32
    what: Purpose
    faces: Faces
    salt: Tag

    def __post_init__(self) -> None:
        _check_dice(self.what, self.faces)

    @property
    def roll(self) -> CupRoll:
        """The roll, as used in a proof."""
        return CupRoll(self.number, self.what, self.salt, self.faces)


def _check_dice(what: RollPurpose, faces: tuple[int, ...]) -> None:
    if len(faces) < what.kind.dice:
        raise BadFrame(f"{faces} is not a roll of {what.kind.dice} dice")


@dataclass(frozen=True, slots=True)
class DisplayMessage(CupMessage):
    """The faces on the cup's display."""

    faces: Faces


@dataclass(frozen=True, slots=True)
class MatchStatus(CupMessage):
    """The match at the cup, and the number of the last roll before the match."""

    phase: Phase
    match: U16
    first: U32
    commitment: Digest


@dataclass(frozen=True, slots=True)
class SelfTest(CupMessage):
    """The results of the self-test; noise samples are counted from the start-up test."""

    passed: Annotated[SelfTestPart, Wire("B", SelfTestPart)]
    clock_tripped: U8
    clock_samples: U16
    noise_tripped: U8
    noise_samples: U16
    is_prepared: Annotated[bool, Wire("?")]


@dataclass(frozen=True, slots=True)
class Acknowledged(CupMessage):
    """The command was carried out."""


@dataclass(frozen=True, slots=True)
class Refused(CupMessage):
    """The command was refused."""

    why: Annotated[Refusal, Wire("B", Refusal)]
    detail: U8

    @property
    def sentence(self) -> Message:
        """The refusal as a message."""
        fault = self.why is Refusal.NOT_WELL
        reason = fault_sentence(self.detail, "fault") if fault else REFUSALS[self.why]
        return msg("the cup refuses: {refusals}", refusals=reason)

    def __str__(self) -> str:
        return str(self.sentence)


@dataclass(frozen=True, slots=True)
class CupLifted(CupMessage):
    """The cup was lifted off its base, or put back."""

    is_up: StrictBool


@dataclass(frozen=True, slots=True)
class CupShaken(CupMessage):
    """The cup was shaken."""


@dataclass(frozen=True, slots=True)
class CupPoured(CupMessage):
    """The cup was turned over after a shake."""


@dataclass(frozen=True, slots=True)
class Battery(CupMessage):
    """The battery became weak, or recovered."""

    battery_mv: U16
    is_weak: StrictBool


@dataclass(frozen=True, slots=True)
class Faulty(CupMessage):
    """The cup has a fault, and makes no roll until a self-test passes."""

    fault: U8

    @property
    def sentence(self) -> Message:
        """The fault as a message."""
        return msg("the cup has a fault: {f}", f=fault_sentence(self.fault, "number"))


@dataclass(frozen=True, slots=True)
class Garbled(CupMessage):
    """The cup received a damaged frame."""


@dataclass(frozen=True, slots=True)
class RawNoise(CupMessage):
    """Consecutive samples of a noise source, one a byte, before anything is made of them."""

    source: Annotated[NoiseSource, Wire("B", NoiseSource)]
    first: U32
    """How many samples came before these since the cup was asked for them."""
    samples: Digest


def fault_sentence(number: int, unknown: str) -> Sentence:
    """The text of fault `number`; `unknown` with the number if there is none."""
    return FAULTS.get(number, f"{unknown} {number}")


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """The answer to a command, which may be `Refused`."""

    token: int
    message: CupMessage


@dataclass(frozen=True, slots=True)
class CommandBroken:
    """A command that will get no answer because the line broke."""

    token: int
    why: Sentence


@dataclass(frozen=True, slots=True)
class RollMade:
    """A roll of the match, delivered once.

    One not requested here comes from the cup's log: another program requested it, or this one did
    before it was killed.
    """

    roll: CupRoll
    is_asked: bool
    turn: Hashable | None = None
    """What it was requested for; see `CupClient.roll`."""


@dataclass(frozen=True, slots=True)
class MatchBroken:
    """The cup cannot continue the match."""

    why: Sentence


@dataclass(frozen=True, slots=True)
class UnsolicitedMessage:
    """A message from the cup that answers no command."""

    message: CupMessage


@dataclass(frozen=True, slots=True)
class LineSilent:
    """The line has fallen silent and must be reopened."""

    why: Sentence


Notice = CommandAnswered | CommandBroken | RollMade | MatchBroken | UnsolicitedMessage | LineSilent
