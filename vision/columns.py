"""The best arrangement of n discs in a column, for every n: exact, by dynamic programming."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

NEVER: Final = -1e3


def best_columns(gain: Floats, apart: int, most: int, slack: float) -> tuple[Floats, list[Rows]]:
    """Totals of the best 1..n centres at least `apart` rows from each other, and those rows.

    `gain` (rows,) is what a disc centred there adds; `slack` is lost per row that the column is
    longer than its touching discs, counted from row 0. n ends at `most` or where no further
    disc fits.
    """
    rows = np.arange(len(gain))
    best = gain
    totals: list[float] = []
    arrangements: list[Rows] = []
    came_from: list[Rows] = []
    while True:
        loose = np.maximum(0, rows - (len(totals) + 0.5) * apart)
        ends = best - slack * loose
        totals.append(float(ends.max()))
        arrangements.append(_traced(int(ends.argmax()), came_from, apart))
        if len(totals) == most or len(totals) * apart >= len(gain):
            return np.array(totals), arrangements
        reached = np.maximum.accumulate(best)
        source = np.maximum.accumulate(np.where(best == reached, np.arange(len(best)), 0))
        best = np.full(len(gain), NEVER)
        best[apart:] = reached[:-apart] + gain[apart:]
        came_from.append(source)


def _traced(row: int, came_from: list[Rows], apart: int) -> Rows:
    """The rows of the arrangement that ends at `row`, nearest row 0 first."""
    rows = [row]
    for source in reversed(came_from):
        rows.append(int(source[rows[-1] - apart]))
    return np.array(rows[::-1])
