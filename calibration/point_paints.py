"""Which points have the same paint.

Colors alternate along each quarter of the board, but with which of the two a quarter begins differs
from board to board.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Final

import numpy as np

from engine.arrays import Floats, Floats32

Shown = Mapping[int, Floats | Floats32]
"""A typical color, (3,), of each point that shows one, by light's number."""
Groups = tuple[list[int], list[int]]
"""The numbers of the points of either paint."""
CLEARER: Final = 0.5
"""Spread within the paints, relative to that of the usual order, from which another is believed."""
_ORDERS: Final = tuple((0, *rest) for rest in product((0, 1), repeat=3))
"""By quarter from light's ace point, whether it begins like the first if colors alternate all
around the board; that they do is the first of these."""


def split_by_paint(shown: Shown) -> Groups:
    """The points of either paint."""
    usual, *others = (_groups(shown, order) for order in _ORDERS)
    best = min(others, key=lambda groups: _spread(shown, groups))
    return best if _spread(shown, best) < CLEARER * _spread(shown, usual) else usual


def _groups(shown: Shown, order: tuple[int, ...]) -> Groups:
    groups: Groups = ([], [])
    for point in shown:
        groups[(point + order[(point - 1) // 6]) % 2].append(point)
    return groups


def _spread(shown: Shown, groups: Groups) -> float:
    """The sum of the points' color distances from their paint."""
    each = [np.array([shown[point] for point in group]) for group in groups if group]
    return float(sum(np.linalg.norm(one - np.median(one, axis=0), axis=1).sum() for one in each))
