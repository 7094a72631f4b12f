"""What was read of all places together: positions of 15 checkers a side.

A tall stack is hard to count, but what all other places hold limits how many it can have. An unseen
tray could hide any miscount, so it holds more than recorded only if all of a side's checkers may be
home.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.evidence.likelihood import position_of
from engine.evidence.observation import CELLS, DARK_OFF, LIGHT_OFF, MAY_HOLD, cell_counts
from engine.position import CHECKERS, Course, Position, Side

UNTOUCHED_NATS: Final = 2.0
"""Nats by which the recorded count of a place is likelier a priori than any other, even though
turns may have passed."""
MAX_READ_LOSS: Final = 4.0
"""Nats by which a count may be less likely than the likeliest of its place and still count as read
there: less than a clear reading would lose."""
MIN_CONTRADICTING_PLACES: Final = 2
"""Number of places that must be read differently than recorded before the record may be wrong."""

MIN_SEEN_SPREAD: Final = 0.1
"""Minimum spread in nats between the counts of a place that was seen."""

_COUNTS: Final = np.arange(-CHECKERS, CHECKERS + 1)
_LIGHT: Final = _COUNTS.clip(min=0)
_DARK: Final = (-_COUNTS).clip(min=0)
_TRAYS: Final = ((LIGHT_OFF, 1), (DARK_OFF, -1))
_QUARTER: Final = 6
"""Points in one quarter of the board."""


def most_probable(table: Floats, recorded: Position | None = None) -> Ints:
    """(28,) the best-fitting cells of all that hold 15 checkers a side, legal or not.

    table: (28, 31) log-probabilities of the counts; recorded: what was there before, if known: a
    place that is hard to read was more likely left unchanged.
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
    """The position read, if it has 15 checkers a side and differs from the recorded one.

    Glare or a shadow adds or hides a checker; it does not move one. So no place may have to be
    misread for this.
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
    """The probability of `position` if only the counts of `places` are in doubt.

    table: (28, 31) log-probabilities of the counts.
    """
    cells, rows = cell_counts(position), np.arange(CELLS)
    table = table.copy()
    for row in np.setdiff1d(rows, list(places)):
        _fix(table, int(row), int(cells[row]))
    total = float(_fillings(_owned(table), is_summed=True)[-1, CHECKERS, CHECKERS])
    return float(np.exp(table[rows, cells + CHECKERS].sum() - total))


def _fix(table: Floats, row: int, count: int) -> None:
    """Allow a place no other count than this."""
    log_p = table[row, count + CHECKERS]
    table[row] = -np.inf
    table[row, count + CHECKERS] = log_p


def _may_bear_off(cells: Ints, sign: int, course: Course | None) -> bool:
    """Whether all checkers of a side are home; in any quarter if the course is not known."""
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
    table = _owned(table)
    cells: Ints = table.argmax(axis=1) - CHECKERS
    if _holds_all(cells):
        return cells
    filled = _fillings(table, is_summed=False)
    light = dark = CHECKERS
    for cell in range(CELLS - 1, -1, -1):
        fits = (light >= _LIGHT) & (dark >= _DARK)
        before = np.where(fits, filled[cell, light - _LIGHT, dark - _DARK], -np.inf)
        count = int(_COUNTS[(before + table[cell]).argmax()])
        cells[cell] = count
        light, dark = light - max(count, 0), dark - max(-count, 0)
    return cells


def _holds_all(cells: Ints) -> bool:
    """Whether (28,) cells hold 15 checkers a side."""
    return bool(cells.sum() == 0 and np.abs(cells).sum() == 2 * CHECKERS)


def _owned(table: Floats) -> Floats:
    """A copy of the (28, 31) table in which no place holds a side's checkers that may not."""
    table = table.copy()
    table[~MAY_HOLD[Side.LIGHT], CHECKERS + 1 :] = -np.inf
    table[~MAY_HOLD[Side.DARK], :CHECKERS] = -np.inf
    return table


def _fillings(table: Floats, *, is_summed: bool) -> Floats:
    """(29, 16, 16) as `engine.evidence._kernels.fillings` returns it; numba loads at first use."""
    from engine.evidence._kernels import fillings

    filled: Floats = fillings(table, is_summed)
    return filled
