"""What the program knows of a cup's match: enough to tell its next roll from any other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hardware.errors import CupOutOfStep
from hardware.messages import LastRoll, LoggedRoll, MatchStatus, RollMessage
from hardware.proof import CupRoll, chain_after
from hardware.protocol_constants import CupPhase


@dataclass(frozen=True, slots=True)
class RollLedger:
    """A sealed match at one cup, after the roll of `number`."""

    unit: bytes
    match: int
    commitment: bytes
    nonces: bytes
    number: int
    chain: bytes

    def with_roll(self, roll: CupRoll) -> RollLedger:
        """The ledger once `roll` is part of it; `CupOutOfStep` if it is not the next."""
        if roll.number != self.number + 1:
            raise CupOutOfStep(f"roll {roll.number} of the cup does not follow roll {self.number}")
        return replace(self, number=roll.number, chain=chain_after(self.chain, roll))

    def follows(self, roll: CupRoll, tag: bytes) -> bool:
        """Whether `roll` is the next and the cup's chain ends with `tag` after it."""
        if roll.number != self.number + 1:
            return False
        return chain_after(self.chain, roll)[: len(tag)] == tag

    def check(self, unit: bytes, match: MatchStatus) -> None:
        """`CupOutOfStep` says why that cup is not at this match."""
        if unit != self.unit:
            raise CupOutOfStep(
                f"this is cup {unit.hex()}, the match is played with {self.unit.hex()}: plug that "
                "one in, or begin a new match with this one"
            )
        here = (match.phase, match.match, match.commitment)
        if here != (CupPhase.SEALED, self.match, self.commitment):
            raise CupOutOfStep(
                f"the cup is no longer at its match {self.match}: "
                "roll by hand, or begin a new match"
            )


@dataclass(frozen=True, slots=True)
class RequestedRoll:
    """A roll that was asked for: what it will be known by, whatever happens to the line."""

    roll: CupRoll
    """Without its faces."""
    is_armed: bool = False
    """Made when the cup is shaken and turned over, not at once."""

    def made_by(self, rolled: RollMessage) -> CupRoll | None:
        """The roll that answers this; None if it is another one."""
        if rolled.number != self.roll.number & 0xFFFF or rolled.what != self.roll.what:
            return None
        return replace(self.roll, faces=rolled.faces)

    def after(self, number: int) -> RequestedRoll:
        """The same, asked for once other rolls came before it."""
        return replace(self, roll=replace(self.roll, number=number + 1))


def last_roll(last: LastRoll) -> CupRoll | None:
    """The newest roll of the match; None before the first."""
    if last.what is None:
        return None
    return CupRoll(last.number, last.what, last.salt, last.faces)


def kept_roll(kept: LoggedRoll) -> CupRoll:
    """A roll of the cup's log."""
    return CupRoll(kept.number, kept.what, kept.salt, kept.faces)
