"""The cup's messages as values: what it answers, and what it says by itself."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.protocol_constants import FAULTS, REFUSALS, Capability, CupPhase, Refusal, RollPurpose


@dataclass(frozen=True, slots=True)
class CupIdentity:
    """Who answers: HELLO and BOOT."""

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
    """How the cup is: STATUS, and once a second by itself."""

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
class RollMessage:
    """A roll was made; `number` is the lower half of the cup's count."""

    number: int
    what: RollPurpose
    faces: tuple[int, ...]
    tag: bytes


@dataclass(frozen=True, slots=True)
class LastRoll:
    """Where the cup stands; `what` is None before the match's first roll."""

    phase: CupPhase
    match: int
    number: int
    what: RollPurpose | None
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
class LoggedRoll:
    """A roll out of the cup's log."""

    number: int
    what: RollPurpose
    faces: tuple[int, ...]
    salt: bytes


@dataclass(frozen=True, slots=True)
class DisplayMessage:
    """What the cup's display shows: the faces as a byte, 0 for none."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class MatchStatus:
    """Which match the cup is at, and after which roll it was sealed."""

    phase: CupPhase
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
class Acknowledged:
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
class CupLifted:
    """The cup left its base, or stands on it again."""

    is_up: bool


@dataclass(frozen=True, slots=True)
class CupShaken:
    """The cup was shaken."""


@dataclass(frozen=True, slots=True)
class CupPoured:
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
    CupIdentity | Status | Committed | Sealed | RollMessage | LastRoll | Revealed | LoggedRoll |
    DisplayMessage | MatchStatus | SelfTest | Acknowledged | Refused | CupLifted | CupShaken |
    CupPoured | Battery | Faulty | Garbled
)  # fmt: skip
