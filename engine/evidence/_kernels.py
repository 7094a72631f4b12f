"""How well the places of a board together fit what was read, compiled."""

from __future__ import annotations

import numba
import numpy as np

from engine.arrays import Floats
from engine.position import CHECKERS


@numba.njit(cache=True)
def fillings(table: Floats, is_summed: bool) -> Floats:
    """(N + 1, 16, 16) how well the first n cells fit, by the light and dark checkers on them.

    table: (N, 31) log-probabilities of 15 dark to 15 light checkers. The result is the
    log-probability of the best counts, or with `is_summed` of all together.
    """
    filled = np.full((len(table) + 1, CHECKERS + 1, CHECKERS + 1), -np.inf)
    filled[0, 0, 0] = 0.0
    for cell in range(len(table)):
        before, after = filled[cell], filled[cell + 1]
        for count in range(-CHECKERS, CHECKERS + 1):
            log_p = table[cell, count + CHECKERS]
            more_light, more_dark = max(count, 0), max(-count, 0)
            if log_p == -np.inf:
                continue
            for light in range(more_light, CHECKERS + 1):
                for dark in range(more_dark, CHECKERS + 1):
                    one = before[light - more_light, dark - more_dark] + log_p
                    other = after[light, dark]
                    if is_summed:
                        after[light, dark] = np.logaddexp(one, other)
                    elif one > other:
                        after[light, dark] = one
    return filled
