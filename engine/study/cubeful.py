"""Cubeful equity: what chances are worth with a doubling cube, for money and at any match score.

Janowski's model ("Take-Points in Money Games", 1993): the equity lies between that of a dead cube,
which nobody turns again, and that of a live cube, which is turned exactly at the cash points;
`efficiency` says how far. The live cube's equity is linear between the take point and the cash
point. Both points follow from those of the doubled cube, whose holder redoubles, up to a cube that
is dead because its holder needs no more points; so one recursion serves every score.

Equities are normalized to the cube on the table: 1 is what a plain win pays now, at a match score
as at money (EMG). All functions work on N positions at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Boards, Floats, Ints
from engine.position import BAR, HOME_POINTS, OFF
from engine.study.match_equity import AwayScore

CONTACT_EFFICIENCY: Final = 0.68
BEAR_OFF_EFFICIENCY: Final = 0.6
RACE_EFFICIENCY: Final = (0.55, 0.00125)
"""At no pips, and what each pip of the player on roll adds; kept within 0.6 and 0.7. The figures
are GNU Backgammon's (`EvalEfficiency` in its eval.c)."""
_REDOUBLES: Final = 8
"""Redoubles that are considered for money, where there is no dead cube; each matters a quarter as
much as the one before."""
_TINY: Final = 1e-9


class CubeHolder(Enum):
    """Who may double next, as the player on roll sees it."""

    BOTH = "both"
    OWN = "own"
    OTHER = "other"
    NOBODY = "nobody"
    """There is no cube, or this is the Crawford game."""

    @property
    def reversed(self) -> CubeHolder:
        """As the other player sees it."""
        swapped = {CubeHolder.OWN: CubeHolder.OTHER, CubeHolder.OTHER: CubeHolder.OWN}
        return swapped.get(self, self)


@dataclass(frozen=True, slots=True)
class Stake:
    """What is played for, as the player on roll sees it."""

    value: int = 1
    """That of the cube."""
    holder: CubeHolder = CubeHolder.BOTH
    score: AwayScore | None = None
    """None for money."""
    jacoby: bool = False

    @property
    def reversed(self) -> Stake:
        """As the other player sees it."""
        score = None if self.score is None else self.score.reversed
        return replace(self, holder=self.holder.reversed, score=score)

    @property
    def doubled(self) -> Stake:
        """After the player on roll has doubled and the other has taken."""
        return replace(self, value=2 * self.value, holder=CubeHolder.OTHER)

    @property
    def is_live(self) -> bool:
        """Whether the player on roll can gain by a higher cube: needs more points than it has."""
        return self.score is None or self.score.own > self.value

    @property
    def has_access(self) -> bool:
        """Whether the player on roll may turn the cube."""
        return self.holder in (CubeHolder.BOTH, CubeHolder.OWN)

    @property
    def may_double(self) -> bool:
        """Whether the player on roll may turn the cube, and can gain by it."""
        return self.has_access and self.is_live

    @property
    def counts_gammons(self) -> bool:
        """Whether a gammon counts; under the Jacoby rule not before the cube is turned."""
        return not (self.jacoby and self.score is None and self.holder is CubeHolder.BOTH)

    def utility(self, points: int) -> float:
        """What the player gains by so many points: points for money, else -1 to 1 by the match."""
        if self.score is None:
            return float(points)
        return 2 * _equity_after(self.score, points) - 1

    def normalized(self, utility: Floats) -> Floats:
        """Utilities as equities."""
        won, lost = self.utility(self.value), self.utility(-self.value)
        return (2 * utility - won - lost) / (won - lost)

    def undoubled(self, equities: Floats) -> Floats:
        """Equities of the doubled cube as equities of the one before."""
        won, lost = self.utility(2 * self.value), self.utility(-2 * self.value)
        return self.normalized((equities * (won - lost) + won + lost) / 2)


@cache
def _equity_after(score: AwayScore, points: int) -> float:
    return score.equity_after(points)


class CubeEquities(NamedTuple):
    """Each (N,): the equity of each cube action, for the player on roll."""

    no_double: Floats
    double_take: Floats
    double_drop: Floats

    @property
    def double(self) -> Floats:
        """After a double that is answered in the best way."""
        return np.minimum(self.double_take, self.double_drop)

    @property
    def best(self) -> Floats:
        """With the best cube action."""
        return np.maximum(self.no_double, self.double)


def cube_equities(chances: Floats, efficiency: Floats, stake: Stake) -> CubeEquities:
    """The equities of the cube actions of the player on roll.

    chances: (N, 5), each 0..1: win, win a gammon or more, a backgammon, lose a gammon or more, a
    backgammon. efficiency: (N,), from `cube_efficiency`.
    """
    kept = stake.normalized(_cubeful(chances, efficiency, stake))
    if not stake.may_double:
        return CubeEquities(kept, np.full_like(kept, -np.inf), np.full_like(kept, -np.inf))
    taken = stake.normalized(_cubeful(chances, efficiency, stake.doubled))
    return CubeEquities(kept, taken, np.ones_like(kept))


def cube_efficiency(boards: Boards) -> Floats:
    """(N,): how live the cube is. boards: (N, 2, 26), the player on roll first."""
    places = np.arange(BAR + 1)
    back = np.where(boards > 0, places, 0).max(axis=2)
    is_race = back.sum(axis=1) < BAR
    is_bear_off = is_race & (back.max(axis=1) <= HOME_POINTS)
    base, per_pip = RACE_EFFICIENCY
    race = np.clip(base + per_pip * (boards[:, 0] @ places), 0.6, 0.7)
    found = np.where(is_race, race, CONTACT_EFFICIENCY)
    return np.where(is_bear_off, BEAR_OFF_EFFICIENCY, found)


def points_of(winner_first: Boards) -> Ints:
    """(N,): 1, 2 or 3: what a finished game counts without the cube; 0 for one that is not over."""
    winner, loser = winner_first[:, 0], winner_first[:, 1]
    is_over = winner[:, 1:].sum(axis=1) == 0
    is_gammon = loser[:, OFF] == 0
    is_backgammon = is_gammon & (loser[:, BAR - HOME_POINTS :].sum(axis=1) > 0)
    return np.where(is_over, 1 + is_gammon + is_backgammon.astype(np.int64), 0)


class _Ends(NamedTuple):
    """Each (N,): the mean utilities of a lost and of a won game at a cube value."""

    lost: Floats
    won: Floats


def _ends(chances: Floats, stake: Stake, *, has_gammons: bool) -> _Ends:
    won, gammons, backgammons, lost_gammons, lost_backgammons = chances.T
    if not has_gammons:
        gammons = backgammons = lost_gammons = lost_backgammons = np.zeros_like(won)
    value = stake.value
    return _Ends(
        _mean(stake, -value, 1 - won, lost_gammons, lost_backgammons),
        _mean(stake, value, won, gammons, backgammons),
    )


def _mean(stake: Stake, unit: int, all_: Floats, gammons: Floats, backgammons: Floats) -> Floats:
    """The mean utility of the games that count `unit` points, twice or three times that."""
    single, double, triple = (stake.utility(times * unit) for times in (1, 2, 3))
    of_gammon = np.clip(gammons / np.maximum(all_, _TINY), 0, 1)
    of_backgammon = np.clip(backgammons / np.maximum(all_, _TINY), 0, of_gammon)
    return single + of_gammon * (double - single) + of_backgammon * (triple - double)


def _cubeful(chances: Floats, efficiency: Floats, stake: Stake) -> Floats:
    """(N,): the utility between that of a dead and of a live cube."""
    ends = _ends(chances, stake, has_gammons=stake.counts_gammons)
    won = chances[:, 0]
    dead = won * ends.won + (1 - won) * ends.lost
    if stake.holder is CubeHolder.NOBODY:
        return dead
    return efficiency * _live(chances, stake, ends, _REDOUBLES) + (1 - efficiency) * dead


def _live(chances: Floats, stake: Stake, ends: _Ends, depth: int) -> Floats:
    """(N,): the utility with a cube that is turned exactly at the cash points."""
    won = chances[:, 0]
    take, cash = np.zeros_like(won), np.ones_like(won)
    at_take, at_cash = ends.lost, ends.won
    if stake.reversed.may_double:
        take = 1 - _cash_point(reversed_chances(chances), stake.reversed, depth)
        at_take = np.full_like(won, stake.utility(-stake.value))
    if stake.may_double:
        cash = _cash_point(chances, stake, depth)
        at_cash = np.full_like(won, stake.utility(stake.value))
    below = _between(won, np.zeros_like(won), ends.lost, take, at_take)
    above = _between(won, cash, at_cash, np.ones_like(won), ends.won)
    middle = _between(won, take, at_take, cash, at_cash)
    return np.where(won < take, below, np.where(won > cash, above, middle))


def _cash_point(chances: Floats, stake: Stake, depth: int) -> Floats:
    """(N,): from which chances the other drops the double of the player on roll."""
    doubled = stake.doubled
    ends = _ends(chances, doubled, has_gammons=True)
    take, at_take = np.zeros_like(ends.won), ends.lost
    if depth and doubled.reversed.is_live:
        take = 1 - _cash_point(reversed_chances(chances), doubled.reversed, depth - 1)
        at_take = np.full_like(take, doubled.utility(-doubled.value))
    share = (stake.utility(stake.value) - at_take) / np.maximum(ends.won - at_take, _TINY)
    return np.clip(take + (1 - take) * share, 0, 1)


def reversed_chances(chances: Floats) -> Floats:
    """(N, 5): the chances as the other player sees them."""
    return np.column_stack(
        (1 - chances[:, 0], chances[:, 3], chances[:, 4], chances[:, 1], chances[:, 2])
    )


def _between(at: Floats, x0: Floats, y0: Floats, x1: Floats, y1: Floats) -> Floats:
    """The line through (x0, y0) and (x1, y1) at `at`; y1 where the two points coincide."""
    width = x1 - x0
    share = np.where(width > _TINY, (at - x0) / np.maximum(width, _TINY), 1.0)
    return y0 + share * (y1 - y0)
