"""Clusters the dice of a match by color.

A cluster is one die, or the two of a pair. One die's colors vary, most of all in lightness, because
a lamp lights no two places alike and gloss brightens; so clusters are clearly separated, and two
that differ only by light or gloss are merged. Faces play no part: dice sorted by what they showed
would seem loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.dice_sets.colour import lab_of, linear_of
from engine.evidence.observation import Colour, DieAppearance, median_appearance

Appearances = Sequence[DieAppearance | None]

CLUSTER_GAP: Final = 9.0
"""Color units, with lightness weighted, between clusters. In the odd-numbered development stills,
nine dice in ten are within 11 of their cluster's center, each still in its own light; in one light,
within 4."""
LIGHTNESS_WEIGHT: Final = 0.5
"""The weight of a unit of lightness relative to one of a or b."""
MIN_DICE: Final = 3
"""Minimum number of dice in a cluster ..."""
MIN_SHARE: Final = 0.03
"""... and their minimum fraction of all dice in the match; fewer are outliers."""
BRIGHTNESS_RATIOS: Final = np.geomspace(0.6, 1 / 0.6, 11)
"""How much brighter one place on a board may be lit than another."""
GLOSS_SHARES: Final = np.linspace(0, 0.3, 7)
"""Fraction of a white lamp's reflection in the light from a glossy die: it pales, but keeps its
hue."""
MAX_GLOSS_DISTANCE: Final = 4.0
"""Units within which gloss explains a difference: this keeps brown and white dice 6 apart."""
COLOUR_BIN: Final = 1.5
"""Color differences in units that are not resolved."""
MIN_CLUSTER_PAIR_SHARE: Final = 0.2
"""Fraction of a cluster's throws with both of its dice from which it is a pair; fewer are
misreadings."""


@dataclass(frozen=True, slots=True)
class DiceCluster:
    """Dice of one color."""

    appearance: DieAppearance
    is_pair: bool
    """Whether two of them are thrown together."""
    observation_count: int


@dataclass(frozen=True, slots=True)
class ClusteredDice:
    """The dice of the throws, by cluster."""

    clusters: tuple[DiceCluster, ...]
    """Most frequent first."""
    indices: tuple[tuple[int | None, ...], ...]
    """The index in `clusters` per throw and die; None for an outlier or an unseen color."""


def cluster_dice(throws: Sequence[Appearances]) -> ClusteredDice:
    """The clusters of the dice thrown; none while too few have been seen."""
    seen = [appearance for throw in throws for appearance in throw if appearance is not None]
    labels = _dbscan(np.array([_vector(appearance.body) for appearance in seen]).reshape(-1, 3))
    labels = _merged(labels, seen)
    sizes = {label: int((labels == label).sum()) for label in set(labels.tolist()) - {-1}}
    ranked = sorted(sizes, key=lambda label: -sizes[label])
    in_order = iter([None if label < 0 else ranked.index(label) for label in labels.tolist()])
    indices = tuple(
        tuple(None if appearance is None else next(in_order) for appearance in throw)
        for throw in throws
    )
    clusters = tuple(
        DiceCluster(_median(seen, labels == label), _is_pair(number, indices), sizes[label])
        for number, label in enumerate(ranked)
    )
    return ClusteredDice(clusters, indices)


def colour_distance(one: DieAppearance, other: DieAppearance) -> float:
    """Color distance between two appearances in units, with lightness weighted."""
    return float(np.linalg.norm(_vector(one.body) - _vector(other.body)))


def is_same_but_for_light(one: DieAppearance, other: DieAppearance) -> bool:
    """Whether a lamp nearer or farther, or its reflection, could turn one into the other."""
    bodies = one.body, other.body
    gloss = min(_distance_with_gloss(*bodies), _distance_with_gloss(*bodies[::-1]))
    return _distance_in_any_light(*bodies) < CLUSTER_GAP or gloss < MAX_GLOSS_DISTANCE


def _vector(body: Colour) -> Floats:
    return np.array((body[0] * LIGHTNESS_WEIGHT, body[1], body[2]))


def _median(seen: Sequence[DieAppearance], chosen: Mask) -> DieAppearance:
    median = median_appearance([one for one, is_one in zip(seen, chosen, strict=True) if is_one])
    assert median is not None, "a cluster has dice"  # noqa: S101
    return median


def _is_pair(cluster: int, indices: Sequence[tuple[int | None, ...]]) -> bool:
    whole = [throw for throw in indices if cluster in throw and len(throw) == 2]
    whole = [throw for throw in whole if None not in throw]
    return sum(throw[0] == throw[1] for throw in whole) > MIN_CLUSTER_PAIR_SHARE * len(whole)


def _dbscan(colours: Floats) -> Ints:
    """(N,) the cluster of each of (N, 3) colors, -1 for outliers (DBSCAN, Ester et al. 1996).

    A non-core color belongs to a cluster if it is the only one within reach.
    """
    if not len(colours):
        return np.zeros(0, np.int64)
    bins, member, count = np.unique(
        np.rint(colours / COLOUR_BIN), axis=0, return_inverse=True, return_counts=True
    )
    distances = np.linalg.norm(bins[:, None] - bins[None], axis=-1) * COLOUR_BIN
    near = distances < CLUSTER_GAP
    is_core = near @ count >= MIN_DICE
    labels = _connected(near, is_core)
    for one in np.flatnonzero(~is_core):
        around = set(labels[near[one] & is_core].tolist())
        labels[one] = around.pop() if len(around) == 1 else -1
    least = max(MIN_DICE, MIN_SHARE * len(colours))
    for label in set(labels.tolist()) - {-1}:
        if count[labels == label].sum() < least:
            labels[labels == label] = -1
    return np.asarray(labels[member.ravel()], np.int64)


def _connected(near: Mask, is_core: Mask) -> Ints:
    """(N,) the connected components of the cores, labeled by first member; -1 elsewhere."""
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


def _merged(labels: Ints, seen: Sequence[DieAppearance]) -> Ints:
    """The clusters, with those merged that light or gloss may have split."""
    labels = labels.copy()
    while (alike := next(_alike(labels, seen), None)) is not None:
        labels[labels == alike[1]] = alike[0]
    return labels


def _alike(labels: Ints, seen: Sequence[DieAppearance]) -> Iterator[tuple[int, int]]:
    medians = {
        label: _median(seen, labels == label) for label in sorted(set(labels.tolist()) - {-1})
    }
    for one, other in combinations(medians, 2):
        if is_same_but_for_light(medians[one], medians[other]):
            yield one, other


def _distance_in_any_light(one: Colour, other: Colour) -> float:
    """Distance from the other color to the first, at whichever brightness is nearest."""
    return _least_distance(linear_of(one) * BRIGHTNESS_RATIOS[:, None], other)


def _distance_with_gloss(one: Colour, other: Colour) -> float:
    """Distance from the other color to the first, with whichever gloss is nearest."""
    share = GLOSS_SHARES[:, None]
    return _least_distance(linear_of(one) * (1 - share) + share, other)


def _least_distance(linear: Floats, other: Colour) -> float:
    """The least distance in units from (N, 3) linear colors to a color."""
    vectors = lab_of(linear) * (LIGHTNESS_WEIGHT, 1, 1)
    return float(np.linalg.norm(vectors - _vector(other), axis=1).min())
