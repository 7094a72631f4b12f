"""Whether rolls depend on the roll before: pairs of successive rolls, and runs of one face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.fairness.faces import SEED, Test
from engine.fairness.rolls import FACES, DiceLog

LEAST_EXPECTED: Final = 5.0
"""Expected count of a cell below which p is found by shuffling."""
SHUFFLES: Final = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class SerialTests:
    """How a die's rolls follow on each other."""

    table: Ints
    """(6, 6) a face, and the face of the next throw."""
    serial: Test
    """X2 of independence, given the margins."""
    repeats: Test
    """How often a face comes twice in a row, as z: above 0 too often, runs are long."""
    runs: int | None
    """Stretches of one face; None for two dice that cannot be told apart."""


def sequence_tests(log: DiceLog) -> SerialTests:
    """The tests of one die's usable rolls, in their order."""
    faces, throws = np.ascontiguousarray(log.faces), np.ascontiguousarray(log.throw)
    table = follow_table(faces, throws)
    is_single = not log.pooled
    runs = int((np.diff(faces) != 0).sum()) + 1 if is_single and len(faces) else None
    return SerialTests(table, _serial(faces, throws, table), _repeats(table), runs)


def follow_table(faces: NDArray[np.int8], throws: Ints) -> Ints:
    """(6, 6) how often a face of one throw is followed by one of the next."""
    from engine.fairness._kernels import follow_table as fill

    table = np.zeros((FACES, FACES), np.int64)
    fill(faces, throws, table)
    return table


def _serial(faces: NDArray[np.int8], throws: Ints, table: Ints) -> Test:
    value, expected = independence(table)
    if table.sum() < 2:
        return Test(0.0, 25, 1.0)
    if expected >= LEAST_EXPECTED:
        from scipy.stats import chi2

        return Test(value, 25, float(chi2.sf(value, 25)))
    return Test(value, 25, _shuffled_p(faces, throws, value), "shuffles")


def independence(table: Ints) -> tuple[float, float]:
    """Pearson's X2 of independence given the margins, and the least expected count."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    total = max(int(table.sum()), 1)
    expected = np.outer(rows, columns) / total
    seen = expected > 0
    off = (table[seen] - expected[seen]) ** 2 / expected[seen]
    return float(off.sum()), float(expected.min())


def _shuffled_p(faces: NDArray[np.int8], throws: Ints, value: float) -> float:
    """The share of shuffled orders of the throws in which faces follow as unevenly."""
    from engine.fairness._kernels import shuffled_follows

    starts = np.flatnonzero(np.r_[True, throws[1:] != throws[:-1]])
    sizes = np.diff(np.r_[starts, len(throws)])
    chance = np.random.default_rng(SEED)
    orders = chance.permuted(np.tile(np.arange(len(starts)), (SHUFFLES, 1)), axis=1)
    above = shuffled_follows(faces, starts, sizes, orders, value)
    return (1 + int(above)) / (1 + SHUFFLES)


def _repeats(table: Ints) -> Test:
    """The diagonal as z: given the margins its count has this mean and variance if independent."""
    from scipy.stats import norm

    total = int(table.sum())
    if total < 2:
        return Test(0.0, 1, 1.0, "normal")
    rows, columns = table.sum(axis=1) / total, table.sum(axis=0) / total
    mean = float((rows * columns).sum())
    # Of sums over permutations (Hoeffding 1951), with the table's cells as scores.
    both = float((rows * columns * (rows + columns)).sum())
    variance = (mean - both + mean * mean) * total * total / (total - 1)
    if variance <= 0:
        return Test(0.0, 1, 1.0, "normal")
    z = (float(np.trace(table)) - total * mean) / np.sqrt(variance)
    return Test(float(z), 1, float(2 * norm.sf(abs(z))), "normal")
