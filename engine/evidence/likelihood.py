"""The log-likelihood of positions, given the observations: table lookups, no decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import log
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Boards, Floats, Ints, Mask, distinct_rows
from engine.evidence.observation import (
    CELLS,
    COUNTS,
    DARK_BAR,
    DARK_OFF,
    FIRST_LAYER,
    LIGHT_BAR,
    LIGHT_OFF,
    MAY_HOLD,
)
from engine.evidence.reading_errors import MIN_MISREAD_SHARE, NONE_LEARNT, ReadingErrors
from engine.evidence.still_period import StillPeriod
from engine.position import BAR, CHECKERS, OFF, Course, Position, Side

GLIMPSE_WEIGHT: Final = 0.5
"""Weight of what a second view adds: it shares light and reader with the first, so it counts as
half a view."""
MIN_READING_DOUBT: Final = 0.03
"""Probability that a place is misread, from which its second reading alike is no new evidence."""
GLIMPSE_LOG_FLOOR: Final = -5.0
"""Log-probability that an earlier or later view shows another position after all."""
AHEAD_LOG_PRIOR: Final = log(0.1)
"""Log-probability that a view after the turn shows what followed it at once."""
REPEATED_MISREADING_LOG_P: Final = -0.25
"""Log-probability that an untouched place that was misread is misread the same way again."""
UNREAD: Final = -99
"""Stands for the count of a cell that was not seen."""

_ROWS: Final = np.arange(CELLS)
_COLUMNS: Final = _ROWS * COUNTS + CHECKERS
"""(28,) where a table, flat, holds the count 0 of each cell."""


@dataclass(frozen=True, slots=True, eq=False)
class BoardMemory:
    """How the board was read when it was last settled, and what was recorded then.

    Glare and shadows persist: an untouched place is misread again as before, and that is not new
    evidence.
    """

    read: Ints
    """(28,) the likeliest counts at that time; UNREAD for cells that were not seen."""
    cells: Ints
    """(28,) the cells recorded at that time."""
    contradiction: Position | None = None
    """The position read, if it contradicts the record."""
    may_show_more: bool = False
    """Whether moves may have been made by then that are not in `cells`."""

    @classmethod
    def of(cls, table: Floats, cells: Ints) -> BoardMemory:
        """table: (28, 31) log-probabilities of the counts at that time; cells: (28,) recorded."""
        return cls(_likeliest(table), cells)


@dataclass(frozen=True, slots=True, eq=False)
class PositionView:
    """The evidence of one still period about the position."""

    table: Floats
    """(28, 31) log-probabilities with a floor, so that one misread cell cannot dominate."""
    change: Floats
    """(28,) capped log-likelihood ratios that each cell changed."""
    settled: Ints | None = None
    """(28,) the cells relative to which changes count; None for those before the turn."""

    @classmethod
    def of(
        cls,
        period: StillPeriod,
        settled: Ints | None = None,
        errors: ReadingErrors = NONE_LEARNT,
    ) -> PositionView:
        """The view that a still period gives; `errors`: how often this board is misread."""
        change = np.clip(period.change, -errors.max_change_nats, errors.max_change_nats)
        return cls(with_floor(period.table, errors.misread_share), change, settled)

    def with_memory(self, memory: BoardMemory) -> PositionView:
        """The view in which a repeated reading says little against what was recorded then.

        If more had been played by then, neither the readings nor the pictures of that time tell
        what has changed since.
        """
        if memory.may_show_more:
            return replace(self, change=np.zeros_like(self.change))
        read = _likeliest(self.table)
        rows = np.flatnonzero((read == memory.read) & (read != UNREAD))
        table, recorded = self.table.copy(), memory.cells[rows]
        repeated = table[rows].max(axis=1) + REPEATED_MISREADING_LOG_P
        excess = np.maximum(repeated - table[rows, recorded + CHECKERS], 0.0)
        excused = table[rows] + excess[:, None] * _misread_alike(recorded)
        table[rows] = np.maximum(table[rows], np.minimum(excused, repeated[:, None]))
        return replace(self, table=table)

    def beside(self, main: PositionView) -> PositionView:
        """The view without what it repeats of places that `main` reads doubtfully.

        Such a place, if it is read alike in the same light, may be misread alike twice: the second
        reading counts for what it is surer of than the first, no more. So does a second comparison
        with the same picture.
        """
        doubt = -np.expm1(main.table.max(axis=1) - np.logaddexp.reduce(main.table, axis=1))
        read = _likeliest(self.table)
        rows = (read == _likeliest(main.table)) & (read != UNREAD) & (doubt > MIN_READING_DOUBT)
        further = np.minimum(_relative(self.table) - _relative(main.table), 0.0)
        change = self.change
        if _is_same(self.settled, main.settled):
            shared = np.minimum(np.abs(change), np.abs(main.change)) * (change * main.change > 0)
            change = change - np.sign(change) * shared * rows
        return replace(self, table=np.where(rows[:, None], further, self.table), change=change)

    @property
    def max_score(self) -> float:
        """The score that no position can exceed."""
        return float(self.table.max(axis=1).sum() + np.maximum(self.change, 0).sum())

    def score(self, cells: Ints, before: Ints) -> Floats:
        """(N,) log-likelihoods of (N, 28) positions reached from `before` (28,).

        Counts lie between -15 and 15.
        """
        settled = (before if self.settled is None else self.settled) + CHECKERS
        table = self.table + self.change[:, None]
        table[_ROWS, settled] = self.table[_ROWS, settled]
        score: Floats = table.ravel().take(cells + _COLUMNS).sum(axis=-1)
        return score

    def glimpse_score(self, cells: Ints, before: Ints, others: Ints | None = None) -> Floats:
        """(N,) the same for a view that need not show the final position.

        others: (M, 28) all else that it may show, if that is known: then what is misread in every
        case counts for none of them.
        """
        score, best = self.score(cells, before), self.max_score
        if others is not None:
            best = float(max(score.max(), self.score(others, before).max()))
        shortfall = score - best
        return np.logaddexp(GLIMPSE_WEIGHT * shortfall, GLIMPSE_LOG_FLOOR)


def _misread_alike(cells: Ints) -> Mask:
    """(N, 31) the counts that are misread as (N,) `cells` are: these, or those of a tall stack.

    Who misjudges the height of a stack in layers misjudges it alike when one is added or taken.
    """
    counts, recorded = np.arange(COUNTS) - CHECKERS, cells[:, None]
    is_tall = (
        (np.abs(recorded) > FIRST_LAYER) & (np.abs(counts) > FIRST_LAYER) & (counts * recorded > 0)
    )
    return np.asarray(is_tall | (counts == recorded))


def _likeliest(table: Floats) -> Ints:
    """(28,) signed counts; UNREAD where all are equally likely."""
    return np.where(np.ptp(table, axis=1) > 1e-6, table.argmax(axis=1) - CHECKERS, UNREAD)


def _relative(table: Floats) -> Floats:
    """(28, 31) log-likelihoods relative to each cell's likeliest count."""
    return np.asarray(table - table.max(axis=1, keepdims=True))


def _is_same(one: Ints | None, other: Ints | None) -> bool:
    """Whether changes count relative to the same (28,) cells; None for those before the turn."""
    return one is other or (one is not None and other is not None and bool((one == other).all()))


def errors_learnt(
    errors: ReadingErrors,
    period: StillPeriod,
    cells: Ints,
    memory: BoardMemory | None,
    settled: Ints | None,
) -> ReadingErrors:
    """`errors` updated with what `period` shows of the untouched places.

    cells: (28,) as recorded now; memory: the board before the turn; settled: (28,) the cells
    relative to which changes count. A misreading that was there before is not counted again.
    """
    read = _likeliest(period.table)
    is_told = read != UNREAD
    if memory is not None:
        is_told &= (cells == memory.cells) & ((read != memory.read) | (read == cells))
    counts = errors.counts.with_places((read != cells)[is_told])
    if settled is None or not period.change.any():
        return replace(errors, counts=counts)
    is_changed = (period.change > 0)[cells == settled]
    return ReadingErrors(counts, errors.changes.with_places(is_changed))


def with_floor(table: Floats, misread_share: float = MIN_MISREAD_SHARE) -> Floats:
    """Log-probabilities mixed with those of a misreading.

    misread_share: the probability of a misreading: half of it off by one checker, half of it
    uniform.
    """
    p, half = np.exp(table), misread_share / 2
    beside = np.zeros_like(p)
    beside[:, 1:] += p[:, :-1] / 2
    beside[:, :-1] += p[:, 1:] / 2
    mixed: Floats = np.log((1 - misread_share) * p + half * beside + half / COUNTS)
    return mixed


class Ahead(NamedTuple):
    """What a view may show instead of a turn's result: moves that no throw separates from it."""

    roll: int
    """The double that left them over, an index into `ALL_ROLLS`."""
    cells: Ints
    """(28,) cells after the turn."""
    followed: Ints
    """(M, 28) cells after those moves."""
    log_share: float
    """The log-probability of each way to make them."""


@dataclass(frozen=True, eq=False)
class PositionEvidence:
    """All observations of one position: the trusted view, and glimpses beside it."""

    main: PositionView
    glimpses: tuple[PositionView, ...] = ()
    ahead: tuple[Ahead, ...] = ()
    """What the main view may show because it had followed at once."""

    def score(self, cells: Ints, before: Ints, rolls: Ints | None = None) -> Floats:
        """(N,) log-likelihoods, relative to the maximum that any position can reach.

        rolls: (N,) the roll that each is a result of, an index into `ALL_ROLLS`; None for results
        of no roll, which nothing follows.
        """
        total = self.main.score(cells, before) - self.main.max_score
        for view in self.new_in_glimpses:
            total = total + view.glimpse_score(cells, before)
        for roll, reached, followed, log_share in () if rolls is None else self.ahead:
            rows = (rolls == roll) & (cells == reached).all(axis=1)
            scores = self.main.score(followed, before) - self.main.max_score
            log_p = float(np.logaddexp.reduce(scores)) + log_share + AHEAD_LOG_PRIOR
            # What the main view shows had not been played in the glimpses: they repeat nothing.
            log_p += sum(float(v.glimpse_score(reached[None], before)[0]) for v in self.glimpses)
            total[rows] = np.logaddexp(total[rows], log_p)
        return total

    @cached_property
    def new_in_glimpses(self) -> tuple[PositionView, ...]:
        """The glimpses without what they repeat of the trusted view."""
        return tuple(view.beside(self.main) for view in self.glimpses)

    def settled_at(self, cells: Ints) -> PositionEvidence:
        """The same with changes relative to (28,) `cells`."""
        views = [replace(view, settled=cells) for view in self.views]
        return replace(self, main=views[0], glimpses=tuple(views[1:]))

    @property
    def views(self) -> tuple[PositionView, ...]:
        """Every view, the trusted one first."""
        return (self.main, *self.glimpses)


def board_cells(boards: Boards, mover: Side, course: Course) -> Ints:
    """(N, 28) cells of (N, 2, 26) boards, the mover's side vector before the opponent's."""
    own, other = boards[:, 0].astype(np.int64), boards[:, 1].astype(np.int64)
    light, dark = (own, other) if mover is Side.LIGHT else (other, own)
    across = [course.across(point) for point in range(1, BAR)]
    cells = np.empty((len(boards), CELLS), np.int64)
    cells[:, :24] = light[:, 1:BAR] - dark[:, across]
    cells[:, LIGHT_BAR], cells[:, DARK_BAR] = light[:, BAR], -dark[:, BAR]
    cells[:, LIGHT_OFF], cells[:, DARK_OFF] = light[:, OFF], -dark[:, OFF]
    return cells


def position_of(cells: Ints, course: Course) -> Position:
    """The position of (28,) cells with 15 checkers a side."""
    counts = [int(count) for count in cells]
    light, dark = [0] * (BAR + 1), [0] * (BAR + 1)
    for point in range(1, BAR):
        light[point] = max(counts[point - 1], 0)
        dark[course.across(point)] = max(-counts[point - 1], 0)
    light[BAR], dark[BAR] = counts[LIGHT_BAR], -counts[DARK_BAR]
    light[OFF], dark[OFF] = counts[LIGHT_OFF], -counts[DARK_OFF]
    return Position(tuple(light), tuple(dark), course)


def both_moved(before: Position, after: Position) -> bool:
    """Whether each side has more checkers on some point than before: no single turn does that."""
    return all(has_moved(before, after, side) for side in Side)


def has_moved(before: Position, after: Position, side: Side) -> bool:
    """Whether `side` has more checkers on some point than before; one that is hit has not moved."""
    then, now = before.of(side)[1:BAR], after.of(side)[1:BAR]
    return any(new > old for old, new in zip(then, now, strict=True))


def with_misplaced_checker(bases: Ints, mover: Side, view: PositionView, most: int) -> Ints:
    """(M, 28) at most `most` positions with one checker misplaced relative to one of `bases`.

    Those that fit `view` best; only the mover's checkers are moved.
    """
    sign = 1 if mover is Side.LIGHT else -1
    one_less, same, one_more = (
        view.table[_ROWS, np.clip(bases + step + CHECKERS, 0, COUNTS - 1)]
        for step in (-sign, 0, sign)
    )
    taken, given = one_less - same, one_more - same
    taken[(bases * sign <= 0) | ~MAY_HOLD[mover]] = -np.inf
    given[(bases * sign < 0) | ~MAY_HOLD[mover]] = -np.inf
    scores = same.sum(axis=1)[:, None, None] + taken[:, :, None] + given[:, None, :]
    scores[:, _ROWS, _ROWS] = -np.inf
    best = np.argpartition(scores, -most, axis=None)[-most:]
    base, source, target = np.unravel_index(best[np.isfinite(scores.flat[best])], scores.shape)
    found = bases[base].copy()
    index = np.arange(len(found))
    found[index, source] -= sign
    found[index, target] += sign
    return distinct_rows(found)[0]
