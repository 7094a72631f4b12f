"""Pearson's X2 of contingency tables, with resampled p-values where expected counts are small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from engine.arrays import Floats, Ints
from engine.fairness.faces import Test

MIN_EXPECTED_COUNT: Final = 5.0
"""Expected count of a cell below which p is found by resampling."""
PERMUTATIONS: Final = 2_000


def independence(tables: Ints) -> tuple[Floats, float]:
    """(...,) X2 of (..., r, c) tables given their margins, and the least expected count."""
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    total = np.maximum(rows.sum(axis=-1), 1)[..., None, None]
    expected = rows[..., :, None] * columns[..., None, :] / total
    return pearson(tables, expected).sum(axis=-1), float(expected.min())


def pearson(seen: Ints | Floats, expected: Floats) -> Floats:
    """(...,) X2 of (..., n) counts; nothing is seen in a cell where nothing is expected."""
    off = (seen - expected) ** 2 / np.where(expected > 0, expected, 1.0)
    return np.asarray(off.sum(axis=-1))


def table_test(
    statistic: tuple[Floats, float],
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

    value, least_expected = float(statistic[0]), statistic[1]
    if least_expected >= MIN_EXPECTED_COUNT:
        return Test(value, df, float(chi2.sf(value, df)))
    return Test(value, df, (1 + int(exceedances(value - 1e-9))) / (1 + resamples), method)
