"""Doubles with too many results to list: the likeliest of them, and how likely all others may be.

In the games whose doubles rise, nothing is hit, so only the mover's counts change. How well a view
fits is a sum over places; the number of checkers is known, and so are the pips that each end of a
chain moves. So tables over places, checkers and pips give the best boards in order, and the sum
over all boards. Whether a play leads to a board is then tried, best first; what was not tried
counts as doubt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, merge
from itertools import accumulate, repeat
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints, Mask
from engine.dice import ALL_ROLLS, Roll
from engine.errors import TooManyPlays
from engine.evidence.likelihood import PositionView
from engine.evidence.observation import (
    CELLS,
    DARK_BAR,
    DARK_OFF,
    LIGHT_BAR,
    LIGHT_OFF,
    cell_counts,
)
from engine.inference.outcomes import find_play_cached
from engine.position import BAR, CHECKERS, OFF, Position, Side, SideVector
from engine.rules import Rules

MOST_TRIED: Final = 4
"""Boards for which a play is looked for in one judgment: about ten milliseconds each."""
MIN_TRIED_SHARE: Final = 0.05
"""Share of a board among all that were not tried, below which none is tried beside one that was
found: where points are hidden, many boards fit alike, and no few of them settle anything."""
NEGLIGIBLE_SHARE: Final = 1e-4
"""Probability below which no more boards are tried."""
_WORST_NATS: Final = 30.0
"""Nats by which a board that is tried may be less likely than the best."""
_BOUND_DIGITS: Final = 9
"""Digits to which bounds are compared."""
_COUNTS: Final = CHECKERS + 1
_Node = tuple[float, int, int, int, tuple[int, ...], float]
"""A bound, the next place to fill, the checkers and pips left, what is filled, and its score."""


class Board(NamedTuple):
    """The mover's counts after a turn, and their log-probability together with the view."""

    log_p: float
    own: SideVector


@dataclass(frozen=True, slots=True, eq=False)
class Fillings:
    """Every board to which the mover's checkers might move on, as a view shows it."""

    own: SideVector
    weights: Floats
    """(25, 16) log-likelihoods of the counts on places 0..24."""
    others: float
    """The log-likelihood of everything that does not move, relative to the best of all boards."""
    best: Floats
    """(25, 16, R): for places 0..p, so many checkers and pips, the best sum of weights."""
    log_sums: Floats
    """(R,) the log of the sum over all boards with so many pips."""

    @classmethod
    def of(cls, position: Position, side: Side, view: PositionView) -> Fillings:
        """All boards for a turn of `side` from `position`."""
        own = position.of(side)
        weights, others = _weights(position, side, view)
        peaks = weights.max(axis=1, keepdims=True)
        sums = _tables(own, np.exp(weights - peaks), is_best=False)
        with np.errstate(divide="ignore"):
            log_sums = np.log(sums[-1, CHECKERS]) + float(peaks.sum()) + others
        return cls(own, weights, others, _tables(own, weights, is_best=True), log_sums)

    def log_sum(self, totals: Iterable[int]) -> float:
        """The log-probability of all boards to which one of so many pips leads."""
        return float(np.logaddexp.reduce([self.log_sums[left] for left in self._left(totals)]))

    def max_score(self, totals: Iterable[int]) -> float:
        """The log-likelihood that none of these boards exceeds."""
        sums = [self.best[-1, CHECKERS, left] for left in self._left(totals)]
        return float(max(sums, default=-np.inf)) + self.others

    def _left(self, totals: Iterable[int]) -> list[int]:
        pips = len(self.log_sums) - 1
        return [pips - total for total in totals if total <= pips]

    def likeliest(self, totals: Iterable[int], log_prior: float = 0.0) -> Iterator[Board]:
        """Yield the boards to which one of so many pips leads, best first."""
        heap: list[_Node] = [
            (-float(self.best[-1, CHECKERS, left]), BAR - 1, CHECKERS, left, (), 0.0)
            for left in self._left(totals)
        ]
        heapify(heap)
        worst = (heap[0][0] if heap else 0.0) + _WORST_NATS
        while heap and heap[0][0] <= worst:
            _, place, checkers, pips, filled, score = heappop(heap)
            if place < 0:
                yield Board(log_prior + self.others + score, (*filled, 0))
                continue
            most = pips // place if place else checkers
            for count in range(0 if place else checkers, min(checkers, most) + 1):
                total, rest = score + float(self.weights[place, count]), pips - place * count
                following = float(self.best[place - 1, checkers - count, rest]) if place else 0.0
                if np.isfinite(total + following):
                    # Rounded, so that of equal boards, as where points are hidden, the one that is
                    # filled furthest is continued, and not each of them in turn.
                    bound = round(-total - following, _BOUND_DIGITS)
                    node = (bound, place - 1, checkers - count, rest)
                    heappush(heap, (*node, (count, *filled), total))


def _weights(position: Position, side: Side, view: PositionView) -> tuple[Floats, float]:
    """The log-likelihoods of the mover's counts on each place, and those of all other cells."""
    before, sign = cell_counts(position), 1 if side is Side.LIGHT else -1
    settled = before if view.settled is None else view.settled
    signed = np.arange(-CHECKERS, CHECKERS + 1)
    table = view.table + view.change[:, None] * (signed != settled[:, None])
    cells, across = _cells_of(position, side), position.course.across
    weights = table[cells][:, CHECKERS + sign * np.arange(_COUNTS)].copy()
    theirs = position.of(side.other)
    for place in range(1, BAR):
        if held := theirs[across(place)]:
            weights[place, 1:] = -np.inf
            weights[place, 0] = table[cells[place], CHECKERS - sign * held]
    fixed = np.setdiff1d(np.arange(CELLS), cells)
    others = float(table[fixed, before[fixed] + CHECKERS].sum()) - view.max_score
    return weights, others


def _cells_of(position: Position, side: Side) -> Ints:
    """(25,) the cells of the mover's places 0..24."""
    across, is_light = position.course.across, side is Side.LIGHT
    points = [(point if is_light else across(point)) - 1 for point in range(1, BAR)]
    return np.array([LIGHT_OFF if is_light else DARK_OFF, *points])


def _tables(own: SideVector, weights: Floats, *, is_best: bool) -> Floats:
    """(25, 16, R) the best sum of log-weights, or the sum of products, place by place.

    No checker moves back: places 0..p hold at least as many as before.
    """
    pips = _pips(own)
    nothing = -np.inf if is_best else 0.0
    tables = np.full((BAR, _COUNTS, pips + 1), nothing)
    tables[OFF, :, 0] = weights[OFF]
    tables[OFF, : own[OFF]] = nothing
    at_least = list(accumulate(own))
    for place in range(1, BAR):
        table, below = tables[place], tables[place - 1]
        for count in np.flatnonzero(weights[place] != nothing).tolist():
            if place * count > pips:
                break
            some = below[: _COUNTS - count, : pips + 1 - place * count]
            reached = table[count:, place * count :]
            if is_best:
                np.maximum(reached, some + weights[place, count], out=reached)
            else:
                reached += some * weights[place, count]
        table[: at_least[place]] = nothing
    return tables


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """What was found of rolls that have too many results to list."""

    cells: Ints
    """(M, 28) results."""
    rolls: Ints
    """(M,) index into `ALL_ROLLS`."""
    log_rest: float
    """The log-probability of all results that were not found, at most."""
    refused: frozenset[tuple[int, SideVector]] = frozenset()
    """Rolls and boards of the mover to which no play of the roll leads."""


def try_likeliest(
    fillings: Fillings,
    position: Position,
    side: Side,
    rules: Rules,
    log_priors: dict[int, float],
    log_known: float,
    most: int = MOST_TRIED,
) -> Tried:
    """The likeliest results of some rolls.

    log_priors: by roll, of each of its results; log_known: of all other explanations together;
    most: boards to try.
    """
    ends = {roll: chain_totals(ALL_ROLLS[roll].high, rules) for roll in log_priors}
    rest = {roll: fillings.log_sum(ends[roll]) + prior for roll, prior in log_priors.items()}
    streams = [
        zip(fillings.likeliest(ends[roll], prior), repeat(roll))
        for roll, prior in log_priors.items()
    ]
    results: list[Ints] = []
    rolls, refused = [], set()
    ranked = merge(*streams, key=lambda one: -one[0].log_p)
    for _ in range(most):
        log_rest = float(np.logaddexp.reduce(list(rest.values())))
        if log_rest < log_known + np.log(NEGLIGIBLE_SHARE):
            break
        board, roll = next(ranked, (None, 0))
        if board is None or (results and board.log_p < log_rest + np.log(MIN_TRIED_SHARE)):
            break
        after = position.with_sides(side, board.own, position.of(side.other))
        try:
            found = find_play_cached(position, side, ALL_ROLLS[roll], after, rules)
        except TooManyPlays:
            continue  # neither a result nor refused: it remains a doubt
        rest[roll] += float(np.log1p(-min(1.0 - 1e-12, np.exp(board.log_p - rest[roll]))))
        if found is None:
            refused.add((roll, board.own))
            continue
        results.append(cell_counts(after))
        rolls.append(roll)
        log_known = float(np.logaddexp(log_known, board.log_p))
    cells = np.array(results, np.int64).reshape(-1, CELLS)
    log_rest = float(np.logaddexp.reduce(list(rest.values())))
    return Tried(cells, np.array(rolls, np.int64), log_rest, frozenset(refused))


def chain_totals(number: int, rules: Rules) -> list[int]:
    """How many pips a chain of doubles from `number` may move."""
    return list(accumulate(rules.pips_to_play(Roll(number, number))))


def may_result(cells: Ints, position: Position, side: Side, roll: int, rules: Rules) -> Mask:
    """(M,) whether a play of this double might lead to (M, 28) `cells`, by pips and direction."""
    before, sign = cell_counts(position), 1 if side is Side.LIGHT else -1
    is_theirs = (cells * sign < 0) | (before * sign < 0)
    has_stayed = ~(is_theirs & (cells != before)).any(axis=1)
    own, after = np.array(position.of(side)), own_counts(cells, position, side)
    moved = (own - after) @ np.arange(len(own))
    gone_on = (np.cumsum(own[::-1]) >= np.cumsum(after[:, ::-1], axis=1)).all(axis=1)
    fits = np.isin(moved, chain_totals(ALL_ROLLS[roll].high, rules))
    may: Mask = has_stayed & gone_on & fits
    return may


def own_counts(cells: Ints, position: Position, side: Side) -> Ints:
    """(M, 26) the mover's counts in (M, 28) cells."""
    places, sign = _cells_of(position, side), 1 if side is Side.LIGHT else -1
    bar = LIGHT_BAR if side is Side.LIGHT else DARK_BAR
    return np.maximum(sign * cells[:, [*places, bar]], 0)


def _pips(own: SideVector) -> int:
    return sum(place * count for place, count in enumerate(own))
