"""Cubeful equities by looking ahead two plies: every roll, the best play of each, every answer.

For plays, the first ply is played out here, with the cube and the score in mind, and the engine
looks one ply further without them; `engine.study.cubeful` adds the cube. For cube actions both
plies are played out here: whether to wait depends on the double that can follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from engine.arrays import Boards, Floats, Ints
from engine.dice import ALL_ROLLS
from engine.rules.base import Rules
from engine.study.cubeful import (
    CubeEquities,
    Stake,
    cube_efficiency,
    cube_equities,
    points_of,
    reversed_chances,
)
from tableside.analysis.ratings import CubeActions, Depth, Outlook, Rated

WEIGHTS: Final = np.array([roll.weight for roll in ALL_ROLLS])
"""(21,): the chances of `ALL_ROLLS`."""
_DICE: Final = np.array([(roll.high, roll.low) for roll in ALL_ROLLS], np.int8)


Evaluate = Callable[[Boards, int], Floats]
"""The chances (N, 5) of the player on roll, as `engine.study.cubeful.cube_equities` takes them, of
boards (N, 2, 26) with that player first and no game over, looking 0 or 1 plies ahead."""


class Lookahead:
    """A `Rater` by the networks alone."""

    def __init__(self, evaluate: Evaluate, rules: Rules) -> None:
        self._evaluate, self._rules = evaluate, rules

    def rate(self, boards: Boards, stake: Stake) -> Rated:
        """See `Rater`."""
        chances = self._chances(boards, 0)
        return Rated(self._equities(boards, chances, stake), chances)

    def rate_well(self, boards: Boards, stake: Stake) -> Rated:
        """See `Rater`; 40 ms each."""
        rated = self.rate(boards, stake)
        for index in np.flatnonzero(points_of(boards) == 0):
            ahead = self.cube(boards[index, ::-1], stake.reversed, Depth.ENGINE)
            rated.equities[index] = -ahead.equities.best[0]
            rated.chances[index] = reversed_chances(ahead.kept.chances[None])[0]
        return rated

    def cube(self, board: Boards, stake: Stake, depth: Depth = Depth.CUBE) -> CubeActions:
        """See `Rater`; 200 ms at `Depth.CUBE`."""
        # A double that gains nothing can still have been made.
        stakes = (stake, stake.doubled) if stake.has_access else (stake,)
        by_roll, chances = self._rolls(board[None], stakes, depth)
        means = by_roll[:, 0] @ WEIGHTS
        if len(stakes) == 2:
            means[1] = stake.undoubled(means[1])
        kept = Outlook(by_roll[0, 0], WEIGHTS @ chances[0, 0])
        return CubeActions(_actions(means[:, None]), kept)

    def _rolls(
        self, boards: Boards, stakes: Sequence[Stake], depth: Depth
    ) -> tuple[Floats, Floats]:
        """The equities (S, M, 21) and chances (S, M, 21, 5) after the best play of each roll.

        boards: (M, 2, 26), the player on roll first.
        """
        dice = np.tile(_DICE, (len(boards), 1))
        found = self._rules.search(np.repeat(boards, len(_DICE), 0), dice)
        plays, quick = found.results, self._chances(found.results, 0)
        best = [_best(self._equities(plays, quick, one), found.offsets) for one in stakes]
        needed, where = np.unique(np.concatenate(best), return_inverse=True)
        plays, quick = plays[needed], quick[needed]
        shape = len(stakes), len(boards), len(_DICE)
        equities, chances = np.empty(shape), np.empty((*shape, 5))
        if depth is Depth.ENGINE:
            quick = self._chances(plays, 1)
        for index, rows in enumerate(np.split(where, len(stakes))):
            rated = self._answered(plays, stakes[index], quick, depth)
            equities[index] = rated.equities[rows].reshape(shape[1:])
            chances[index] = rated.chances[rows].reshape((*shape[1:], 5))
        return equities, chances

    def _answered(self, plays: Boards, stake: Stake, chances: Floats, depth: Depth) -> Rated:
        """Rate plays of known chances; at `Depth.CUBE`, by the other's cube action and answers."""
        equities = self._equities(plays, chances, stake)
        goes_on = points_of(plays) == 0
        if depth is not Depth.CUBE or not goes_on.any():
            return Rated(equities, chances)
        stakes = _stakes(stake.reversed)
        by_roll, ahead = self._rolls(plays[goes_on][:, ::-1], stakes, Depth.NONE)
        means = by_roll @ WEIGHTS
        if len(stakes) == 2:
            means[1] = stakes[0].undoubled(means[1])
        equities[goes_on] = -_actions(means).best
        chances = chances.copy()
        chances[goes_on] = reversed_chances(np.einsum("r,mrc->mc", WEIGHTS, ahead[0]))
        return Rated(equities, chances)

    def _chances(self, boards: Boards, plies: int) -> Floats:
        """(N, 5): the chances of the player who has made the plays."""
        points = points_of(boards)
        chances = np.zeros((len(boards), 5))
        for column in range(3):
            chances[points > column, column] = 1
        goes_on = points == 0
        if goes_on.any():
            ahead = self._evaluate(boards[goes_on][:, ::-1], plies)
            chances[goes_on] = reversed_chances(ahead)
        return chances

    def _equities(self, boards: Boards, chances: Floats, stake: Stake) -> Floats:
        """(N,): the equities of the player who has made the plays, before the other's cube action.

        chances: (N, 5), of that player.
        """
        other = boards[:, ::-1]
        ahead = cube_equities(reversed_chances(chances), cube_efficiency(other), stake.reversed)
        points = points_of(boards)
        if not stake.counts_gammons:
            points = np.minimum(points, 1)
        final = np.array([stake.utility(times * stake.value) for times in range(4)])
        won = stake.normalized(final[points])
        return np.where(points > 0, won, -ahead.best)


def _stakes(stake: Stake) -> tuple[Stake, ...]:
    return (stake, stake.doubled) if stake.may_double else (stake,)


def _best(equities: Floats, offsets: Ints) -> Ints:
    """(21,): of each roll's plays, the index of the best."""
    pairs = pairwise(offsets)
    return np.array([start + equities[start:end].argmax() for start, end in pairs])


def _actions(means: Floats) -> CubeEquities:
    """The cube actions by the equities (1 or 2, N) without a double, and after one taken."""
    taken = means[1] if len(means) == 2 else np.full_like(means[0], -np.inf)
    return CubeEquities(means[0], taken, np.where(np.isinf(taken), taken, 1.0))
