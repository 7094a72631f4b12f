"""How well positions fit what was seen: vectorised table look-ups, no decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from engine.evidence.observation import (
    CELLS,
    COUNTS,
    DARK_BAR,
    DARK_OFF,
    LIGHT_BAR,
    LIGHT_OFF,
    cell_counts,
)
from engine.evidence.still_period import LogTable, StillPeriod
from engine.position import BAR, CHECKERS, OFF, Course, Position, Side

Cells = NDArray[np.int64]
"""(N, 28) signed counts in the order of `evidence.CELLS`."""
Scores = NDArray[np.float64]

FLOOR: Final = 0.01
"""Share of a misread cell: half of it one checker off, half of it anything."""
CHANGE_CAP: Final = 4.0
"""Nats that the comparison of pictures may say about one cell."""
GLIMPSE_WEIGHT: Final = 0.5
"""A second view of the same position shares light and reader with the first: half a view."""
GLIMPSE_FLOOR: Final = -5.0
"""Log-probability that an earlier or later view shows another position after all."""

STAYS: Final = -0.25
"""Log-probability that an untouched place that was misread is misread the same once more."""
STRAYS: Final = 2
"""Places that have to be read otherwise than the record has them before it may have strayed."""
UNREAD: Final = -99
"""In place of the count of a cell that was not seen."""

_ROWS: Final = np.arange(CELLS)
_ONLY_SIGN: Final = np.zeros(CELLS, np.int64)
"""1 and -1 where only light's or only dark's checkers can be."""
_ONLY_SIGN[[LIGHT_BAR, LIGHT_OFF]], _ONLY_SIGN[[DARK_BAR, DARK_OFF]] = 1, -1


@dataclass(frozen=True, slots=True, eq=False)
class BoardMemory:
    """How the board was read when it was last settled, and what stood there by the record.

    Glare and shadows stay: a place that nobody touched is misread again as it was before, and
    that is no new evidence.
    """

    read: NDArray[np.int64]
    """(28,) the likeliest counts then; UNREAD where a cell was not seen."""
    cells: NDArray[np.int64]
    """(28,)"""

    @classmethod
    def of(cls, table: LogTable, cells: NDArray[np.int64]) -> BoardMemory:
        """table: (28, 31) log-probabilities of the counts at that time."""
        return cls(_likeliest(table), cells)

    def stray_position(self, course: Course) -> Position | None:
        """What was read then, if that is 15 checkers a side elsewhere than the record has them.

        A glare or a shadow adds a checker or hides one; it does not move it. Trays that are not
        seen hold what the board lacks.
        """
        is_seen = self.read != UNREAD
        if np.count_nonzero(is_seen & (self.read != self.cells)) < STRAYS:
            return None
        read = np.where(is_seen, self.read, self.cells)
        for off, sign in ((LIGHT_OFF, 1), (DARK_OFF, -1)):
            if not is_seen[off]:
                own = np.clip(sign * read, 0, None)
                read[off] = sign * (CHECKERS - own.sum() + own[off])
        if (read * _ONLY_SIGN < 0).any():
            return None
        light, dark = read[read > 0].sum(), -read[read < 0].sum()
        return position_of(read, course) if light == dark == CHECKERS else None


@dataclass(frozen=True, slots=True, eq=False)
class PositionView:
    """What one stretch says about positions."""

    table: LogTable
    """(28, 31) log-probabilities with a floor, so that one misread cell cannot dominate."""
    change: Scores
    """(28,) capped log-likelihood ratios that the cell changed."""
    settled: NDArray[np.int64] | None = None
    """(28,) what stood when the change began to count; None: what stood before the turn."""

    @classmethod
    def of(cls, stretch: StillPeriod, settled: NDArray[np.int64] | None = None) -> PositionView:
        """The view that a stretch gives."""
        change = np.clip(stretch.change, -CHANGE_CAP, CHANGE_CAP)
        return cls(with_floor(stretch.table), change, settled)

    def with_memory(self, memory: BoardMemory) -> PositionView:
        """The view in which a reading that stayed the same says little against what stood there."""
        read = _likeliest(self.table)
        rows = np.flatnonzero((read == memory.read) & (read != UNREAD))
        table, columns = self.table.copy(), memory.cells[rows] + CHECKERS
        stays = table[rows].max(axis=1) + STAYS
        table[rows, columns] = np.maximum(table[rows, columns], stays)
        return replace(self, table=table)

    @property
    def max_score(self) -> float:
        """The score that no position can exceed."""
        return float(self.table.max(axis=1).sum() + np.maximum(self.change, 0).sum())

    def score(self, cells: Cells, before: Cells) -> Scores:
        """(N,) log-likelihoods of positions that came from `before` (28,)."""
        settled = before if self.settled is None else self.settled
        counts: Scores = self.table[_ROWS, cells + CHECKERS].sum(axis=-1)
        changes: Scores = ((cells != settled) * self.change).sum(axis=-1)
        return counts + changes

    def glimpse_score(self, cells: Cells, before: Cells) -> Scores:
        """(N,) the same for a view that need not show the final position."""
        shortfall = self.score(cells, before) - self.max_score
        return np.logaddexp(GLIMPSE_WEIGHT * shortfall, GLIMPSE_FLOOR)


def _likeliest(table: LogTable) -> NDArray[np.int64]:
    """(28,) signed counts; UNREAD where all are alike."""
    return np.where(np.ptp(table, axis=1) > 1e-6, table.argmax(axis=1) - CHECKERS, UNREAD)


def with_floor(table: LogTable) -> LogTable:
    """Log-probabilities mixed with what a misreading would give: see FLOOR."""
    chances = np.exp(table)
    beside = np.zeros_like(chances)
    beside[:, 1:] += chances[:, :-1] / 2
    beside[:, :-1] += chances[:, 1:] / 2
    return np.asarray(
        np.log((1 - FLOOR) * chances + FLOOR / 2 * beside + FLOOR / 2 / COUNTS), np.float64
    )


@dataclass(frozen=True, eq=False)
class PositionEvidence:
    """All that was seen of one position: the view to trust, and glimpses beside it."""

    main: PositionView
    glimpses: tuple[PositionView, ...] = ()

    def score(self, cells: Cells, before: Cells) -> Scores:
        """(N,) log-likelihoods, relative to what no position can exceed."""
        total = self.main.score(cells, before) - self.main.max_score
        for view in self.glimpses:
            total = total + view.glimpse_score(cells, before)
        return total

    def settled_at(self, cells: NDArray[np.int64]) -> PositionEvidence:
        """The same where (28,) `cells` stood when changes began to count."""
        views = [replace(view, settled=cells) for view in self.views]
        return PositionEvidence(views[0], tuple(views[1:]))

    @cached_property
    def most_probable(self) -> NDArray[np.int64]:
        """(28,) what the trusted view shows, legal or not."""
        return most_probable(self.main)

    @property
    def views(self) -> tuple[PositionView, ...]:
        """Every view, the trusted one first."""
        return (self.main, *self.glimpses)


def board_cells(boards: NDArray[np.int8], mover: Side, course: Course) -> Cells:
    """(N, 28) cells of (N, 2, 26) boards, the mover's side vector before the opponent's."""
    own, other = boards[:, 0].astype(np.int64), boards[:, 1].astype(np.int64)
    light, dark = (own, other) if mover is Side.LIGHT else (other, own)
    across = [course.across(point) for point in range(1, BAR)]
    cells = np.empty((len(boards), CELLS), np.int64)
    cells[:, :24] = light[:, 1:BAR] - dark[:, across]
    cells[:, LIGHT_BAR], cells[:, DARK_BAR] = light[:, BAR], -dark[:, BAR]
    cells[:, LIGHT_OFF], cells[:, DARK_OFF] = light[:, OFF], -dark[:, OFF]
    return cells


def position_of(cells: NDArray[np.int64], course: Course) -> Position:
    """The position of (28,) cells that hold 15 checkers a side."""
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
    then, now = cell_counts(before)[:24], cell_counts(after)[:24]
    light = np.maximum(now, 0) > np.maximum(then, 0)
    dark = np.minimum(now, 0) < np.minimum(then, 0)
    return bool(light.any() and dark.any())


def one_astray(bases: Cells, mover: Side, view: PositionView, most: int) -> Cells:
    """(M, 28) at most `most` positions with one checker elsewhere than in one of `bases`.

    Those that fit `view` best; only the mover's checkers are touched.
    """
    sign = 1 if mover is Side.LIGHT else -1
    seats = _seats(mover)
    here = view.table[_ROWS, bases + CHECKERS]
    taken = _shifted(view.table, bases, -sign) - here
    given = _shifted(view.table, bases, sign) - here
    taken[(bases * sign <= 0) | ~seats] = -np.inf
    given[(bases * sign < 0) | ~seats] = -np.inf
    gain = here.sum(axis=1)[:, None, None] + taken[:, :, None] + given[:, None, :]
    gain[:, _ROWS, _ROWS] = -np.inf
    order = np.argsort(gain, axis=None)[::-1][:most]
    base, source, target = np.unravel_index(order[np.isfinite(gain.flat[order])], gain.shape)
    found = bases[base].copy()
    index = np.arange(len(found))
    found[index, source] -= sign
    found[index, target] += sign
    return np.unique(found, axis=0)


def _seats(side: Side) -> NDArray[np.bool_]:
    """(28,) the cells on which checkers of `side` can be."""
    seats = np.ones(CELLS, np.bool_)
    seats[[DARK_BAR, DARK_OFF] if side is Side.LIGHT else [LIGHT_BAR, LIGHT_OFF]] = False
    return seats


def _shifted(table: LogTable, cells: Cells, step: int) -> Scores:
    columns = np.clip(cells + step + CHECKERS, 0, COUNTS - 1)
    return np.asarray(table[_ROWS, columns], np.float64)


def most_probable(view: PositionView) -> NDArray[np.int64]:
    """(28,) the cells that fit best of all that hold 15 checkers a side, legal or not.

    Dynamic programming over cells; the state is how many of each side are placed so far.
    """
    table = view.table.copy()
    table[~_seats(Side.LIGHT), CHECKERS + 1 :] = -np.inf
    table[~_seats(Side.DARK), :CHECKERS] = -np.inf
    size = CHECKERS + 1
    best = np.full((size, size), -np.inf)
    best[0, 0] = 0.0
    chosen = np.zeros((CELLS, size, size), np.int64)
    for cell in range(CELLS):
        best, chosen[cell] = _place_cell(best, table[cell])
    return _trace_back(chosen)


def _place_cell(best: Scores, row: Scores) -> tuple[Scores, NDArray[np.int64]]:
    """The best scores when one more cell is filled, and with which count."""
    size = CHECKERS + 1
    placed = np.full((CHECKERS + size, CHECKERS + size), -np.inf)
    placed[CHECKERS:, CHECKERS:] = best
    # What was placed before, by how many the cell takes: 15..1 dark, or 0..15 light.
    dark = sliding_window_view(placed[CHECKERS:], size, axis=1)[:, :CHECKERS].swapaxes(0, 1)
    light = sliding_window_view(placed[:, CHECKERS:], size, axis=0)[::-1].swapaxes(1, 2)
    offers = np.concatenate([dark, light]) + row[:, None, None]
    choice = offers.argmax(axis=0)
    return np.take_along_axis(offers, choice[None], axis=0)[0], choice - CHECKERS


def _trace_back(chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    cells = np.zeros(CELLS, np.int64)
    light = dark = CHECKERS
    for cell in range(CELLS - 1, -1, -1):
        count = int(chosen[cell, light, dark])
        cells[cell] = count
        light, dark = light - max(count, 0), dark - max(-count, 0)
    return cells
