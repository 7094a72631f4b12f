"""The cup's messages as values, and the notices that the client of a cup gives for them."""

from __future__ import annotations

from dataclasses import dataclass

from engine.message import Message, Sentence, msg
from hardware.proof import CupRoll
from hardware.protocol_constants import FAULTS, REFUSALS, Capability, CupPhase, Refusal, RollPurpose


@dataclass(frozen=True, slots=True)
class CupIdentity:
    """Identity and capabilities: the answer to HELLO, and BOOT."""

    major: int
    minor: int
    firmware: tuple[int, int]
    build: int
    unit: bytes
    can: Capability
    reset_cause: int
    """MCUSR: 1 power, 2 reset pin, 4 brown-out, 8 watchdog."""
    starts: int
    session: int


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the cup: the answer to STATUS, and sent once a second."""

    phase: CupPhase
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
    """The cup began a match: the commitment to its seed, made before any nonce is known."""

    match: int
    number: int
    commitment: bytes


@dataclass(frozen=True, slots=True)
class Sealed:
    """The nonces are bound in; `tag` is the beginning of the chain."""

    number: int
    tag: bytes


@dataclass(frozen=True, slots=True)
class RollMessage:
    """A roll; `number` is the lower 16 bits of the cup's count."""

    number: int
    what: RollPurpose
    faces: tuple[int, ...]
    tag: bytes


@dataclass(frozen=True, slots=True)
class LastRoll:
    """The newest roll of the match; `what` is None before the first."""

    phase: CupPhase
    match: int
    number: int
    what: RollPurpose | None
    faces: tuple[int, ...]
    salt: bytes
    tag: bytes


@dataclass(frozen=True, slots=True)
class Revealed:
    """The seed of a match that is over."""

    match: int
    number: int
    seed: bytes


@dataclass(frozen=True, slots=True)
class LoggedRoll:
    """A roll from the cup's log."""

    number: int
    what: RollPurpose
    faces: tuple[int, ...]
    salt: bytes


@dataclass(frozen=True, slots=True)
class DisplayMessage:
    """The faces on the cup's display, 0 for none."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class MatchStatus:
    """The match at the cup, and the number of the last roll before it."""

    phase: CupPhase
    match: int
    first: int
    commitment: bytes


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The results of the self-test; noise samples are counted from the start-up test on."""

    hash_works: bool
    memory_works: bool
    clock_tripped: int
    clock_samples: int
    noise_tripped: int
    noise_samples: int
    is_prepared: bool


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The command was carried out."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The command was refused."""

    why: Refusal
    detail: int

    @property
    def sentence(self) -> Message:
        """The refusal for people."""
        fault = self.why is Refusal.NOT_WELL
        reason = fault_sentence(self.detail, "fault") if fault else REFUSALS[self.why]
        return msg("the cup refuses: {refusals}", refusals=reason)

    def __str__(self) -> str:
        return str(self.sentence)


@dataclass(frozen=True, slots=True)
class CupLifted:
    """The cup was lifted off its base, or put back."""

    is_up: bool


@dataclass(frozen=True, slots=True)
class CupShaken:
    """The cup was shaken."""


@dataclass(frozen=True, slots=True)
class CupPoured:
    """The cup was turned over after a shake."""


@dataclass(frozen=True, slots=True)
class Battery:
    """The battery became weak, or recovered."""

    battery_mv: int
    is_weak: bool


@dataclass(frozen=True, slots=True)
class Faulty:
    """The cup has a fault, and makes no roll until a self-test passes."""

    fault: int

    @property
    def sentence(self) -> Message:
        """The fault for people."""
        return msg("the cup has a fault: {f}", f=fault_sentence(self.fault, "number"))


@dataclass(frozen=True, slots=True)
class Garbled:
    """The cup received a damaged frame."""


CupMessage = (
    CupIdentity | Status | Committed | Sealed | RollMessage | LastRoll | Revealed | LoggedRoll |
    DisplayMessage | MatchStatus | SelfTest | Acknowledged | Refused | CupLifted | CupShaken |
    CupPoured | Battery | Faulty | Garbled
)  # fmt: skip


def fault_sentence(number: int, unknown: str) -> Sentence:
    """The fault of that number; `unknown` and the number where it has no text."""
    return FAULTS.get(number, f"{unknown} {number}")


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """The answer to a command, which may be `Refused`."""

    token: int
    message: CupMessage


@dataclass(frozen=True, slots=True)
class CommandBroken:
    """A command that gets no answer, because the line broke."""

    token: int
    why: Sentence


@dataclass(frozen=True, slots=True)
class RollMade:
    """A roll of the match, given once.

    One that was not requested here comes from the cup's log: another program had requested it, or
    this one before it was killed.
    """

    roll: CupRoll
    is_asked: bool


@dataclass(frozen=True, slots=True)
class MatchBroken:
    """The cup cannot continue the match."""

    why: Sentence


@dataclass(frozen=True, slots=True)
class UnsolicitedMessage:
    """A message of the cup that answers no command."""

    message: CupMessage


@dataclass(frozen=True, slots=True)
class LineSilent:
    """The line has to be reopened."""

    why: Sentence


Notice = CommandAnswered | CommandBroken | RollMade | MatchBroken | UnsolicitedMessage | LineSilent
