"""Whose dice are on the board, judging by the colors that each player has thrown so far."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from engine.dice_sets.clusters import CLUSTER_GAP, cluster_dice, colour_distance
from engine.events.match import DiceRolled, Event
from engine.evidence.observation import DieAppearance, Observation
from engine.position import Side

MIN_OWN_THROWS: Final = 4
"""Throws of each player with their own pair; if they shared two pairs and took either at random,
this would happen once in 128 times."""
MAX_MISREAD_SHARE: Final = 0.05
"""Fraction of a pair's throws that may be recorded for the other player."""
MAX_THROWS: Final = 100
"""Number of latest throws from which owners are learned, because dice are changed now and then."""
MIN_DISTANCE_RATIO: Final = 2.0
"""Minimum ratio of a die's color distance from the other player's dice to that from its owner's."""


class DiceOwners:
    """Learns each player's pair from the throws of a match, and assigns dice to players.

    Only when an observation shows dice of both players: two of one color are thrown by whoever is
    on turn, or one by each player for the opening roll.
    """

    def __init__(self) -> None:
        self._thrown: deque[DiceRolled] = deque(maxlen=MAX_THROWS)
        self._pairs: Mapping[Side, DieAppearance] | None = None

    def learn(self, events: Iterable[Event]) -> None:
        """Learn from the throws among new events."""
        thrown = [event for event in events if isinstance(event, DiceRolled) and event.dice_at_rest]
        if thrown:
            self._thrown.extend(thrown)
            self._pairs = None

    def with_owners(self, observation: Observation) -> Observation:
        """The observation with `side` set if it shows dice of both players; otherwise unchanged."""
        dice = observation.dice
        if sum(die.appearance is not None for die in dice) < 2:
            return observation
        sides = [None if die.appearance is None else self.side_of(die.appearance) for die in dice]
        if not set(Side) <= set(sides):
            return observation
        owned = (replace(die, side=side) for die, side in zip(dice, sides, strict=True))
        return replace(observation, dice=tuple(owned))

    def side_of(self, appearance: DieAppearance) -> Side | None:
        """Whose die it is; None if that is unclear or not known yet."""
        if self._pairs is None:
            self._pairs = _own_pairs(self._thrown)
        if set(self._pairs) != set(Side):
            return None
        distances = {side: colour_distance(appearance, self._pairs[side]) for side in Side}
        own = min(Side, key=lambda side: distances[side])
        is_clear = distances[own.other] > MIN_DISTANCE_RATIO * distances[own]
        return own if is_clear and distances[own] < CLUSTER_GAP else None


def _own_pairs(thrown: Iterable[DiceRolled]) -> dict[Side, DieAppearance]:
    """The pair that each player throws and the other does not; if several, the most frequent."""
    events = tuple(thrown)
    found = cluster_dice([[die.appearance for die in event.dice_at_rest] for event in events])
    pairs: dict[Side, DieAppearance] = {}
    for number, cluster in enumerate(found.clusters):
        players = [
            event.player
            for event, indices in zip(events, found.indices, strict=True)
            if indices == (number, number)
        ]
        owner = max(Side, key=players.count)
        own = players.count(owner)
        if own >= MIN_OWN_THROWS and own >= (1 - MAX_MISREAD_SHARE) * len(players):
            pairs.setdefault(owner, cluster.appearance)
    return pairs
