"""The plays of one roll in the narde family, or one kush of a double, at native speed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.arrays import Boards, Ints, Ints8, Mask
from engine.position import HOME_POINTS, Course, SideVector
from engine.rules.house import CLASSIC, HEAD, HouseRules
from engine.rules.search import SearchResult, run_kernel


@dataclass(frozen=True, slots=True)
class SingleRollSearch:
    """Every distinct result of one roll, without a double's continuation."""

    house: HouseRules = CLASSIC
    most_results: int = 100_000
    """A chain of doubles with more boards than this raises `TooManyPlays`."""
    target: SideVector | None = None
    """The goal of a chain; boards that cannot lead to it are left out."""
    stops: tuple[SideVector, ...] = ()
    """The mover's board after each kush, if they are known; the last holds for all later ones."""

    def search_roll(self, boards: Boards, dice: Ints8, floors: Ints8) -> SearchResult:
        """The results of one roll, or of dice[:, 2] moves of a double.

        dice: (P, 3); floors: (P, 2), see `circling_batch`.
        """
        # Imported here: numba takes longer to import than the rest of the engine together.
        from engine.rules._narde_kernels import circling_batch

        return run_kernel(circling_batch, boards, dice, floors, _kernel_options(self.house))

    def banned_rows(self, board: Boards) -> tuple[tuple[int, ...], ...]:
        """The sets of six own points that this (2, 26) board's mover may not hold."""
        from engine.rules._narde_kernels import rows_banned

        rows = rows_banned(np.ascontiguousarray(board).reshape(-1), self.house.block.value)
        points = (
            [Course.CIRCLING.across(low + n) for n in range(6)]
            for low in range(1, 20)
            if rows >> low & 1
        )
        return tuple(tuple(row) for row in points)

    def floor(self, board: Boards) -> int:
        """How many checkers must stay on this board's head in an ordinary turn."""
        return int(board[0, HEAD]) - self.house.heads if self.house.heads else -1


@lru_cache(maxsize=64)
def _kernel_options(house: HouseRules) -> Ints:
    options = (house.block.value, house.in_passing, house.exact, house.inside.value)
    return np.array([*options, house.one_runner], np.int64)


def can_reach(results: Boards, target: SideVector) -> Mask:
    """(N,) whether no checker is further on than in `target`."""
    behind = np.cumsum(results[:, 0, ::-1], axis=1)
    can_reach: Mask = np.all(behind >= np.cumsum(target[::-1]), axis=1)
    return can_reach


def is_home(results: Boards) -> Mask:
    """(N,) whether all of the mover's checkers are home or off."""
    home: Mask = ~np.any(results[:, 0, HOME_POINTS + 1 :], axis=1)
    return home
