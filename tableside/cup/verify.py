"""A match's rolls made again from what the record holds of a cup, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from engine.events.cup import CupRolled
from engine.events.match import DiceRolled, Event, OpeningRolled
from engine.match.amendments import effective_events
from hardware import proof
from hardware.proof import CupRoll
from hardware.protocol_constants import RollKind, RollPurpose
from tableside.cup.history import CupHistory, CupMatch

KINDS: Final = {"one": RollKind.ONE, "two": RollKind.TWO, "opening": RollKind.OPENING}
NAMES: Final = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class ProofVerdict:
    """What became of the proof of one match."""

    cup: str
    match: int
    rolls: int
    is_revealed: bool
    faults: tuple[str, ...]
    commitment: str
    """The fingerprint that the players could write down."""
    words: tuple[str, str] | None
    """What light and dark are told to have said; None before they were asked."""

    @property
    def is_proven(self) -> bool:
        """Whether every roll was made again from a seed that the cup was bound to before.

        Where none was made there is nothing to prove.
        """
        return (self.is_revealed or not self.rolls) and not self.faults

    def as_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "cup": self.cup,
            "match": self.match,
            "rolls": self.rolls,
            "revealed": self.is_revealed,
            "proven": self.is_proven,
            "faults": list(self.faults),
            "commitment": self.commitment,
            "words": None if self.words is None else list(self.words),
        }

    @property
    def bound(self) -> str:
        """What each player can compare with what he wrote down and said."""
        told = f"  its fingerprint is {self.commitment}"
        if self.words is None:
            return told
        light, dark = (f"'{word}'" if word else "nothing" for word in self.words)
        return f"{told}; after it light said {light}, dark said {dark}"

    def __str__(self) -> str:
        head = f"cup {self.cup}, its match {self.match}: {self.rolls} rolls"
        if self.faults:
            return f"{head}, NOT proven: {'; '.join(self.faults)}"
        if not self.rolls:
            return f"{head}, nothing to prove"
        if not self.is_revealed:
            return f"{head}, in unbroken order; proven once the cup has told its seed"
        return f"{head}, all proven"


def cup_matches(events: Iterable[Event]) -> list[CupMatch]:
    """Every match at a cup, in order; what a correction judged again is there once."""
    return CupHistory(events).matches


def unbound_rolls(events: Iterable[Event]) -> int:
    """How many rolls are told of cups that were bound to no seed before: nothing proves them."""
    return len(CupHistory(events).unbound)


def roll_of(event: CupRolled) -> CupRoll:
    """The roll that the event tells."""
    what = RollPurpose(KINDS[event.kind], event.roller)
    return CupRoll(event.number, what, bytes.fromhex(event.salt), event.dice)


def verdict_of(match: CupMatch) -> ProofVerdict:
    """Every roll held against the commitment, the chain and, once it is told, the seed."""
    try:
        faults = list(_chain_faults(match))
        if match.seed is not None:
            faults += _seed_faults(match, match.seed)
        faults += [f"roll {one.number} was told after the seed was" for one in match.late]
    except (ValueError, LookupError, OverflowError) as error:
        faults = [f"its record is no cup's: {error}"]
    committed, is_revealed = match.committed, match.seed is not None
    sealed = match.sealed
    return ProofVerdict(
        committed.cup,
        committed.match,
        len(match.rolls),
        is_revealed,
        tuple(faults),
        committed.commitment,
        None if sealed is None else (sealed.light_words, sealed.dark_words),
    )


def _chain_faults(match: CupMatch) -> Iterable[str]:
    nonces, number = match.nonces, match.committed.number
    if nonces is None:
        if match.rolls:
            yield "it rolled before any nonce was told"
        return
    chain = proof.chain_start(bytes.fromhex(match.committed.commitment), nonces)
    for event in match.rolls:
        if event.number != number + 1:
            yield f"roll {number + 1} is missing before roll {event.number}"
        number = event.number
        chain = proof.chain_after(chain, roll_of(event))
        if chain.hex() != event.chain:
            yield f"the chain breaks at roll {number}"
            return


def _seed_faults(match: CupMatch, seed: bytes) -> Iterable[str]:
    nonces = match.nonces
    if proof.commitment_of(seed).hex() != match.committed.commitment:
        yield "the seed is not the one that the cup was bound to"
        return
    if nonces is None:
        return
    key = proof.key_of(seed, nonces)
    for event in match.rolls:
        roll = roll_of(event)
        made = proof.rolled(key, roll)
        if made != roll:
            yield f"roll {event.number} was told as {_dice(roll)}, the seed gives {_dice(made)}"


def _dice(roll: CupRoll) -> str:
    return "-".join(map(str, roll.faces))


@dataclass(frozen=True, slots=True)
class CupUse:
    """How many of the match's own rolls were the cup's."""

    by_cup: int
    others: int


def use_of(events: Iterable[Event]) -> CupUse:
    """The rolls that stand, each the cup's where the cup has just made it and was bound then."""
    told_all = tuple(events)
    unbound = CupHistory(told_all).unbound
    by_cup = others = 0
    waiting: list[tuple[int, ...]] = []
    for event in effective_events(told_all):
        match event:
            case CupRolled():
                if event not in unbound:
                    waiting.append(tuple(sorted(event.dice)))
            case DiceRolled() | OpeningRolled():
                told = _told(event)
                if told in waiting:
                    by_cup += 1
                    del waiting[: waiting.index(told) + 1]
                else:
                    others += 1
    return CupUse(by_cup, others)


def _told(event: DiceRolled | OpeningRolled) -> tuple[int, ...]:
    dice = event.dice if isinstance(event, DiceRolled) else (event.light, event.dark)
    return tuple(sorted(die or 0 for die in dice))
