"""Verifies a cup's rolls from the record: which ones can be reproduced, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from engine.events.cup import CupRolled, RollName
from engine.events.match import DiceRolled, Event, OpeningRolled
from engine.match.amendments import effective_events
from engine.message import ngettext
from hardware import proof
from hardware.proof import CupRoll
from hardware.protocol_constants import RollKind, RollPurpose
from tableside.cup.history import CupHistory, CupMatch

ROLL_KINDS: Final[dict[RollName, RollKind]] = {
    "one": RollKind.ONE,
    "two": RollKind.TWO,
    "opening": RollKind.OPENING,
}
KIND_NAMES: Final = {kind: name for name, kind in ROLL_KINDS.items()}


@dataclass(frozen=True, slots=True)
class ProofVerdict:
    """The result of verifying one match."""

    match: CupMatch
    faults: tuple[str, ...]

    @property
    def is_proven(self) -> bool:
        """Whether every roll, if any, follows from the seed that the cup was committed to."""
        return (self.match.seed is not None or not self.match.rolls) and not self.faults

    @property
    def is_grind_proof(self) -> bool:
        """Whether it is proven, salts included, so that no roll could be tried until it pleased."""
        return self.is_proven and bool(self.match.committed.program)

    def as_json(self) -> dict[str, Any]:
        """The verdict as a JSON object."""
        match = self.match
        return {
            "cup": match.committed.cup,
            "match": match.committed.match,
            "rolls": len(match.rolls),
            "revealed": match.seed is not None,
            "proven": self.is_proven,
            "grind_proof": self.is_grind_proof,
            "faults": list(self.faults),
            "commitment": match.committed.commitment,
            "program": match.committed.program,
            "fingerprint": match.fingerprint,
            "words": match.words,
        }

    @property
    def bound(self) -> str:
        """The fingerprint and the words, for each player to compare with their notes."""
        fingerprint = f"  fingerprint: {self.match.fingerprint}"
        if self.match.words is None:
            return fingerprint
        light, dark = (repr(word) if word else "none" for word in self.match.words)
        return f"{fingerprint}; words: light {light}, dark {dark}"

    def __str__(self) -> str:
        match, committed = self.match, self.match.committed
        rolls = ngettext("{number} roll", "{number} rolls", len(match.rolls))
        head = f"cup {committed.cup}, match {committed.match}: {rolls}"
        if self.faults:
            return f"{head}, NOT proven: {'; '.join(self.faults)}"
        if not match.rolls:
            return f"{head}, nothing to prove"
        if match.seed is None:
            return f"{head}, none missing; proven once the cup has revealed its seed"
        return f"{head}, all proven; {self._who_could_choose}"

    @property
    def _who_could_choose(self) -> str:
        if not self.is_grind_proof:
            return (
                "the program could have chosen among several rolls each time, if it knew the cup's "
                "seed (an older version, or one that pretends to be)"
            )
        words = zip(("light's", "dark's"), self.match.words or (), strict=False)
        given = " or ".join(whose for whose, word in words if word)
        if not given:
            return "neither the cup nor the program alone could choose them"
        return (
            "neither the cup nor the program could choose them, and both together only if they "
            f"could guess {given} word"
        )


def roll_of(event: CupRolled) -> CupRoll:
    """The recorded roll in the form that the proof uses."""
    what = RollPurpose(ROLL_KINDS[event.kind], event.roller)
    return CupRoll(event.number, what, bytes.fromhex(event.salt), event.dice)


def verify_match(match: CupMatch) -> ProofVerdict:
    """Check every roll against the commitment, the chain and, once it is revealed, the seed."""
    try:
        faults = [*_program_faults(match), *_chain_faults(match)]
        if match.seed is not None:
            faults += _seed_faults(match, match.seed)
        faults += [
            f"roll {one.number} was reported after the seed was revealed" for one in match.late
        ]
    except (ValueError, LookupError, OverflowError) as error:
        faults = [f"its events are not those of a cup: {error}"]
    return ProofVerdict(match, tuple(faults))


def _program_faults(match: CupMatch) -> Iterable[str]:
    """What does not follow from the program's commitment, if there is one."""
    committed, nonces = match.committed, match.nonces
    if not committed.program or nonces is None:
        return
    if match.sealed is not None and match.sealed.host != match.fingerprint:
        yield "the match was sealed with another number than the fingerprint"
    if any(event.roller is not None for event in match.rolls):
        yield "it has rolls for one player, which a program could choose among"
    secret = bytes.fromhex(committed.program_secret)
    if match.seed is None and not secret:
        return  # both are shown after the match
    if proof.program_commitment_of(secret).hex() != committed.program:
        yield "the program's secret does not match its commitment"
        return
    for event in match.rolls:
        if proof.salt_of(secret, nonces, event.number).hex() != event.salt:
            yield f"the salt of roll {event.number} is not of the program's secret"
            return


def _chain_faults(match: CupMatch) -> Iterable[str]:
    nonces, number = match.nonces, match.committed.number
    if nonces is None:
        if match.rolls:
            yield "it rolled before it had any nonces"
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
        yield "the seed does not match the commitment"
        return
    if nonces is None:
        return
    key = proof.key_of(seed, nonces)
    for event in match.rolls:
        roll = roll_of(event)
        made = proof.rolled(key, roll)
        if made != roll:
            yield f"roll {event.number} was reported as {_dice(roll)}; the seed gives {_dice(made)}"


def _dice(roll: CupRoll) -> str:
    return "-".join(map(str, roll.faces))


@dataclass(frozen=True, slots=True)
class CupUse:
    """How many rolls of the match were the cup's, and how many were not."""

    by_cup: int
    others: int
    unused: int
    """The cup's rolls that were no roll of the match."""
    unfit: int
    """Those used for an opening roll and not made for one, or the other way around."""

    def __str__(self) -> str:
        parts = [f"{self.by_cup} by the cup, {self.others} others"]
        if self.unused:
            parts.append(f"{self.unused} of the cup's were not used")
        if self.unfit:
            parts.append(f"{self.unfit} were made for another purpose than they were used for")
        return f"rolls of the match: {'; '.join(parts)}"


def count_cup_rolls(events: Iterable[Event]) -> CupUse:
    """Count the rolls that stand; one is the cup's if a committed cup has just made it."""
    events = tuple(events)
    unbound = CupHistory(events).unbound
    by_cup = others = unfit = 0
    waiting: list[CupRolled] = []
    for event in effective_events(events):
        match event:
            case CupRolled():
                if event not in unbound:
                    waiting.append(event)
            case DiceRolled() | OpeningRolled():
                made = _made_by_cup(event, waiting)
                if made is None:
                    others += 1
                    continue
                by_cup += 1
                unfit += (made.kind == "opening") != isinstance(event, OpeningRolled)
                waiting.remove(made)
    return CupUse(by_cup, others, len(waiting), unfit)


def _made_by_cup(event: DiceRolled | OpeningRolled, made: list[CupRolled]) -> CupRolled | None:
    """The cup's roll behind a roll of the match; None if it is another's.

    An older record does not number it: then it is the first with these dice, if possible one made
    for that purpose.
    """
    rolled = event.dice if isinstance(event, DiceRolled) else (event.light, event.dark)
    dice = sorted(die or 0 for die in rolled)
    alike = [one for one in made if sorted(one.dice) == dice]
    if event.cup_roll:
        return next((one for one in reversed(alike) if one.number == event.cup_roll), None)
    if event.by not in ("cup", "sight"):
        return None
    is_opening = isinstance(event, OpeningRolled)
    left = [one for one in alike if one.unused is None]
    return min(left, key=lambda one: (one.kind == "opening") != is_opening, default=None)
