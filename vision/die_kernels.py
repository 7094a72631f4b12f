"""The search for a die's face at native speed; slow twin and proof: tests/vision/test_dice.py.

A hypothesis is a place, a turn and a size of the upper face. It is looked at in two ways: the
points of a lattice inside the face are compared with the pips of every face by least squares,
and the picture's slope is measured across the four sides of the square.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Maps = NDArray[np.float32]
_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])

FEATURES: Final = 11
"""What is measured of a hypothesis: 0 fit of the pips, 1 the same without the slow shading,
2-4 share of the sides that is steeper than a faint, clear, strong slope, 5 the weakest side,
6 the second weakest, 7-8 contrast of the pips (faint, strong), 9 weakest side over contrast,
10 smoothness of the whole face."""
NOISE: Final = 20.0  # grey levels squared: sensor and JPEG noise, so that a bare patch fits nothing
FAINT, CLEAR, STRONG = 5.0, 15.0, 40.0  # grey levels per pixel across a side
_OUTLINE: Final = 0.5  # a first look wants this share of clear sides; most places have less
_NEVER: Final = -1e9
_ALONG: Final = 0.26  # a side is looked at in its middle and this many sides to left and right
_VALUES: Final = np.array([0, 1, 1, 2, 2, 3, 4, 5, 5])  # of the nine patterns of die_template


def _compiled(function: _Kernel) -> _Kernel:
    return cast("_Kernel", numba.njit(cache=True, fastmath=True)(function))


@_compiled
def _at(picture: Maps, x: float, y: float, exact: bool) -> float:
    if not exact:
        return float(picture[int(y + 0.5), int(x + 0.5)])
    column, row = int(x), int(y)
    a, b = x - column, y - row
    upper = picture[row, column] * (1 - a) + picture[row, column + 1] * a
    lower = picture[row + 1, column] * (1 - a) + picture[row + 1, column + 1] * a
    return float(upper * (1 - b) + lower * b)


@_compiled
def _look(picture: Maps, where: Floats, lattice: Floats, seen: Floats, exact: bool) -> float:
    """The squares that a level and a slope leave of the lattice's points; `seen` holds them."""
    ux, uy = math.cos(where[2]) * where[3], math.sin(where[2]) * where[3]
    total = squares = slope_x = slope_y = spread = 0.0
    for i in range(len(lattice)):
        a, b = lattice[i, 0], lattice[i, 1]
        value = _at(picture, where[0] + ux * a - uy * b, where[1] + uy * a + ux * b, exact)
        seen[i] = value
        total += value
        squares += value * value
        slope_x += value * a
        slope_y += value * b
        spread += a * a
    level = total * total / len(lattice)
    slopes = (slope_x * slope_x + slope_y * slope_y) / spread
    return max(squares - level - slopes, 0.0) + NOISE * len(lattice)


@_compiled
def _sides(maps: Maps, where: Floats, features: Floats, exact: bool) -> float:
    """Enter the features 2-6; the slope of the weakest side."""
    cos, sin = math.cos(where[2]), math.sin(where[2])
    weakest = second = 1e9
    features[2:5] = 0
    for side in range(4):
        turn = 1.0 if side < 2 else -1.0
        nx, ny = (cos * turn, sin * turn) if side % 2 == 0 else (-sin * turn, cos * turn)
        total = 0.0
        for step in range(-1, 2):
            along = step * _ALONG
            x = where[0] + where[3] * (nx / 2 - ny * along)
            y = where[1] + where[3] * (ny / 2 + nx * along)
            slope = abs(_at(maps[2], x, y, exact) * nx + _at(maps[3], x, y, exact) * ny)
            features[2] += min(slope / FAINT, 1.0) / 12
            features[3] += min(slope / CLEAR, 1.0) / 12
            features[4] += min(slope / STRONG, 1.0) / 12
            total += slope / 3
        if total < weakest:
            weakest, second = total, weakest
        else:
            second = min(second, total)
    features[5] = min(weakest / 15, 1.0)
    features[6] = min(second / 25, 1.0)
    return weakest


@_compiled
def _product(seen: Floats, pattern: Floats) -> float:
    product = 0.0
    for i in range(len(seen)):
        product += seen[i] * pattern[i]
    return product


@_compiled
def _fit(product: float, squares: float, exact: bool) -> float:
    """How well a pattern explains the squares: a log-likelihood of one independent point.

    Otherwise a ratio that grows alike (0.45, 1.1, 1.7 for 0.35, 0.8, 1.5) and needs no logarithm.
    """
    share = min(product * product / squares, 0.995)
    return -0.5 * math.log(1 - share) if exact else share / (1.5 - share)


@_compiled
def search(
    maps: Maps,
    starts: Floats,
    offsets: Floats,
    lattice: Floats,
    patterns: Floats,
    swings: Floats,
    weights: Floats,
    exact: bool,
) -> tuple[Floats, Floats, Floats]:
    """The best hypothesis of every value around every start.

    `maps`: (K, 4, S, S) crops: level, level without shading, slope in x, slope in y;
    `starts`: (Q, 5) crop, x, y, turn (radians), size (pixels); `offsets`: (M, 4) are added to
    them; `lattice`: (N, 2) in sides; `patterns`: (2, 9, N) of unit length, free of level and
    slope; `swings`: (9,) contrast of the pips for one unit of each; `weights`: (6, FEATURES + 1);
    `exact`: between pixels; otherwise at the nearest and without feature 1, in a third of the time.
    Returns scores (Q, 6), places (Q, 6, 4) and features (Q, 6, FEATURES).
    """
    scores = np.full((len(starts), 6), _NEVER)
    places = np.zeros((len(starts), 6, 4))
    measured = np.zeros((len(starts), 6, FEATURES))
    seen, flat = np.zeros(len(lattice)), np.zeros(len(lattice))
    features = np.zeros(FEATURES)
    for q in range(len(starts)):
        crop = maps[int(starts[q, 0])]
        places[q, :] = starts[q, 1:]
        for m in range(len(offsets)):
            where = starts[q, 1:] + offsets[m]
            weakest = _sides(crop, where, features, exact)
            if not exact and features[3] < _OUTLINE:
                continue
            squares = _look(crop[0], where, lattice, seen, exact)
            flat_squares = _look(crop[1], where, lattice, flat, exact) if exact else 1.0
            features[10] = -0.5 * math.log(squares / len(seen))
            for t in range(9):
                product = _product(seen, patterns[0, t])
                swing = abs(product) * swings[t]
                features[0] = _fit(product, squares, exact)
                if exact:
                    features[1] = _fit(_product(flat, patterns[1, t]), flat_squares, True)
                features[7] = min(swing / 30, 1.0)
                features[8] = min(swing / 120, 1.0)
                features[9] = min(weakest / (swing + 5), 0.5)
                value = _VALUES[t]
                score = weights[value, FEATURES]
                for i in range(FEATURES):
                    score += weights[value, i] * features[i]
                if score > scores[q, value]:
                    scores[q, value] = score
                    places[q, value] = where
                    measured[q, value] = features
    return scores, places, measured
