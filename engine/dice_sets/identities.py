"""Names of dice that stay the same from match to match.

`DieIdentities` is a fold over matches in order: dice that resemble earlier ones get their name, and
no later match changes a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from engine.dice_sets.clusters import DiceCluster, colour_distance, is_same_but_for_light
from engine.dice_sets.colour import colour_name
from engine.dice_sets.names import COLOUR_NAMES
from engine.evidence.observation import DieAppearance

MAX_MATCH_DISTANCE: Final = 15.0
"""Color units, with lightness weighted, within which dice may be those of an earlier match: the
board may have been learned again in another light."""
MIN_SHADE_DIFFERENCE: Final = 12.0
"""Units of lightness from which the darker of two clusters with one name is called dark."""


@dataclass(frozen=True, slots=True)
class DieIdentity:
    """The dice of one cluster seen before."""

    name: str
    appearance: DieAppearance
    is_pair: bool


@dataclass(frozen=True, slots=True)
class DieIdentities:
    """The dice of all matches so far, in the order in which they first appeared."""

    known: tuple[DieIdentity, ...] = ()

    def after(self, clusters: Sequence[DiceCluster]) -> tuple[DieIdentities, tuple[str, ...]]:
        """These with the dice of one more match, and the name of each of that match's clusters."""
        known = list(self.known)
        names: list[str] = []
        for cluster in clusters:
            index = _find(cluster, known, names)
            name = _new_name(cluster, known) if index is None else known[index].name
            identity = DieIdentity(name, cluster.appearance, cluster.is_pair)
            if index is None:
                known.append(identity)
            else:
                known[index] = identity
            names.append(name)
        return DieIdentities(tuple(known)), tuple(names)


def _find(cluster: DiceCluster, known: Sequence[DieIdentity], taken: Sequence[str]) -> int | None:
    """The index of the nearest identity, or of the only one that differs by light alone."""
    free = [
        (colour_distance(cluster.appearance, one.appearance), index)
        for index, one in enumerate(known)
        if one.is_pair == cluster.is_pair and one.name not in taken
    ]
    distance, nearest = min(free, default=(MAX_MATCH_DISTANCE, -1))
    if distance < MAX_MATCH_DISTANCE:
        return nearest
    similar = [
        index
        for _, index in free
        if is_same_but_for_light(cluster.appearance, known[index].appearance)
    ]
    return similar[0] if len(similar) == 1 else None


def _new_name(cluster: DiceCluster, known: Sequence[DieIdentity]) -> str:
    pair, die = COLOUR_NAMES[colour_name(cluster.appearance.body)]
    name = str(pair if cluster.is_pair else die)
    namesakes = [one for one in known if one.name == name]
    if not namesakes:
        return name
    names = {one.name for one in known}
    difference = cluster.appearance.body[0] - namesakes[0].appearance.body[0]
    shaded = f"{name}, the {'lighter' if difference > 0 else 'darker'}"
    if abs(difference) >= MIN_SHADE_DIFFERENCE and shaded not in names:
        return shaded
    numbered = (f"{name} no. {number}" for number in count(2))
    return next(one for one in numbered if one not in names)
