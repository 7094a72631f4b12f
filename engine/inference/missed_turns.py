"""Turns that nobody saw: which plays lead from the record to what lies there now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.dice import ALL_ROLLS
from engine.evidence.likelihood import Cells, PositionView, Scores, position_of
from engine.evidence.observation import CELLS, DARK_BAR, LIGHT_BAR, cell_counts
from engine.evidence.still_period import LogTable
from engine.inference.outcomes import PRIOR, Outcomes, search_outcomes
from engine.play import Play
from engine.position import CHECKERS, Position, Side
from engine.rules import Rules
from engine.rules.legal import legal_plays

MISSED: Final = -6.0
"""Log-prior that one or two turns before this one passed unseen, as behind somebody's back."""
FIRST_PLAYS: Final = 40
"""First ones of two missed plays that are followed up."""
WAYS: Final = 12
"""Ways to the position that are judged."""
ONLY: Final = 0.9
"""Share of a roll among those that lead to one result from which on it is told."""

_ROWS: Final = np.arange(CELLS)


@dataclass(frozen=True, slots=True)
class MissedPlay:
    """A play that nobody saw."""

    side: Side
    play: Play
    position: Position
    roll: tuple[int, int] | None
    """The only roll that fits; None where more than one does."""


@dataclass(frozen=True, slots=True)
class MissedSequence:
    """Missed plays one after the other, and how probable they are."""

    plays: tuple[MissedPlay, ...]
    log_weight: float


@dataclass(frozen=True, slots=True, eq=False)
class _Results:
    """The distinct results of one turn."""

    cells: Cells
    """(N, 28)"""
    weights: Scores
    """(N,) log-probabilities before anything is seen."""
    rolls: NDArray[np.int64]
    """(N,) the likeliest roll, an index into `ALL_ROLLS`."""
    shares: Scores
    """(N,) its share among all rolls that lead there."""


def one_missed_turn(
    position: Position, side: Side, after: PositionView, rules: Rules
) -> Iterator[MissedSequence]:
    """`side` made a play, and then the opponent perhaps another, which `after` shows too."""
    results = _results(search_outcomes(position, side, rules))
    bounds = _own_fit(results.cells, side, after.table) + results.weights
    for index in np.argsort(-bounds)[:WAYS]:
        made = _missed(position, side, results, int(index), rules)
        yield MissedSequence((made,), MISSED + float(results.weights[index]))


def two_missed_turns(
    position: Position, side: Side, shown: PositionView, rules: Rules
) -> Iterator[MissedSequence]:
    """`side` and then the opponent made plays that led to what `shown` shows."""
    stood = cell_counts(position)
    first = _results(search_outcomes(position, side, rules))
    bounds = _own_fit(first.cells, side, shown.table) + first.weights
    found = []
    for index in np.argsort(-bounds)[:FIRST_PLAYS]:
        between = position_of(first.cells[index], position.course)
        second = _results(search_outcomes(between, side.other, rules))
        weights = first.weights[index] + second.weights
        fits = weights + shown.score(second.cells, stood)
        best = int(fits.argmax())
        found.append((float(fits[best]), float(weights[best]), int(index), best, second))
    for _, weight, index, best, second in sorted(found, key=lambda one: -one[0])[:WAYS]:
        made = _missed(position, side, first, index, rules)
        answer = _missed(made.position, side.other, second, best, rules)
        yield MissedSequence((made, answer), MISSED + weight)


def _results(outcomes: Outcomes) -> _Results:
    places, which = np.unique(outcomes.cells, axis=0, return_inverse=True)
    chances = np.exp(PRIOR[outcomes.rolls] + outcomes.shares)
    sums = np.bincount(which, chances, len(places))
    order = np.argsort(chances, kind="stable")
    best = np.zeros(len(places), np.int64)
    best[which[order]] = order  # of several rows of a place the last one stays: the likeliest
    return _Results(places, np.log(sums), outcomes.rolls[best], chances[best] / sums)


def _missed(
    before: Position, side: Side, results: _Results, index: int, rules: Rules
) -> MissedPlay:
    after = position_of(results.cells[index], before.course)
    roll = ALL_ROLLS[results.rolls[index]]
    found = legal_plays(before, side, roll, rules).find(after)
    assert found is not None, "a result of this roll"  # noqa: S101
    told = (roll.high, roll.low) if results.shares[index] > ONLY else None
    return MissedPlay(side, found.play, after, told)


def _own_fit(cells: Cells, side: Side, table: LogTable) -> Scores:
    """(N,) how well the checkers of `side` fit at best, whatever the opponent played since.

    Where a blot of `side` stands it may have been hit; its bar may hold more by that.
    """
    sign = 1 if side is Side.LIGHT else -1
    bar = LIGHT_BAR if side is Side.LIGHT else DARK_BAR
    own = np.clip(cells * sign, 0, CHECKERS)
    forward = table if sign > 0 else table[:, ::-1]
    best = forward[:, CHECKERS:].copy()
    best[:, 0] = forward[:, : CHECKERS + 1].max(axis=1)
    best[:, 1] = np.maximum(best[:, 1], best[:, 0])
    best[bar] = np.maximum.accumulate(forward[bar, CHECKERS:][::-1])[::-1]
    return np.asarray(best[_ROWS, own].sum(axis=1), np.float64)
