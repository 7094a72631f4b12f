"""A cup's match as the program knows it: enough to recognize its next roll."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from engine.message import Message, msg
from hardware.errors import CupOutOfStep, WrongCup
from hardware.messages import Committed, MatchStatus, RollMessage
from hardware.proof import CupRoll, chain_after, chain_start, salt_of
from hardware.protocol_constants import CupPhase


@dataclass(frozen=True, slots=True)
class RollLedger:
    """A sealed match at one cup, after roll `number`."""

    unit: bytes
    match: int
    commitment: bytes
    nonces: bytes
    number: int
    chain: bytes
    secret: bytes = b""
    """The program's; empty in a match begun by an older version, whose salts are random."""

    @classmethod
    def start(
        cls, unit: bytes, committed: Committed, nonces: bytes, secret: bytes = b""
    ) -> RollLedger:
        """The ledger of a match at the cup `unit` before its first roll."""
        chain = chain_start(committed.commitment, nonces)
        match, number = committed.match, committed.number
        return cls(unit, match, committed.commitment, nonces, number, chain, secret)

    def as_next(self, roll: CupRoll) -> CupRoll:
        """`roll` with the next number, and the salt that the program's secret gives it."""
        number = self.number + 1
        salt = salt_of(self.secret, self.nonces, number) if self.secret else roll.salt
        return replace(roll, number=number, salt=salt)

    def with_roll(self, roll: CupRoll) -> RollLedger:
        """The ledger after `roll`; raises `CupOutOfStep` if that is not the next one."""
        if roll.number != self.number + 1:
            gap = msg(
                "roll {number} of the cup does not follow roll {number_}",
                number=roll.number,
                number_=self.number,
            )
            raise CupOutOfStep(gap)
        return replace(self, number=roll.number, chain=chain_after(self.chain, roll))

    def is_next(self, roll: CupRoll, tag: bytes) -> bool:
        """Whether `roll` is the next one, and the chain after it begins with `tag`."""
        is_next = roll.number == self.number + 1
        return is_next and chain_after(self.chain, roll).startswith(tag)

    def check(self, unit: bytes, match: MatchStatus) -> None:
        """Raise `WrongCup` if `unit` is another cup, `CupOutOfStep` if it is at another match."""
        if unit != self.unit:
            raise WrongCup(
                msg(
                    "this is cup {hex}, but the match is played with {hex_}: connect that one, or "
                    "start a new match with this one",
                    hex=unit.hex(),
                    hex_=self.unit.hex(),
                )
            )
        here = (match.phase, match.match, match.commitment)
        if here != (CupPhase.SEALED, self.match, self.commitment):
            raise CupOutOfStep(no_longer_in(self.match))


def no_longer_in(match: int) -> Message:
    """A message that the cup has gone on to another match."""
    return msg(
        "the cup is no longer in match {match}: roll by hand, or start a new match", match=match
    )


@dataclass(frozen=True, slots=True)
class RequestedRoll:
    """A requested roll, in a form that can be recognized whatever happens to the line."""

    roll: CupRoll
    """Without its faces."""
    is_armed: bool = False
    """Made when the cup is shaken and turned over, not immediately."""
    turn: Hashable | None = None
    """What the caller wants it for; see `CupClient.roll`."""

    def made_by(self, rolled: RollMessage) -> CupRoll | None:
        """The roll with its faces; None if `rolled` is a different one."""
        if rolled.number != self.roll.number & 0xFFFF or rolled.what != self.roll.what:
            return None
        return replace(self.roll, faces=rolled.faces)
