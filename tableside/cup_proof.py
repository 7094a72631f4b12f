"""A match's rolls made again from what the record holds of a cup, and what does not fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from engine.amending import standing_events
from engine.cup_events import CupCommitted, CupRevealed, CupRolled, CupSealed
from engine.events import DiceRolled, Event, OpeningRolled
from hardware import proof
from hardware.cup_protocol import Kind, What
from hardware.proof import CupRoll

KINDS: Final = {"one": Kind.ONE, "two": Kind.TWO, "opening": Kind.OPENING}
NAMES: Final = {kind: name for name, kind in KINDS.items()}


@dataclass(slots=True)
class CupMatch:
    """One match at a cup as the record has it."""

    committed: CupCommitted
    sealed: CupSealed | None = None
    rolls: list[CupRolled] = field(default_factory=list)
    seed: bytes | None = None

    @property
    def nonces(self) -> bytes | None:
        """Those of all three; None before they were told."""
        sealed = self.sealed
        if sealed is None:
            return None
        host = bytes.fromhex(sealed.host)
        return proof.nonces_of(host, sealed.light_words, sealed.dark_words)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the proof of one match."""

    cup: str
    match: int
    rolls: int
    is_revealed: bool
    faults: tuple[str, ...]

    @property
    def is_proven(self) -> bool:
        """Whether every roll was made again from a seed that the cup was bound to before."""
        return self.is_revealed and not self.faults

    def as_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "cup": self.cup,
            "match": self.match,
            "rolls": self.rolls,
            "revealed": self.is_revealed,
            "proven": self.is_proven,
            "faults": list(self.faults),
        }

    def __str__(self) -> str:
        head = f"cup {self.cup}, its match {self.match}: {self.rolls} rolls"
        if self.faults:
            return f"{head}, NOT proven: {'; '.join(self.faults)}"
        if not self.is_revealed:
            return f"{head}, in unbroken order; proven once the cup has told its seed"
        return f"{head}, all proven"


def cup_matches(events: Iterable[Event]) -> list[CupMatch]:
    """Every match at a cup, in order; what a correction judged again is there once."""
    found: dict[tuple[str, int], CupMatch] = {}
    newest: CupMatch | None = None
    for event in events:
        match event:
            case CupCommitted():
                newest = found.setdefault((event.cup, event.match), CupMatch(event))
            case CupSealed() if (event.cup, event.match) in found:
                newest = found[event.cup, event.match]
                if not newest.rolls:  # one that did not reach the cup was told again
                    newest.sealed = event
            case CupRolled() if newest is not None and event.cup == newest.committed.cup:
                _add(newest, event)
            case CupRevealed() if (event.cup, event.match) in found:
                found[event.cup, event.match].seed = bytes.fromhex(event.seed)
    return list(found.values())


def _add(match: CupMatch, event: CupRolled) -> None:
    told = [(one.number, one.salt, one.dice) for one in match.rolls]
    if (event.number, event.salt, event.dice) not in told:
        match.rolls.append(event)


def roll_of(event: CupRolled) -> CupRoll:
    """The roll that the event tells."""
    what = What(KINDS[event.kind], event.roller)
    return CupRoll(event.number, what, bytes.fromhex(event.salt), event.dice)


def verdict_of(match: CupMatch) -> Verdict:
    """Every roll held against the commitment, the chain and, once it is told, the seed."""
    try:
        faults = list(_chain_faults(match))
        if match.seed is not None:
            faults += _seed_faults(match, match.seed)
    except (ValueError, LookupError, OverflowError) as error:
        faults = [f"its record is no cup's: {error}"]
    committed, is_revealed = match.committed, match.seed is not None
    return Verdict(committed.cup, committed.match, len(match.rolls), is_revealed, tuple(faults))


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
class Use:
    """How many of the match's own rolls were the cup's."""

    by_cup: int
    others: int


def use_of(events: Iterable[Event]) -> Use:
    """The rolls that stand, each the cup's where the cup has just made it."""
    by_cup = others = 0
    waiting: list[tuple[int, ...]] = []
    for event in standing_events(events):
        match event:
            case CupRolled():
                waiting.append(tuple(sorted(event.dice)))
            case DiceRolled() | OpeningRolled():
                told = _told(event)
                if told in waiting:
                    by_cup += 1
                    del waiting[: waiting.index(told) + 1]
                else:
                    others += 1
    return Use(by_cup, others)


def _told(event: DiceRolled | OpeningRolled) -> tuple[int, ...]:
    dice = event.dice if isinstance(event, DiceRolled) else (event.light, event.dark)
    return tuple(sorted(die or 0 for die in dice))
