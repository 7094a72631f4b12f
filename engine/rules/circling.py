"""Search for the narde family: both sides move the same way around and nothing is hit.

One kush at a time is searched at native speed (engine/rules/_narde_kernels.py); a rising double is
a chain of kushes, each played as far as possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from engine.arrays import Boards, Ints8
from engine.dice import ALL_ROLLS, Roll
from engine.position import CHECKERS, HOME_POINTS, PLACES, SideVector
from engine.rules.chain import NUMBERS, play_leftover, play_out_doubles
from engine.rules.chain_path import propose_stops
from engine.rules.house import (
    HEAD,
    KUSH_MOVES,
    UNKNOWN,
    HomeMoves,
    LeftoverMoves,
    Pips,
    SixPrime,
    TurnContext,
    as_pips,
)
from engine.rules.reasons import Reason
from engine.rules.search import Rows, SearchResult
from engine.rules.single_roll import SingleRollSearch

_PROPOSALS: Final = 6
"""Ways to a result that are tried before all ways are listed: nearly always the first is legal."""
_MOST_TRIED: Final = 20_000
"""Boards on all ways to a result that are tried then."""
_NOTHING: Final = SearchResult(
    np.empty((0, 2, PLACES), np.int8),
    np.empty((0, NUMBERS), np.int64),
    np.zeros(2, np.int64),
    np.empty((0, NUMBERS), np.int8),
)


@dataclass(frozen=True, slots=True)
class CirclingSearch(SingleRollSearch):
    """Every distinct result of whole turns; a `PlaySearch` of `Rules`."""

    def __call__(self, boards: Boards, dice: Ints8, context: TurnContext = UNKNOWN) -> SearchResult:
        """The results of whole turns; chains of rising doubles are played to their ends."""
        found = self._first_moves(boards, dice, context)
        doubles = self.house.doubles
        if doubles.rising or doubles.passing is not LeftoverMoves.NOTHING or doubles.rolls_again:
            return play_out_doubles(self, boards, dice, found)
        return found

    def of_one(
        self, own: SideVector, other: SideVector, roll: Roll, context: TurnContext = UNKNOWN
    ) -> Rows:
        """The results of one board."""
        board, dice = np.array([(own, other)], np.int8), np.array([as_pips(roll)], np.int8)
        if self.target is not None and self._rises(own, roll) and not self.stops:
            found = self._toward_target(board, dice, context)
        else:
            found = self(board, dice, context)
        return found.results, found.moves, found.leftover

    def _rises(self, own: SideVector, roll: Roll) -> bool:
        """Whether the pips of a chain tell which kushes it has."""
        rises = roll.is_double and self.house.doubles.rising
        return rises and self.house.exact and any(own[HOME_POINTS + 1 :])

    def _toward_target(self, board: Boards, dice: Ints8, context: TurnContext) -> SearchResult:
        """At least one way to the target, if there is any; found without listing the others."""
        assert self.target is not None  # noqa: S101
        own, other = (tuple(side) for side in board[0].tolist())
        for seed in range(_PROPOSALS):
            stops = propose_stops(own, other, self.target, int(dice[0, 0]), self.house, seed)
            if stops is None:
                return _NOTHING
            found = replace(self, target=None, stops=stops)(board, dice, context)
            if len(found.results):
                return found
        return self.at_most(min(self.most_results, _MOST_TRIED))(board, dice, context)

    def can_move(self, board: Boards, roll: Roll, context: TurnContext = UNKNOWN) -> bool:
        """Whether any move of the roll is possible; the chain of a double is not played out."""
        dice = np.array([as_pips(roll)], np.int8)
        return bool(self._first_moves(board[None], dice, context).moves[0] != 0)

    def _first_moves(self, boards: Boards, dice: Ints8, context: TurnContext) -> SearchResult:
        """The results of each roll, or of the first four moves of a double."""
        turns = [
            self._floors(board, (int(high), int(low)), context)
            for board, (high, low) in zip(boards.reshape(-1, 2, PLACES), dice, strict=True)
        ]
        floors = np.array(turns, np.int8).reshape(-1, 2)
        times = np.where(dice[:, 0] == dice[:, 1], KUSH_MOVES, 0)
        return self.search_roll(boards, np.column_stack([dice, times]).astype(np.int8), floors)

    def toward(self, own: SideVector) -> CirclingSearch:
        """The search that follows a chain of doubles only where it can lead to `own`."""
        return replace(self, target=own)

    def at_most(self, results: int) -> CirclingSearch:
        """The search that raises `TooManyPlays` if a chain of doubles has more results."""
        return replace(self, most_results=results)

    def leftover(self, board: Boards, numbers: Sequence[int]) -> Rows:
        """The results of playing what the opponent passed on, each kush as far as possible.

        The head and block rules apply.
        """
        return play_leftover(self, board, numbers)

    def relaxed(self) -> Iterator[tuple[Reason, CirclingSearch]]:
        """The search without one of its rules, and the name of that rule."""
        free: tuple[tuple[Reason, str, Any], ...] = (
            (Reason.HEAD_RULE, "heads", 0),
            (Reason.ONE_RUNNER, "one_runner", False),
            (Reason.BLOCK_RULE, "block", SixPrime.ANY),
            (Reason.BEAR_OFF_NOT_EXACT, "exact", False),
            (Reason.MOVED_IN_HOME, "inside", HomeMoves.ALWAYS),
        )
        for reason, option, value in free:
            if getattr(self.house, option) != value:
                yield reason, replace(self, house=replace(self.house, **{option: value}))

    def _floors(self, board: Boards, roll: Pips, context: TurnContext) -> tuple[int, int]:
        floor, is_first_turn = self.floor(board), context.first_turn
        if is_first_turn is None:
            is_first_turn = board[0, HEAD] == CHECKERS
        if self.house.heads != 1 or not is_first_turn:
            return floor, floor
        opponents = self._opponents_first_rolls(board, context)
        return floor, floor - int(self.house.gives_second_head(roll, opponents))

    def _opponents_first_rolls(self, board: Boards, context: TurnContext) -> frozenset[Pips] | None:
        """What the opponent may have rolled first; None if the opponent has not rolled."""
        if context.opponent_first_roll is not None:
            first = context.opponent_first_roll
            return frozenset({(max(first), min(first))})
        if context.first_turn is not None or board[1, HEAD] == CHECKERS:
            return None
        reached: dict[bytes, frozenset[Pips]]
        reached = _boards_after_first_turn(replace(self, target=None, stops=()))
        return reached.get(board[1].tobytes(), frozenset())


@lru_cache(maxsize=32)
def _boards_after_first_turn(search: CirclingSearch) -> dict[bytes, frozenset[Pips]]:
    """The side vectors after a starter's first turn, and the rolls that lead to them."""
    start = np.zeros((2, PLACES), np.int8)
    start[:, HEAD] = CHECKERS
    reached: dict[bytes, frozenset[Pips]] = {}
    for roll in ALL_ROLLS:
        pips = np.array([as_pips(roll)], np.int8)
        for own, _ in search(start[None], pips, TurnContext(first_turn=True)).results:
            known = reached.get(own.tobytes(), frozenset())
            reached[own.tobytes()] = known | {as_pips(roll)}
    return reached
