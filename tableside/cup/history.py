"""What a record holds of dice cups: their matches, how far each is, and whether one is set aside.

What is asked of the turn in progress is read back from the newest state; a restart changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from engine import Event, MatchState, Phase
from engine.events.cup import (
    CupCommitted,
    CupDecided,
    CupDisagrees,
    CupRevealed,
    CupRolled,
    CupSealed,
    CupSetAside,
    CupTakenUp,
)
from engine.events.match import DiceRolled, OpeningRolled, TurnEnded
from hardware import proof


class CupStage(Enum):
    """How far a match at a cup is."""

    NONE = "none"
    COMMITTED = "committed"
    """The cup is bound to its seed; the players' words are awaited."""
    SEALED = "sealed"
    """The words are bound in: it rolls."""
    REVEALED = "revealed"
    """The seed is told: its rolls can be proven, and no more are made of it."""


@dataclass(slots=True)
class CupMatch:
    """One match at a cup as the record has it."""

    committed: CupCommitted
    sealed: CupSealed | None = None
    rolls: list[CupRolled] = field(default_factory=list)
    seed: bytes | None = None
    late: list[CupRolled] = field(default_factory=list)
    """Rolls that were recorded first after the seed was told: whoever knew it could choose them."""

    @property
    def stage(self) -> CupStage:
        """How far it is."""
        if self.seed is not None:
            return CupStage.REVEALED
        return CupStage.COMMITTED if self.sealed is None else CupStage.SEALED

    @property
    def fresh_words(self) -> list[str] | None:
        """What light and dark said, while no roll was made with it yet: each can still look."""
        if self.sealed is None or self.rolls:
            return None
        return [self.sealed.light_words, self.sealed.dark_words]

    @property
    def nonces(self) -> bytes | None:
        """Those of all three; None before they were told."""
        sealed = self.sealed
        if sealed is None:
            return None
        host = bytes.fromhex(sealed.host)
        return proof.nonces_of(host, sealed.light_words, sealed.dark_words)


class CupHistory:
    """Takes a record's events in, one by one; what a correction tells again is there once."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.newest: CupMatch | None = None
        """The match at the cup; None before any."""
        self.aside: CupSetAside | None = None
        """Why no cup is used; None while one is."""
        self.unbound: list[CupRolled] = []
        """Rolls of a cup that the record has bound to nothing: whoever told them could choose."""
        self._found: dict[tuple[str, int], CupMatch] = {}
        self._rolled: set[tuple[str, int, str, tuple[int, ...]]] = set()
        for event in events:
            self.take(event)

    @property
    def matches(self) -> list[CupMatch]:
        """Every match at a cup, in order."""
        return list(self._found.values())

    @property
    def stage(self) -> CupStage:
        """How far the newest match is."""
        return CupStage.NONE if self.newest is None else self.newest.stage

    def take(self, event: Event) -> None:
        """The event is recorded."""
        match event:
            case CupCommitted():
                told = self._found.setdefault((event.cup, event.match), CupMatch(event))
                self.newest = told
            case CupSealed() if (event.cup, event.match) in self._found:
                self.newest = self._found[event.cup, event.match]
                if not self.newest.rolls:  # one that did not reach the cup was told again
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
        """A cup counts the rolls of its life: one of an earlier match is told again, not made."""
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


# The turn in progress


def _back(state: MatchState) -> Iterator[Event]:
    """The newest events, the last first, back to the roll that stands, which is among them."""
    at: MatchState | None = state
    while at is not None and at.last_event is not None:
        yield at.last_event
        if isinstance(at.last_event, DiceRolled | OpeningRolled):
            return
        at = at.previous


def waiting_throws(state: MatchState) -> list[CupRolled]:
    """Throws of the cup that came after the roll that stands, and that nobody has set aside."""
    waiting: list[CupRolled] = []
    for event in _back(state):
        if isinstance(event, CupSetAside):
            break
        if isinstance(event, CupRolled):
            waiting.append(event)
    return waiting[::-1]


def has_ended_a_turn(state: MatchState, thrown: CupRolled) -> bool:
    """Whether that throw has told the end of the turn before it."""
    is_ended = False
    for event in _back(state):
        if isinstance(event, CupRolled) and event.number == thrown.number:
            return is_ended
        is_ended |= isinstance(event, TurnEnded) and event.by == "cup"
    return False


def cups_roll(state: MatchState) -> tuple[int, ...] | None:
    """The dice that the cup rolled for the play that is due, the higher first; None if none."""
    if state.phase is not Phase.TO_PLAY:
        return None
    for event in _back(state):
        match event:
            case DiceRolled(by="cup", dice=(int(high), int(low))):
                return high, low
            case OpeningRolled(by="cup", light=int(light), dark=int(dark)):
                return max(light, dark), min(light, dark)
            case _:
                continue
    return None


def told_disagreement(state: MatchState) -> CupDisagrees | CupDecided | None:
    """That two rolls lie there in the turn in progress, or which counts: the newest of these."""
    if state.phase is not Phase.TO_PLAY:
        return None
    return next((one for one in _back(state) if isinstance(one, CupDisagrees | CupDecided)), None)


def open_disagreement(state: MatchState) -> CupDisagrees | None:
    """The two rolls that the referee has to choose from; None where there are none."""
    told = told_disagreement(state)
    return told if isinstance(told, CupDisagrees) else None
