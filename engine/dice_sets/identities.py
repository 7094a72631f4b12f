"""What the kinds of dice are called, the same from match to match.

`DieIdentities` is a fold over matches in their order: dice that look like some of before have their
name, and what was named once is never called otherwise because of what came later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.dice_sets.clusters import DiceCluster, colour_distance, is_same_but_for_light
from engine.dice_sets.colour import colour_name
from engine.dice_sets.names import COLOUR_NAMES
from engine.evidence.observation import DieAppearance

SAME: Final = 15.0
"""Units of colour, lightness halved, within which a kind may be one of an earlier match: the board
may have been learnt in another light since."""
CLEARLY: Final = 12.0
"""Units of lightness from which the darker of two like-named kinds is called so."""


@dataclass(frozen=True, slots=True)
class DieIdentity:
    """Dice that were seen before."""

    name: str
    appearance: DieAppearance
    is_pair: bool


@dataclass(frozen=True, slots=True)
class DieIdentities:
    """All that were seen in the matches so far, in the order in which they first appeared."""

    known: tuple[DieIdentity, ...] = ()

    def after(self, kinds: Sequence[DiceCluster]) -> tuple[DieIdentities, tuple[str, ...]]:
        """These with the dice of one more match, and the name of each of its kinds."""
        known = list(self.known)
        names: list[str] = []
        for kind in kinds:
            place = _found(kind, known, names)
            if place is None:
                known.append(DieIdentity(_new_name(kind, known), kind.appearance, kind.is_pair))
                place = len(known) - 1
            known[place] = replace(known[place], appearance=kind.appearance)
            names.append(known[place].name)
        return DieIdentities(tuple(known)), tuple(names)


def _found(kind: DiceCluster, known: Sequence[DieIdentity], taken: Sequence[str]) -> int | None:
    """Which of those known it is: the one most like it, or the only one that light explains."""
    free = [
        (colour_distance(kind.appearance, one.appearance), place)
        for place, one in enumerate(known)
        if one.is_pair == kind.is_pair and one.name not in taken
    ]
    apart, nearest = min(free, default=(SAME, -1))
    if apart < SAME:
        return nearest
    lit = [
        place
        for _, place in free
        if is_same_but_for_light(kind.appearance, known[place].appearance)
    ]
    return lit[0] if len(lit) == 1 else None


def _new_name(kind: DiceCluster, known: Sequence[DieIdentity]) -> str:
    pair, die = COLOUR_NAMES[colour_name(kind.appearance.body)]
    name = str(pair if kind.is_pair else die)
    like = [one for one in known if one.name == name]
    if not like:
        return name
    lighter = kind.appearance.body[0] - like[0].appearance.body[0]
    told = f"{name}, the lighter" if lighter > 0 else f"{name}, the darker"
    names = {one.name for one in known}
    if abs(lighter) >= CLEARLY and told not in names:
        return told
    number = 2
    while f"{name} no. {number}" in names:
        number += 1
    return f"{name} no. {number}"
