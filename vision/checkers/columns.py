"""The best arrangement of n discs in a column, for every n: exact, by dynamic programming."""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats

Rows = NDArray[np.intp]

NEVER: Final = -1e3


def best_columns(gain: Floats, apart: int, most: int, slack: float) -> tuple[Floats, list[Rows]]:
    """Totals of the best 1..n centres at least `apart` rows from each other, and those rows.

    `gain` (rows,) is what a disc centred there adds; `slack` is lost per row that the column is
    longer than its touching discs, counted from row 0. n ends at `most` or where no further
    disc fits.
    """
    totals, rows = _best(gain, apart, min(most, -(-len(gain) // apart)), slack)
    return totals, [rows[n, : n + 1] for n in range(len(totals))]


@numba.njit(cache=True)
def _best(gain: Any, apart: int, most: int, slack: float) -> Any:
    """Totals of the best 1..most discs, and in row n of a table the n + 1 places of theirs."""
    length = len(gain)
    best = gain.copy()
    totals = np.empty(most)
    places = np.zeros((most, most), np.intp)
    came_from = np.zeros((most, length), np.intp)
    for count in range(most):
        end, top = 0, -np.inf
        for row in range(length):
            value = best[row] - slack * max(0.0, row - (count + 0.5) * apart)
            if value > top:
                end, top = row, value
        totals[count] = top
        for disc in range(count, -1, -1):
            places[count, disc] = end
            if disc:
                end = came_from[disc - 1, max(0, end - apart)]
        # The best end of one disc less at or before each row, and where it lies.
        following = np.full(length, NEVER)
        reached, source = -np.inf, 0
        for row in range(length):
            if best[row] >= reached:
                reached, source = best[row], row
            came_from[count, row] = source
            if row + apart < length:
                following[row + apart] = reached + gain[row + apart]
        best = following
    return totals, places
