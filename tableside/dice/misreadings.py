"""Whether sight gives up on some faces more often than on others, by what the plays tell later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.fairness import compare
from tableside.dice.rows import DieRow

UNSURE: Final = 0.9
"""Probability by sight alone below which a die counts as not read by it."""
TOLD: Final = 0.95
"""... and by the play that it was played with, from which on its face is known all the same."""
FEWEST: Final = 8
"""Dice that sight did not read, below which nothing is said of them."""
ODD: Final = 0.01
"""p from which on it is said that they are of some faces more than of others."""


def doubts_by_face(rows: Iterable[DieRow]) -> Ints:
    """(2, 6) dice whose face the play told: those that sight read too, and those it did not."""
    counts = np.zeros((2, 6), np.int64)
    for row in rows:
        if row.is_counted and 1 <= row.value <= 6 and row.confidence >= TOLD and row.seen >= 0:
            counts[int(row.seen < UNSURE), row.value - 1] += 1
    return counts


def uneven_doubts(counts: Ints) -> Iterator[str]:
    """A notice where what sight could not read is not spread over the faces as what it read is.

    Dice that nobody could read are missing in the log then by their faces, which no statistic of
    the rest can mend.
    """
    sure, unsure = counts
    if unsure.sum() < FEWEST or not sure.any():
        return
    p = compare("reading", ("read", "not read"), counts).same.p
    if p < ODD:
        shares = unsure / np.maximum(counts.sum(axis=0), 1)
        worst = int(shares.argmax())
        yield (
            f"sight alone did not read {unsure[worst]} of {counts[:, worst].sum()} that showed "
            f"{worst + 1}, and {unsure.sum()} of {counts.sum()} dice in all (p {p:.1g}): where "
            "no play told them, that face is missing; look at the pictures before the dice"
        )
