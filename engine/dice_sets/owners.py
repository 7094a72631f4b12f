"""Whose dice lie there when both players' do: by colours that each has kept to so far."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from engine.dice_sets.clusters import GAP, cluster_dice, colour_distance
from engine.events.match import DiceRolled, Event
from engine.evidence.observation import DieAppearance, Observation
from engine.position import Side

FEWEST: Final = 4
"""Throws of each player with his own pair; if they shared two pairs and took either by chance, this
would come about once in 128 times."""
ASTRAY: Final = 0.05
"""Share of a pair's throws that may be told of the other player: turns misjudged, dice misseen."""
REMEMBERED: Final = 100
"""Throws from which it is learnt: dice are changed now and then."""
CLEARLY: Final = 2.0
"""How many times as unlike the other player's dice a die must be as its owner's."""


class DiceOwners:
    """Learns each player's pair from the throws of a match, and marks the dice of looks.

    Only looks that show dice of both players are marked: there it is asked whose is whose. Two dice
    of one colour are thrown by whoever is on turn, or draw lots, one for each player.
    """

    def __init__(self) -> None:
        self._thrown: deque[DiceRolled] = deque(maxlen=REMEMBERED)
        self._pairs: Mapping[Side, DieAppearance] | None = None

    def learn(self, events: Iterable[Event]) -> None:
        """Learn from the throws among new events."""
        thrown = [event for event in events if isinstance(event, DiceRolled) and event.dice_at_rest]
        if thrown:
            self._thrown.extend(thrown)
            self._pairs = None

    def with_owners(self, look: Observation) -> Observation:
        """The look with `side` set where it shows dice of both players; else as it is."""
        if sum(die.appearance is not None for die in look.dice) < 2:
            return look
        sides = [
            None if die.appearance is None else self.side_of(die.appearance) for die in look.dice
        ]
        if not set(Side) <= set(sides):
            return look
        dice = zip(look.dice, sides, strict=True)
        return replace(look, dice=tuple(replace(die, side=side) for die, side in dice))

    def side_of(self, make: DieAppearance) -> Side | None:
        """Whose die looks like that; None where it is not clear, or not known yet."""
        pairs = self._known()
        if set(pairs) != set(Side):
            return None
        apart = {side: colour_distance(make, pair) for side, pair in pairs.items()}
        own = min(Side, key=lambda side: apart[side])
        is_clear = apart[own] < GAP and apart[own.other] > CLEARLY * apart[own]
        return own if is_clear else None

    def _known(self) -> Mapping[Side, DieAppearance]:
        if self._pairs is None:
            self._pairs = _own_pairs(self._thrown)
        return self._pairs


def _own_pairs(thrown: Iterable[DiceRolled]) -> dict[Side, DieAppearance]:
    """The pair that each player throws and the other does not; of several the most frequent."""
    events = tuple(thrown)
    found = cluster_dice([[lay.appearance for lay in event.dice_at_rest] for event in events])
    pairs: dict[Side, DieAppearance] = {}
    for number, kind in enumerate(found.clusters):
        players = [
            event.player
            for event, kinds in zip(events, found.indices, strict=True)
            if kinds == (number, number)
        ]
        owner = max(Side, key=players.count)
        own = players.count(owner)
        if own >= FEWEST and own >= (1 - ASTRAY) * len(players):
            pairs.setdefault(owner, kind.appearance)
    return pairs
