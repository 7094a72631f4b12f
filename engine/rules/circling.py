"""Search of the narde family: both sides travel the same way round and nothing is hit.

One kush at a time is searched at native speed (engine/rules/_narde_kernels.py); a rising double is
a chain of kushes, each played as far as it goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Boards
from engine.dice import ALL_ROLLS, Roll
from engine.position import CHECKERS, PLACES, SideVector
from engine.rules.chain import follow, play_left
from engine.rules.found import Rows, SearchResult
from engine.rules.house import (
    UNKNOWN,
    HomeMoves,
    LeftoverMoves,
    Pips,
    SixPrime,
    TurnContext,
    as_pips,
)
from engine.rules.kush import HEAD, KUSH, KushSearch, as_pair
from engine.rules.reasons import Reason


@dataclass(frozen=True, slots=True)
class CirclingSearch(KushSearch):
    """Every distinct result of whole turns; a `Search` of `Rules`."""

    def __call__(self, boards: Boards, dice: Boards, moment: TurnContext = UNKNOWN) -> SearchResult:
        """The results of whole turns; chains of rising doubles are played to their ends."""
        turns = [self._floors(board, as_pair(pips), moment) for board, pips in _each(boards, dice)]
        floors = np.array(turns, np.int8).reshape(-1, 2)
        doubles = dice[:, 0] == dice[:, 1]
        times = np.where(doubles, KUSH, 0)
        found = self.kush(boards, np.column_stack([dice, times]).astype(np.int8), floors)
        passing = self.house.doubles
        if passing.rising or passing.passing is not LeftoverMoves.NOTHING or passing.rolls_again:
            return follow(self, boards, dice, found)
        return found

    def of_one(
        self, own: SideVector, other: SideVector, roll: Roll, moment: TurnContext = UNKNOWN
    ) -> Rows:
        """The results of one board."""
        boards = np.array([(own, other)], np.int8)
        found = self(boards, np.array([(roll.high, roll.low)], np.int8), moment)
        return found.results, found.moves, found.leftover

    def toward(self, own: SideVector) -> CirclingSearch:
        """The search that follows a chain of doubles only where it can lead to `own`."""
        return replace(self, target=own)

    def leftover(self, board: Boards, numbers: Sequence[int]) -> Rows:
        """The results of playing what the opponent passed on, each kush as far as it goes.

        The head and block rules hold.
        """
        return play_left(self, board, numbers)

    def relaxed(self) -> Iterator[tuple[Reason, CirclingSearch]]:
        """The search without one of its rules, and the name of that rule."""
        house = self.house
        if house.heads:
            yield Reason.HEAD_RULE, replace(self, house=replace(house, heads=0))
        if house.one_runner:
            yield Reason.ONE_RUNNER, replace(self, house=replace(house, one_runner=False))
        if house.block is not SixPrime.ANY:
            yield Reason.BLOCK_RULE, replace(self, house=replace(house, block=SixPrime.ANY))
        if house.exact:
            yield Reason.BEAR_OFF_NOT_EXACT, replace(self, house=replace(house, exact=False))
        if house.inside is not HomeMoves.ALWAYS:
            free = replace(house, inside=HomeMoves.ALWAYS)
            yield Reason.MOVED_IN_HOME, replace(self, house=free)

    def _floors(self, board: Boards, roll: Pips, moment: TurnContext) -> tuple[int, int]:
        floor, first = self.floor(board), moment.first_turn
        if first is None:
            first = board[0, HEAD] == CHECKERS
        if self.house.heads != 1 or not first:
            return floor, floor
        firsts = _first_rolls(self, board, moment)
        return floor, floor - int(self.house.gives_second_head(roll, firsts))


def _each(boards: Boards, dice: Boards) -> Iterator[tuple[Boards, NDArray[np.int8]]]:
    return zip(boards.reshape(-1, 2, PLACES), dice, strict=True)


def _first_rolls(
    search: CirclingSearch, board: Boards, moment: TurnContext
) -> frozenset[Pips] | None:
    """What the opponent may have rolled first; None if he has not rolled."""
    if moment.opponent_first_roll is not None:
        first = moment.opponent_first_roll
        return frozenset({(max(first), min(first))})
    if moment.first_turn is not None or board[1, HEAD] == CHECKERS:
        return None
    return _first_boards(replace(search, target=None)).get(board[1].tobytes(), frozenset())


@lru_cache(maxsize=32)
def _first_boards(search: CirclingSearch) -> dict[bytes, frozenset[Pips]]:
    """The side vectors that a starter's first turn leads to, and the rolls that lead there."""
    start = np.zeros((2, PLACES), np.int8)
    start[:, HEAD] = CHECKERS
    reached: dict[bytes, frozenset[Pips]] = {}
    for roll in ALL_ROLLS:
        pips = np.array([as_pips(roll)], np.int8)
        for own, _ in search(start[None], pips, TurnContext(first_turn=True)).results:
            known = reached.get(own.tobytes(), frozenset())
            reached[own.tobytes()] = known | {as_pips(roll)}
    return reached
