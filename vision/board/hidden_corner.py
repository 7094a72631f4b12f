"""Fields of which a hand, an arm or a cup hides one corner: from the others and the bar's ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats

ON_RAIL: Final = 0.03
"""Lengths of a rail by which a bar's end lies beside the line through its corners, at most."""
HALFWAY: Final = (0.3, 0.7)
"""Shares of a rail, as the picture shows it, within which the bar divides it."""


def completed(corners: Sequence[Floats], ends: Sequence[Floats]) -> Floats:
    """(N, 4, 2) convex rings of pixels: of any three corners and two ends of a bar, and a fourth.

    `corners` and `ends`: (2,) pixels each. The bar is as parallel to a field's ends as these are
    to each other, so the three meet in one vanishing point, and the fourth corner lies where the
    line through it and the corner beside meets the rail that the bar's other end lies on.
    """
    if len(corners) < 3 or len(ends) < 2:
        return np.zeros((0, 4, 2))
    threes, bars = _flat([*permutations(corners, 3)]), _flat([*permutations(ends, 2)])
    beside, between, across = (threes[:, None, n] for n in range(3))
    near, far = (bars[None, :, n] for n in range(2))
    rail = np.cross(across, far)
    vanishing = np.cross(np.cross(between, across), np.cross(near, far))
    hidden = np.cross(rail, np.cross(beside, vanishing))
    every = np.broadcast_arrays(beside, between, across, hidden, near, far)
    with np.errstate(divide="ignore", invalid="ignore"):  # parallels meet nowhere: no ring
        places = [each[..., :2] / each[..., 2:] for each in every]
        *ring, near, far = places
        fit = _divides(ring[0], ring[1], near) & _divides(ring[2], ring[3], far)
        quads = np.stack(ring, axis=2)[fit]
        return np.asarray(quads[_is_convex(quads)])


def _flat(groups: Sequence[Sequence[Floats]]) -> Floats:
    """(N, n, 3) homogeneous pixels."""
    places = np.array(groups)
    return np.concatenate([places, np.ones((*places.shape[:2], 1))], axis=2)


def _divides(one: Floats, other: Floats, end: Floats) -> NDArray[np.bool_]:
    """Whether each `end` lies on the line between two places, and about halfway; all (..., 2)."""
    run, way = other - one, end - one
    length = (run * run).sum(axis=-1)
    share = (run * way).sum(axis=-1) / length
    aside = (run[..., 0] * way[..., 1] - run[..., 1] * way[..., 0]) / length
    return np.asarray((np.abs(aside) < ON_RAIL) & (share > HALFWAY[0]) & (share < HALFWAY[1]))


def _is_convex(quads: Floats) -> NDArray[np.bool_]:
    """(N,) whether each (4, 2) ring turns one way at all four corners."""
    runs = np.roll(quads, -1, axis=1) - quads
    after = np.roll(runs, -1, axis=1)
    turns = runs[..., 0] * after[..., 1] - runs[..., 1] * after[..., 0]
    return np.asarray((turns > 0).all(axis=1) | (turns < 0).all(axis=1))
