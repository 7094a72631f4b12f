"""Two dice that cannot be told apart: whether one of them explains the throws, or both."""

from __future__ import annotations

from enum import Enum
from math import log
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.fairness.reading import likeliest_shares
from engine.fairness.rolls import FACES, DiceLog

LIKELIER_BY: Final = log(20)
"""The log likelihood ratio from which one or both dice are named."""


class Suspects(Enum):
    """Which of two look-alike dice are biased, if any are."""

    ONE = "one"
    BOTH = "both"
    UNDECIDED = "one or both"


def suspects(log_: DiceLog) -> Suspects:
    """Which dice the throws of two fit better, by `one_rather_than_both`."""
    ratio = one_rather_than_both(outcomes(log_))
    if abs(ratio) < LIKELIER_BY:
        return Suspects.UNDECIDED
    return Suspects.ONE if ratio > 0 else Suspects.BOTH


def outcomes(log_: DiceLog) -> Ints:
    """(6, 6) usable throws of two dice; only the sum with its transpose has a meaning."""
    first = log_.two_dice_throws()
    cells = log_.faces[first].astype(np.int64) * FACES + log_.faces[first + 1]
    return np.bincount(cells, minlength=FACES**2).reshape(FACES, FACES)


def one_rather_than_both(table: Ints) -> float:
    """The log likelihood ratio of one biased die and an unbiased one to two with the same bias.

    Both have five parameters, fitted to the 21 outcomes. The ratio is of second order in the bias,
    so that small biases need very many throws.
    """
    low, high = np.triu_indices(FACES)
    times = np.where(low == high, table[low, high], table[low, high] + table[high, low])
    thrown = times > 0
    low, high, times = low[thrown], high[thrown], times[thrown]
    rows = (np.eye(FACES)[low] + np.eye(FACES)[high]) * (FACES / 2)
    one = likeliest_shares(rows, times)
    both = table.sum(axis=0) + table.sum(axis=1)
    seen = both > 0
    of_both = float((both[seen] * np.log(FACES * both[seen] / both.sum())).sum())
    return float((times * np.log(rows @ one)).sum()) - of_both
