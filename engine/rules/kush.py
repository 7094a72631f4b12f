"""`KushSearch`: one roll, or one kush of equal moves, at native speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Boards
from engine.position import PLACES, SideVector
from engine.rules.found import SearchResult, twice
from engine.rules.house import CLASSIC, HouseRules, Pips

HEAD: Final = 24
HOME: Final = 6
KUSH: Final = 4
_ROWS_A_BOARD: Final = 24
_ROWS_AT_LEAST: Final = 512


@dataclass(frozen=True, slots=True)
class KushSearch:
    """Every distinct result of one roll without what a double adds to it."""

    house: HouseRules = CLASSIC
    most_results: int = 100_000
    """A chain of doubles with more boards than this is refused with `TooManyPlays`."""
    target: SideVector | None = None
    """Where a chain is to lead; boards from which it cannot are left out."""

    def kush(self, boards: Boards, dice: Boards, floors: Boards) -> SearchResult:
        """The results of one roll, or of dice[:, 2] moves of a double.

        dice: (P, 3); floors: (P, 2), see `circling_batch`.
        """
        # Imported here: numba takes longer to import than all the rest of the engine together.
        from engine.rules._narde_kernels import circling_batch

        flat = np.ascontiguousarray(boards.reshape(-1, 2 * PLACES))
        rows = max(_ROWS_AT_LEAST, _ROWS_A_BOARD * len(flat))
        results, moves = np.empty((rows, 2 * PLACES), np.int8), np.empty(rows, np.int64)
        offsets = np.zeros(len(flat) + 1, np.int64)
        house, done = _numbers(self.house), 0
        done = circling_batch(flat, dice, floors, house, 0, results, moves, offsets)
        while done < len(flat):
            results, moves = twice(results), twice(moves)
            done = circling_batch(flat, dice, floors, house, done, results, moves, offsets)
        found = offsets[-1]
        return SearchResult(results[:found].reshape(-1, 2, PLACES), moves[:found], offsets)

    def exactly(self, board: Boards, dice: Sequence[int]) -> set[bytes]:
        """Every board after these dice are all played in this order."""
        boards, floor = board[None], self.floor(board)
        for die in dice:
            one = np.full((len(boards), 3), (die, die, 1), np.int8)
            found = self.kush(boards, one, np.full((len(boards), 2), floor, np.int8))
            boards = _once(found.results[found.moves != 0])
        return {one.tobytes() for one in boards}

    def floor(self, board: Boards) -> int:
        """How many checkers must stay on the head of this board in an ordinary turn."""
        return int(board[0, HEAD]) - self.house.heads if self.house.heads else -1


def as_pair(pips: NDArray[np.int8]) -> Pips:
    """A row of dice as a plain pair."""
    return int(pips[0]), int(pips[1])


def _once(boards: Boards) -> Boards:
    return np.unique(boards.reshape(-1, 2 * PLACES), axis=0).reshape(-1, 2, PLACES)


@lru_cache(maxsize=64)
def _numbers(house: HouseRules) -> NDArray[np.int64]:
    """The options as the kernel reads them."""
    options = (house.block.value, house.in_passing, house.exact, house.inside.value)
    return np.array([*options, house.one_runner], np.int64)


def is_home(results: Boards) -> NDArray[np.bool_]:
    """(N,) whether all of the mover's checkers are home or off."""
    home: NDArray[np.bool_] = ~np.any(results[:, 0, HOME + 1 :], axis=1)
    return home
