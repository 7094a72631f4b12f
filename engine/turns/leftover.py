"""How the moves that the opponent's double left over were made, weighed by what was seen.

They are made before the own roll, and no throw separates them from the double: a look may show the
board before or after them. The board after the own play, which nothing but that play separates from
them, decides which of them are worth following.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import log
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.dice import ALL_ROLLS, Roll
from engine.errors import TooManyPlays
from engine.evidence.likelihood import (
    Ahead,
    PositionEvidence,
    PositionView,
    board_cells,
    with_floor,
)
from engine.evidence.observation import CELLS, cell_counts
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import moves_between
from engine.inference.unlisted import MOST_TRIED, Fillings
from engine.inference.verdict import MIN_PLAY_POSTERIOR
from engine.match.state import MatchState
from engine.position import CHECKERS, Position, Side
from engine.rules import Rules
from engine.rules.house import KUSH_MOVES
from engine.rules.legal import (
    MOST_SHOWN,
    LegalPlay,
    LegalPlays,
    can_move_leftover,
    find_leftover_play,
    list_few_leftover_plays,
    list_few_plays,
)

MAX_LEFTOVER_PLAYS: Final = 12
"""Number of ways to move what was left over from which the own play is judged."""
MAX_LEFTOVER_NATS: Final = 9.0
"""Nats by which such a way may be less probable than the best."""
MAX_DOUBLES_AHEAD: Final = 6
"""Number of plays of a double after which the moves left over are looked for on the board."""


class LeftoverMade(NamedTuple):
    """One way in which the moves left over were made."""

    play: LegalPlay
    log_p: float
    """Its log-probability among all ways, by the views before the own play."""


def weigh_leftover(
    state: MatchState,
    side: Side,
    before: Sequence[PositionView],
    after: PositionEvidence,
    rules: Rules,
) -> list[LeftoverMade]:
    """The ways to make the moves left over that best agree with all views, best first.

    before: views of the board before the own play; after: those of the board after it.
    """
    assert state.position is not None, "a game is played"  # noqa: S101
    found, cells = _ways(state.position, side, state.leftover, before, rules)
    if not len(cells):
        return []
    recorded, read = cell_counts(state.position), after.main.table.argmax(axis=1) - CHECKERS
    others = np.array([recorded, read])  # nothing moved yet, or the own play made as well
    fits = (view.glimpse_score(cells, recorded, others) for view in before)
    fit = sum(fits, np.zeros(len(cells)))
    log_p = fit - np.logaddexp.reduce(fit)
    likely = log_p + _best_after_play(cells, after.main, rules)
    order = np.argsort(-likely, kind="stable")[:MAX_LEFTOVER_PLAYS]
    order = order[likely[order] > likely[order[0]] - MAX_LEFTOVER_NATS]
    return [LeftoverMade(found[n], float(log_p[n])) for n in order.tolist()]


def _ways(
    position: Position,
    side: Side,
    left: tuple[int, ...],
    views: Sequence[PositionView],
    rules: Rules,
) -> tuple[Sequence[LegalPlay], Ints]:
    """The ways to make these moves, and their (N, 28) cells."""
    plays = list_few_leftover_plays(position, side, left, rules)
    if plays is not None:
        return plays, board_cells(plays.results, side, position.course)
    found = _try_likeliest(position, side, left, views, rules)
    return found, np.array([cell_counts(after) for _, after in found]).reshape(-1, CELLS)


def _try_likeliest(
    position: Position,
    side: Side,
    left: tuple[int, ...],
    views: Sequence[PositionView],
    rules: Rules,
) -> list[LegalPlay]:
    """The ways to make these moves that the views show, if there are too many to list."""
    theirs, totals = position.of(side.other), range(1, sum(left) + 1)
    vectors = {
        board.own: None
        for view in reversed(views)
        for board in islice(Fillings.of(position, side, view).likeliest(totals), MOST_TRIED)
    }
    afters = (position.with_sides(side, vector, theirs) for vector in vectors)
    tried = (_possible(position, side, left, one, rules) for one in afters)
    return [play for play in tried if play is not None]


def _possible(
    position: Position, side: Side, left: tuple[int, ...], after: Position, rules: Rules
) -> LegalPlay | None:
    """A way to make these moves that leads to `after`; None if there is certainly none."""
    try:
        return find_leftover_play(position, side, left, after, rules)
    except TooManyPlays:  # nobody is accused of what cannot be told
        return LegalPlay(moves_between(position, after, side), after)


def _best_after_play(cells: Ints, shown: PositionView, rules: Rules) -> Floats:
    """(N,) what the log-likelihood of `shown` is at most, after one play from (N, 28) `cells`.

    A move changes two places, so a play explains that many; the others must be as they were.
    """
    if rules.doubles.rising:
        return np.zeros(len(cells))
    peaks = shown.table.max(axis=1)
    losses = np.sort(peaks - shown.table[np.arange(CELLS), cells + CHECKERS], axis=1)
    unmoved: Floats = losses[:, : CELLS - 2 * KUSH_MOVES].sum(axis=1)
    return -unmoved


def find_ahead(
    position: Position, side: Side, roll: Roll, shown: PositionView, rules: Rules
) -> Iterator[Ahead]:
    """The moves left over that may have followed the likeliest plays of a double.

    Once the dice are picked up, the opponent may make these moves at any time.
    """
    plays = list_few_plays(position, side, roll, rules)
    if plays is None:
        return
    cells, number = board_cells(plays.results, side, position.course), ALL_ROLLS.index(roll)
    sign = 1 if side is Side.LIGHT else -1
    own = np.clip(cells * sign, 0, CHECKERS) * sign
    fits = shown.table[np.arange(CELLS), own + CHECKERS]
    is_free = cell_counts(position) * sign >= 0  # the opponent's checkers may have moved on
    order = np.argsort(-fits[:, is_free].sum(axis=1), kind="stable")
    for n in order[:MAX_DOUBLES_AHEAD].tolist():
        left, after = plays.leftover(n), plays[n].position
        if not (left and can_move_leftover(after, side.other, left, rules)):
            continue
        ways, followed = _ways(after, side.other, left, [shown], rules)
        if len(ways):
            every = len(ways) if isinstance(ways, LegalPlays) else MOST_SHOWN
            yield Ahead(number, cells[n], followed, -log(every))


def may_show_leftover_moved(
    state: MatchState, period: StillPeriod, misread_share: float, rules: Rules
) -> bool:
    """Whether `period` may show the moves that are left over as already made."""
    if not state.leftover or state.position is None or state.to_move is None:
        return False
    plays = list_few_leftover_plays(state.position, state.to_move, state.leftover, rules)
    if plays is None:
        return True
    table = with_floor(period.table, misread_share)
    moved = board_cells(plays.results, state.to_move, state.position.course)
    cells = np.vstack([cell_counts(state.position), moved])
    log_p: Floats = table[np.arange(CELLS), cells + CHECKERS].sum(axis=1)
    return bool(log_p[0] - np.logaddexp.reduce(log_p) < np.log(MIN_PLAY_POSTERIOR))
