"""What dice that could not be read may do to a log: they are not counted, whatever they showed.

A reader who gives up on one face more often than on others makes an even die look uneven. What
those dice showed is not known, so the worst is supposed: that they were of the missing faces.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.fairness.rolls import FACES

USUAL: Final = 0.05
"""p of the faces from which on nothing is left to explain."""


def evened(counts: Ints, unread: int) -> Ints:
    """The (6,) counts with each unread die given to whichever face is the rarest then."""
    filled = counts.copy()
    order = np.argsort(filled, kind="stable")
    for rank in range(1, FACES + 1):
        lowest = order[:rank]
        above = filled[order[rank]] if rank < FACES else filled.max() + unread
        step = min(unread // rank, int(above - filled[lowest[0]]))
        filled[lowest] += step
        unread -= step * rank
        if rank == FACES or unread < rank:
            filled[lowest[:unread]] += 1
            break
    return filled


def could_explain(counts: Ints, unread: int) -> bool:
    """Whether the faces would be nothing odd if the unread dice had shown the rarest of them."""
    from scipy.stats import chisquare

    return unread > 0 and bool(chisquare(evened(counts, unread)).pvalue >= USUAL)
