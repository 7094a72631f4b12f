"""Dice cups in a record: their matches, each one's stage, and whether the cup is set aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from engine import Event, MatchState
from engine.events.cup import (
    CupCommitted,
    CupRevealed,
    CupRolled,
    CupSealed,
    CupSetAside,
    CupTakenUp,
)
from engine.events.match import DiceRolled, OpeningRolled
from hardware import proof


class CupStage(Enum):
    """The stage of a match at a cup."""

    NONE = "none"
    COMMITTED = "committed"
    """The cup is committed to its seed and awaits the players' words."""
    SEALED = "sealed"
    """The words are bound in; the cup can roll."""
    REVEALED = "revealed"
    """The seed is public: its rolls can be verified, and no more are made from it."""


@dataclass(slots=True)
class CupMatch:
    """One match at a cup, according to the record."""

    committed: CupCommitted
    sealed: CupSealed | None = None
    rolls: list[CupRolled] = field(default_factory=list)
    seed: bytes | None = None
    late: list[CupRolled] = field(default_factory=list)
    """Rolls recorded only after the seed was public, and which could therefore have been chosen."""

    @property
    def stage(self) -> CupStage:
        """How far the match is."""
        if self.seed is not None:
            return CupStage.REVEALED
        return CupStage.COMMITTED if self.sealed is None else CupStage.SEALED

    @property
    def words(self) -> list[str] | None:
        """Light's and dark's words as recorded; None before the match is sealed."""
        return None if self.sealed is None else [self.sealed.light_words, self.sealed.dark_words]

    @property
    def fingerprint(self) -> str:
        """What the players were shown to write down before they entered their words, in hex."""
        made = self.committed
        if not made.program:  # recorded by an older version
            return made.commitment
        commitment, program, unit = map(bytes.fromhex, (made.commitment, made.program, made.cup))
        return proof.fingerprint_of(commitment, program, unit, made.match, made.number).hex()

    @property
    def nonces(self) -> bytes | None:
        """The combined nonce of program and players; None before the match is sealed."""
        if (sealed := self.sealed) is None:
            return None
        host = bytes.fromhex(sealed.host)
        return proof.nonces_of(host, sealed.light_words, sealed.dark_words)


class CupHistory:
    """Follows a record's events, one by one; those that a correction repeats count once."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.newest: CupMatch | None = None
        """The match at the cup; None before the first."""
        self.aside: CupSetAside | None = None
        """The event that set the cup aside; None while the cup is used."""
        self.unbound: list[CupRolled] = []
        """Rolls of a cup that was committed to no seed, and which could therefore have been
        chosen."""
        self._found: dict[tuple[str, int], CupMatch] = {}
        self._rolled: set[tuple[str, int, str, tuple[int, ...]]] = set()
        for event in events:
            self.add(event)

    @property
    def matches(self) -> list[CupMatch]:
        """Every match at a cup, in order."""
        return list(self._found.values())

    @property
    def stage(self) -> CupStage:
        """The stage of the newest match."""
        return CupStage.NONE if self.newest is None else self.newest.stage

    def lacks_seed(self, cup: str, match: int) -> bool:
        """Whether this match of a cup is recorded without the seed that proves its rolls."""
        found = self._found.get((cup, match))
        return found is not None and found.seed is None

    def add(self, event: Event) -> None:
        """Process an event that is recorded or about to be."""
        match event:
            case CupCommitted():
                known = self._found.setdefault((event.cup, event.match), CupMatch(event))
                self.newest = known
            case CupSealed() if (event.cup, event.match) in self._found:
                self.newest = self._found[event.cup, event.match]
                if not self.newest.rolls:  # a match that did not reach the cup was sealed again
                    self.newest.sealed = event
            case CupRolled():
                self._roll(event)
            case CupRevealed() if (event.cup, event.match) in self._found:
                self._found[event.cup, event.match].seed = bytes.fromhex(event.seed)
            case CupSetAside():
                self.aside = event
            case CupTakenUp():
                self.aside = None

    def _roll(self, event: CupRolled) -> None:
        """Add a roll; a known number is a repetition, since a cup numbers its rolls for life."""
        known = event.cup, event.number, event.salt, event.dice
        if known in self._rolled:
            return
        self._rolled.add(known)
        newest = self.newest
        if newest is None or event.cup != newest.committed.cup:
            self.unbound.append(event)
            return
        newest.rolls.append(event)
        if newest.seed is not None:
            newest.late.append(event)


def turn_events(state: MatchState) -> Iterator[Event]:
    """The events of the turn in progress, latest first, back to the roll that counts for it."""
    at: MatchState | None = state
    while at is not None and at.last_event is not None:
        yield at.last_event
        if isinstance(at.last_event, DiceRolled | OpeningRolled):
            return
        at = at.previous
