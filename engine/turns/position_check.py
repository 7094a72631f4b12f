"""Whether the board shows a given position: the start of a game, or a play taken back."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.dice import ALL_ROLLS
from engine.events.match import Dice
from engine.evidence.likelihood import PositionView, with_floor
from engine.evidence.observation import CELLS, LIGHT_BAR, cell_counts
from engine.evidence.reading_errors import NONE_LEARNT, ReadingErrors
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import find_outcomes
from engine.position import BAR, CHECKERS, Position, Side, SideVector
from engine.rules import LeftoverMoves, Rules

MIN_FIT_NATS: Final = -22.0
"""Fit of the starting position relative to the best reading: three misread cells."""
MIN_LEAD_NATS: Final = -3.0
"""Lead of it over every position one play later; most games are seen from the start."""
MIN_LEAD_THROWN_NATS: Final = -8.0
"""The same if dice are on the board: the game begins now, or its first play was already made."""
MIN_POINTS_SEEN: Final = 20
"""Of 24; an empty or hidden view shows no position at all."""
MAX_MOVES: Final = 4
MAX_OPPONENT_MOVES: Final = 2
"""Opposing checkers that may have moved after a turn, apart from hits: a hand slips."""
MIN_CHANGE_NATS: Final = 6.0
"""Nats by which a view must prefer another position to the recorded one."""


def shows_position(
    period: StillPeriod, position: Position, rules: Rules, *, is_thrown: bool = False
) -> bool:
    """Whether the board shows `position`, and not one after a first play from it.

    is_thrown: whether the first dice are on the board, so that a misread place is likelier than a
    play already made.
    """
    if int((period.seen[:24] > 0).sum()) < MIN_POINTS_SEEN:
        return False
    view, cells = counts_only_view(period), cell_counts(position)
    fit = float(view.score(cells[None], cells)[0])
    if fit - view.max_score <= MIN_FIT_NATS:
        return False
    outcomes = [find_outcomes(position, side, rules) for side in Side]
    moved = [o.cells[(o.cells != cells).any(axis=1)] for o in outcomes]
    rival = max((float(view.score(m, cells).max()) for m in moved if len(m)), default=-np.inf)
    return fit > rival + (MIN_LEAD_THROWN_NATS if is_thrown else MIN_LEAD_NATS)


def counts_only_view(period: StillPeriod) -> PositionView:
    """The counts alone, without changes since the settled picture.

    A board that is set up again differs from the last position everywhere, whatever it shows.
    """
    return PositionView(with_floor(period.table), np.zeros(CELLS))


def exceeds_any_turn(before: Position, after: Position, side: Side, rules: Rules) -> bool:
    """Whether more was moved than in any turn: hands are clearing the board or setting it up."""
    if _has_long_turns(rules):
        return False
    own = count_arrived(before.of(side), after.of(side), BAR + 1)
    other = count_arrived(before.of(side.other), after.of(side.other), BAR)
    return own > MAX_MOVES or other > MAX_OPPONENT_MOVES


def is_mixed_up(before: Position, after: Position, rules: Rules) -> bool:
    """Whether so much was moved, by either side, that no turn and no misreading explains it."""
    if _has_long_turns(rules):
        return False
    moved = sum(count_arrived(before.of(side), after.of(side), BAR) for side in Side)
    return moved > MAX_MOVES + MAX_OPPONENT_MOVES


def _has_long_turns(rules: Rules) -> bool:
    return rules.doubles.rising or rules.doubles.passing is not LeftoverMoves.NOTHING


def count_arrived(before: SideVector, after: SideVector, places: int) -> int:
    """How many checkers are at one of the first `places` that were not there before."""
    return sum(max(after[p] - before[p], 0) for p in range(places))


def shows_empty(period: StillPeriod) -> bool:
    """Whether no checker is on a point or on the bar; a hidden view shows nothing."""
    points = period.seen[:24] > 0
    if int(points.sum()) < MIN_POINTS_SEEN:
        return False
    table = period.table[: LIGHT_BAR + 2]
    none = table[:, CHECKERS]
    return bool((none >= table.max(axis=1))[period.seen[: LIGHT_BAR + 2] > 0].all())


def cells_of(position: Position) -> Ints:
    """(1, 28) the cells of one position."""
    return cell_counts(position)[None]


def shows_put_back(
    period: StillPeriod,
    played: Position,
    before: Position,
    side: Side,
    dice: Dice | None,
    rules: Rules,
    *,
    has_answer: bool = False,
    reference: Position | None = None,
    errors: ReadingErrors = NONE_LEARNT,
) -> bool:
    """Whether the board shows `before`, or a legal play of `dice` from it, instead of `played`.

    has_answer: whether the opponent has thrown, so that a play of theirs from `played` may show as
    well; reference: the position relative to which changes count; None for `played`; errors: how
    often the board is misread.
    """
    settled = cell_counts(played if reference is None else reference)
    view = PositionView.of(period, settled, errors)
    outcomes = find_outcomes(before, side, rules)
    known = np.array([dice in (None, (roll.high, roll.low)) for roll in ALL_ROLLS])
    legal = outcomes.cells[known[outcomes.rolls]]
    put_back = np.vstack([outcomes.before[None], legal])
    left = cells_of(played)
    if has_answer:
        left = np.vstack([left, find_outcomes(played, side.other, rules).cells])
    best = float(view.score(put_back, settled).max())
    return best > float(view.score(left, settled).max()) + MIN_CHANGE_NATS
