"""Pearson's X2 of contingency tables, with resampled p-values where expected counts are small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.fairness.faces import Test

MIN_EXPECTED_COUNT: Final = 5.0
"""Expected count of a cell below which p is found by resampling."""
PERMUTATIONS: Final = 2_000


def independence(table: Ints) -> tuple[float, float]:
    """Pearson's X2 of independence given the margins, and the least expected count."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    total = max(int(table.sum()), 1)
    expected = np.outer(rows, columns) / total
    seen = expected > 0
    off = (table[seen] - expected[seen]) ** 2 / expected[seen]
    return float(off.sum()), float(expected.min())


def table_test(
    statistic: tuple[float, float],
    df: int,
    exceedances: Callable[[float], int],
    *,
    resamples: int = PERMUTATIONS,
    method: str = "shuffles",
) -> Test:
    """The test, given X2 and the least expected count: chi-square, or resampled if that is small.

    exceedances: how many of `resamples` resampled tables have an X2 at or above its argument.
    """
    from scipy.stats import chi2

    value, least_expected = statistic
    if least_expected >= MIN_EXPECTED_COUNT:
        return Test(value, df, float(chi2.sf(value, df)))
    return Test(value, df, (1 + int(exceedances(value - 1e-9))) / (1 + resamples), method)
