"""Whether a given position stands on the board: the start of a game, a play taken back."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.dice import ALL_ROLLS
from engine.events.match import Dice
from engine.evidence.likelihood import Cells, PositionView, with_floor
from engine.evidence.observation import CELLS, LIGHT_BAR, cell_counts
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import find_outcomes
from engine.position import BAR, CHECKERS, Position, Side, SideVector
from engine.rules import LeftoverMoves, Rules

MISFIT: Final = -22.0
"""Nats that the start position may fit worse than the best reading: three misread cells."""
AHEAD: Final = -3.0
"""Nats by which it must beat every position one play later; most games are seen from the start."""
AHEAD_THROWN: Final = -8.0
"""The same where dice lie there: the game begins now, or its first play was made already."""
POINTS_SEEN: Final = 20
"""Of 24: an empty or hidden view shows no position at all."""
MOST_MOVES: Final = 4
FOREIGN: Final = 2
"""Checkers of the opponent that may lie elsewhere after a turn, hits apart: a hand slips."""
TAKEN_BACK: Final = 6.0
"""Nats by which a view must prefer another position over the illegal one that stands."""


def shows_position(
    period: StillPeriod, position: Position, rules: Rules, *, is_thrown: bool = False
) -> bool:
    """Whether `position` stands there, and not the one after a first play from it.

    is_thrown: whether the first dice lie there, so that a misread place is likelier than a play
    that was made already.
    """
    if int((period.seen[:24] > 0).sum()) < POINTS_SEEN:
        return False
    view, cells = counts_only_view(period), cell_counts(position)
    fit = float(view.score(cells[None], cells)[0])
    if fit - view.max_score <= MISFIT:
        return False
    outcomes = [find_outcomes(position, side, rules) for side in Side]
    moved = [o.cells[(o.cells != cells).any(axis=1)] for o in outcomes]
    rival = max((float(view.score(m, cells).max()) for m in moved if len(m)), default=-np.inf)
    return fit > rival + (AHEAD_THROWN if is_thrown else AHEAD)


def counts_only_view(period: StillPeriod) -> PositionView:
    """The counts alone, without what has changed since the last settled observation.

    A board that is set up anew differs from the last position everywhere, whatever it shows.
    """
    return PositionView(with_floor(period.table), np.zeros(CELLS))


def exceeds_any_turn(before: Position, after: Position, side: Side, rules: Rules) -> bool:
    """Whether more was moved than in any turn: hands clear the board or set it up."""
    if rules.doubles.rising or rules.doubles.passing is not LeftoverMoves.NOTHING:
        return False
    own = arrived(before.of(side), after.of(side), BAR + 1)
    return own > MOST_MOVES or arrived(before.of(side.other), after.of(side.other), BAR) > FOREIGN


def is_mixed_up(before: Position, after: Position, rules: Rules) -> bool:
    """Whether so much was moved, of either side, that no turn and no misreading explains it."""
    if rules.doubles.rising or rules.doubles.passing is not LeftoverMoves.NOTHING:
        return False
    moved = sum(arrived(before.of(side), after.of(side), BAR) for side in Side)
    return moved > MOST_MOVES + FOREIGN


def arrived(before: SideVector, after: SideVector, places: int) -> int:
    """How many checkers lie at one of the first `places` that did not lie there."""
    return sum(max(after[p] - before[p], 0) for p in range(places))


def shows_empty(period: StillPeriod) -> bool:
    """Whether not one checker lies on a point or on the bar; a hidden view shows nothing."""
    points = period.seen[:24] > 0
    if int(points.sum()) < POINTS_SEEN:
        return False
    table = period.table[: LIGHT_BAR + 2]
    none = table[:, CHECKERS]
    return bool((none >= table.max(axis=1))[period.seen[: LIGHT_BAR + 2] > 0].all())


def cells_of(position: Position) -> Cells:
    """(1, 28) the cells of one position."""
    return cell_counts(position)[None]


def shows_put_back(
    period: StillPeriod,
    stands: Position,
    before: Position,
    side: Side,
    dice: Dice | None,
    rules: Rules,
    *,
    has_answer: bool = False,
    stood: Position | None = None,
) -> bool:
    """Whether `before`, or a legal play of `dice` from it, shows instead of `stands`.

    has_answer: the opponent has thrown, so that a play of his from `stands` may show as well;
    stood: what the stretch is compared with; None: the picture of the illegal play.
    """
    settled = cell_counts(stands if stood is None else stood)
    view = PositionView.of(period, settled)
    outcomes = find_outcomes(before, side, rules)
    known = np.array([dice in (None, (roll.high, roll.low)) for roll in ALL_ROLLS])
    legal = outcomes.cells[known[outcomes.rolls]]
    rivals = np.vstack([outcomes.before[None], legal])
    answers = find_outcomes(stands, side.other, rules).cells if has_answer else cells_of(stands)
    standing = np.vstack([cells_of(stands), answers])
    there = float(view.score(standing, settled).max())
    return float(view.score(rivals, settled).max()) > there + TAKEN_BACK
