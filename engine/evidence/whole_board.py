"""What was read of all places together: positions of 15 checkers a side.

A tall stack is counted badly, but what all other places hold says how many it can have. A tray that
is not seen would hide whatever was miscounted; so it takes more than is recorded there only where
all of a side's checkers may be home.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engine.arrays import Floats, Ints
from engine.evidence.likelihood import position_of
from engine.evidence.observation import CELLS, DARK_OFF, LIGHT_OFF, MAY_HOLD, cell_counts
from engine.position import CHECKERS, Course, Position, Side

UNTOUCHED_NATS: Final = 2.0
"""By which the count that is recorded for a place is likelier beforehand than any other one,
though turns may have passed."""
MAX_READ_LOSS: Final = 4.0
"""Nats by which a count may be less likely than the likeliest of its place and still be what was
read there: less than a clear reading would lose."""
MIN_CONTRADICTING_PLACES: Final = 2
"""Places that have to be read otherwise than recorded before the record may be wrong."""

MIN_SEEN_SPREAD: Final = 0.1
"""Nats between the counts of a place that was seen, at least."""

_SIZE: Final = CHECKERS + 1
_TRAYS: Final = ((LIGHT_OFF, 1), (DARK_OFF, -1))
_QUARTER: Final = 6
"""Points of one quarter of the board."""


def most_probable(table: Floats, recorded: Position | None = None) -> Ints:
    """(28,) the cells that fit best of all that hold 15 checkers a side, legal or not.

    table: (28, 31) log-probabilities of the counts; recorded: what stood there before, where that
    is known: a place that reads badly was rather left as it was.
    """
    table = table.copy()
    held = np.zeros(CELLS, np.int64) if recorded is None else cell_counts(recorded)
    is_unseen = np.ptp(table, axis=1) < MIN_SEEN_SPREAD
    if recorded is not None:
        table[np.arange(CELLS), held + CHECKERS] += UNTOUCHED_NATS
    cells = _best_filling(table)
    course = None if recorded is None else recorded.course
    hiding = [
        tray
        for tray, sign in _TRAYS
        if is_unseen[tray] and cells[tray] != held[tray] and not _may_bear_off(cells, sign, course)
    ]
    if not hiding:
        return cells
    for tray in hiding:
        _fix(table, tray, int(held[tray]))
    return _best_filling(table)


def contradicting_position(table: Floats, recorded: Position) -> Position | None:
    """What was read, if that is 15 checkers a side elsewhere than the record has them.

    A glare or a shadow adds a checker or hides one; it does not move it. So no place may have to
    be misread for it.
    """
    held, rows = cell_counts(recorded), np.arange(CELLS)
    losses = table.max(axis=1) - table[rows, held + CHECKERS]
    if np.count_nonzero(losses > 0) < MIN_CONTRADICTING_PLACES:
        return None
    cells = most_probable(table, recorded)
    if np.count_nonzero(cells != held) < MIN_CONTRADICTING_PLACES:
        return None
    losses = table.max(axis=1) - table[rows, cells + CHECKERS]
    return position_of(cells, recorded.course) if losses.max() <= MAX_READ_LOSS else None


def position_probability(table: Floats, position: Position, places: Iterable[int]) -> float:
    """The probability of `position` if nothing but the counts of `places` is in doubt.

    table: (28, 31) log-probabilities of the counts.
    """
    cells, rows = cell_counts(position), np.arange(CELLS)
    table = table.copy()
    for row in np.setdiff1d(rows, list(places)):
        _fix(table, int(row), int(cells[row]))
    *_, (_, filled) = _fillings(table, np.logaddexp)
    total = float(filled[CHECKERS, CHECKERS])
    return float(np.exp(table[rows, cells + CHECKERS].sum() - total))


def _fix(table: Floats, row: int, count: int) -> None:
    """Leave a place no other count than this."""
    log_p = table[row, count + CHECKERS]
    table[row] = -np.inf
    table[row, count + CHECKERS] = log_p


def _may_bear_off(cells: Ints, sign: int, course: Course | None) -> bool:
    """Whether all checkers of a side are home; in any quarter, where the course is not known."""
    standing = np.flatnonzero(cells[:LIGHT_OFF] * sign > 0)
    if (standing >= 24).any():
        return False
    quarters = set((standing // _QUARTER).tolist())
    if course is None:
        return len(quarters) < 2
    home = 0 if sign > 0 else (course.across(1) - 1) // _QUARTER
    return quarters <= {home}


def _best_filling(table: Floats) -> Ints:
    """(28,) the likeliest counts that hold 15 checkers a side."""
    chosen = [offers.argmax(axis=0) - CHECKERS for offers, _ in _fillings(table, np.maximum)]
    cells = np.zeros(CELLS, np.int64)
    light = dark = CHECKERS
    for cell in range(CELLS - 1, -1, -1):
        count = int(chosen[cell][light, dark])
        cells[cell] = count
        light, dark = light - max(count, 0), dark - max(-count, 0)
    return cells


def _fillings(table: Floats, joined: np.ufunc) -> Iterator[tuple[Floats, Floats]]:
    """Cell by cell, how well the cells so far fit by how many checkers of each side they hold.

    Of (16, 16) light and dark checkers: the (31, ...) log-probabilities by the count of the newest
    cell, and these `joined` to one: the maximum, or the logarithm of the sum.
    """
    table = table.copy()
    table[~MAY_HOLD[Side.LIGHT], CHECKERS + 1 :] = -np.inf
    table[~MAY_HOLD[Side.DARK], :CHECKERS] = -np.inf
    filled = np.full((_SIZE, _SIZE), -np.inf)
    filled[0, 0] = 0.0
    for row in table:
        before = np.full((CHECKERS + _SIZE, CHECKERS + _SIZE), -np.inf)
        before[CHECKERS:, CHECKERS:] = filled
        # What was placed before, by how many the cell takes: 15..1 dark, or 0..15 light.
        dark = sliding_window_view(before[CHECKERS:], _SIZE, axis=1)[:, :CHECKERS].swapaxes(0, 1)
        light = sliding_window_view(before[:, CHECKERS:], _SIZE, axis=0)[::-1].swapaxes(1, 2)
        offers = np.concatenate([dark, light]) + row[:, None, None]
        filled = joined.reduce(offers, axis=0)
        yield offers, filled
