"""Bearing off without contact: the rolls that it takes, as effective pips.

A player whose checkers are all home needs, on average, a number of rolls that depends on nothing
else but how well they are played, here to end soonest. Effective pips (EPC) are these rolls times
49/6, the pips of an average roll; wastage is what they exceed the pip count by. Both are Walter
Trice's terms ("Backgammon Boot Camp", 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.position import BAR, CHECKERS, HOME_POINTS, Course, Position, Side

PIPS_PER_ROLL: Final = 49 / 6
BOARDS: Final = comb(CHECKERS + HOME_POINTS, HOME_POINTS)
"""Home boards of up to 15 checkers: 54,264."""


@dataclass(frozen=True, slots=True)
class BearOff:
    """What bearing off takes from here."""

    pips: int
    rolls: float
    """The mean number."""

    @property
    def effective_pips(self) -> float:
        """The EPC."""
        return self.rolls * PIPS_PER_ROLL

    @property
    def wastage(self) -> float:
        """The EPC without the pip count."""
        return self.effective_pips - self.pips


def bear_off(position: Position, side: Side) -> BearOff | None:
    """What `side` needs to bear off; None with contact, or with checkers not at home.

    None in narde too, whose players bear off by other rules. The first call takes a second.
    """
    own, other = position.of(side), position.of(side.other)
    last = max((point for point in range(1, BAR + 1) if own[point]), default=0)
    theirs = max((point for point in range(1, BAR + 1) if other[point]), default=0)
    has_contact = last + theirs > BAR - 1
    if position.course is not Course.OPPOSED or last > HOME_POINTS or has_contact:
        return None
    return home_bear_off(own[1 : HOME_POINTS + 1])


def home_bear_off(counts: Sequence[int]) -> BearOff:
    """The same for the checkers on the points 1 to 6, at most 15."""
    # Imported at first use, as everything that needs numba.
    from engine.study._kernels import board_number

    board = np.array(counts, np.int64)
    pips = sum(point * count for point, count in enumerate(counts, start=1))
    return BearOff(pips, float(_mean_rolls()[board_number(board, _chosen())]))


@cache
def _mean_rolls() -> Floats:
    """(54264,): the mean number of rolls by board; 0.4 MB."""
    from engine.study._kernels import count_rolls

    rolls = count_rolls(BOARDS, _chosen())
    rolls.setflags(write=False)
    return rolls


@cache
def _chosen() -> Ints:
    """(22, 7): the number of ways to choose."""
    size = CHECKERS + HOME_POINTS + 1
    return np.array([[comb(n, k) for k in range(HOME_POINTS + 1)] for n in range(size)])
