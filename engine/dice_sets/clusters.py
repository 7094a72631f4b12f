"""Which dice are of one kind: the looks of a match sorted by colour, as far as colours tell.

A kind is what looks alike: one die, or the two of a pair. Looks of one die are spread, most of all
in lightness, for a lamp lights no two places alike and gloss brightens; so kinds are heaps
with a clear gap between them, and two heaps that light or gloss may have made of one die are one.
Faces play no part: dice that were sorted by what they showed would look loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.dice_sets.colour import lab_of, linear_of
from engine.evidence.observation import Colour, DieAppearance, median_appearance

Appearances = Sequence[DieAppearance | None]

GAP: Final = 9.0
"""Units of colour, lightness halved, between kinds; among the odd development stills, each in its
own light, nine in ten looks lie within 11 of the middle of their kind, in one light within 4."""
LIGHTNESS: Final = 0.5
"""What a unit of it counts beside one of a or b."""
FEWEST: Final = 3
"""Looks that make a kind."""
SHARE: Final = 0.03
"""... and of all looks of the match: fewer are strays."""
SHADES: Final = np.geomspace(0.6, 1 / 0.6, 11)
"""How much brighter one place of a board may be lit than another."""
GLOSSES: Final = np.linspace(0, 0.3, 7)
"""Share of a white lamp's reflection in the light from a glossy die: it pales and keeps its hue."""
GLOSS_REACH: Final = 4.0
"""Units within which that explains a difference: brown and white dice are 6 from each other so."""
BIN: Final = 1.5
"""Units of colour within which looks are the same here."""
ALIKE_THROWS: Final = 0.2
"""Share of a kind's throws with both dice of it from which it is a pair; below, misreadings."""


@dataclass(frozen=True, slots=True)
class DiceCluster:
    """Dice that look alike."""

    appearance: DieAppearance
    is_pair: bool
    """Whether two of them are thrown together."""
    observation_count: int


@dataclass(frozen=True, slots=True)
class ClusteredDice:
    """The dice of throws, by kind."""

    clusters: tuple[DiceCluster, ...]
    """The most frequent first."""
    indices: tuple[tuple[int | None, ...], ...]
    """Per throw and die its place in `kinds`; None where nothing tells."""


def cluster_dice(throws: Sequence[Appearances]) -> ClusteredDice:
    """The kinds of dice that were thrown; no kinds while too little was seen."""
    looks = [make for throw in throws for make in throw if make is not None]
    labels = _heaps(np.array([_place(make.body) for make in looks]).reshape(-1, 3))
    labels = _merged(labels, looks)
    ranked = sorted(set(labels.tolist()) - {-1}, key=lambda label: -int((labels == label).sum()))
    told = iter([None if label < 0 else ranked.index(label) for label in labels.tolist()])
    of = tuple(tuple(None if make is None else next(told) for make in throw) for throw in throws)
    kinds = [
        DiceCluster(
            _usual(looks, labels == label), _is_pair(number, of), int((labels == label).sum())
        )
        for number, label in enumerate(ranked)
    ]
    return ClusteredDice(tuple(kinds), of)


def colour_distance(one: DieAppearance, other: DieAppearance) -> float:
    """Units of colour between two makes, lightness halved."""
    return float(np.linalg.norm(_place(one.body) - _place(other.body)))


def is_same_but_for_light(one: DieAppearance, other: DieAppearance) -> bool:
    """Whether a lamp nearer or farther, or its reflection, could make one of the other."""
    bodies = one.body, other.body
    gloss = min(_glossed(*bodies), _glossed(*bodies[::-1]))
    return _shaded(*bodies) < GAP or gloss < GLOSS_REACH


def _place(body: Colour) -> Floats:
    return np.array((body[0] * LIGHTNESS, body[1], body[2]))


def _usual(looks: Sequence[DieAppearance], chosen: NDArray[np.bool_]) -> DieAppearance:
    make = median_appearance([look for look, is_one in zip(looks, chosen, strict=True) if is_one])
    assert make is not None, "a kind has looks"  # noqa: S101
    return make


def _is_pair(kind: int, of: Sequence[tuple[int | None, ...]]) -> bool:
    whole = [throw for throw in of if kind in throw and len(throw) == 2 and None not in throw]
    alike = sum(throw[0] == throw[1] for throw in whole)
    return alike > ALIKE_THROWS * len(whole)


# --- heaps ---


def _heaps(places: Floats) -> Ints:
    """(N,) the heap of each of (N, 3) places, -1 for strays.

    What has enough others around it holds its heap together (Ester et al. 1996, DBSCAN); the
    rest belongs to the only heap within reach.
    """
    if not len(places):
        return np.zeros(0, np.int64)
    bins, member, count = np.unique(
        np.rint(places / BIN), axis=0, return_inverse=True, return_counts=True
    )
    apart = np.linalg.norm(bins[:, None] - bins[None], axis=-1) * BIN
    near = apart < GAP
    is_core = near @ count >= FEWEST
    labels = _connected(near, is_core)
    for one in np.flatnonzero(~is_core):
        around = set(labels[near[one] & is_core].tolist())
        labels[one] = around.pop() if len(around) == 1 else -1
    least = max(FEWEST, SHARE * len(places))
    for label in set(labels.tolist()) - {-1}:
        if count[labels == label].sum() < least:
            labels[labels == label] = -1
    return np.asarray(labels[member.ravel()], np.int64)


def _connected(near: NDArray[np.bool_], is_core: NDArray[np.bool_]) -> Ints:
    """(N,) the parts into which what is near falls, among the core; -1 elsewhere."""
    labels = np.full(len(near), -1, np.int64)
    for seed in np.flatnonzero(is_core):
        if labels[seed] >= 0:
            continue
        part = np.zeros(len(near), np.bool_)
        part[seed] = True
        grown = part
        while grown.any():
            grown = near[grown].any(axis=0) & is_core & ~part
            part |= grown
        labels[part] = seed
    return labels


# --- one die in two lights ---


def _merged(labels: Ints, looks: Sequence[DieAppearance]) -> Ints:
    """The heaps, those as one that light or gloss may have made of one die."""
    labels = labels.copy()
    while (alike := next(_alike(labels, looks), None)) is not None:
        labels[labels == alike[1]] = alike[0]
    return labels


def _alike(labels: Ints, looks: Sequence[DieAppearance]) -> Iterator[tuple[int, int]]:
    heaps = sorted(set(labels.tolist()) - {-1})
    makes = {label: _usual(looks, labels == label) for label in heaps}
    for number, one in enumerate(heaps):
        for two in heaps[number + 1 :]:
            if is_same_but_for_light(makes[one], makes[two]):
                yield one, two


def _shaded(one: Colour, other: Colour) -> float:
    """How unlike the other the first is in whichever of `SHADES` makes it most alike."""
    return float(_unlike(linear_of(one) * SHADES[:, None], other).min())


def _glossed(one: Colour, other: Colour) -> float:
    """How unlike the other the first is with whichever gloss makes it most alike."""
    share = GLOSSES[:, None]
    return float(_unlike(linear_of(one) * (1 - share) + share, other).min())


def _unlike(linear: Floats, other: Colour) -> Floats:
    """(N,) units between (N, 3) lights and a colour."""
    places = lab_of(linear) * (LIGHTNESS, 1, 1)
    return np.asarray(np.linalg.norm(places - _place(other), axis=1))
