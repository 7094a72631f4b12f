"""Serial dependence: pairs of successive rolls, and runs of one face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.fairness.contingency import PERMUTATIONS, independence, table_test
from engine.fairness.dependence import order_log_e
from engine.fairness.faces import RESAMPLING_SEED, Test, z_test
from engine.fairness.rolls import FACES, DiceLog


@dataclass(frozen=True, slots=True, eq=False)
class SerialTests:
    """How each roll of a die depends on the previous one."""

    table: Ints
    """(6, 6) a face, and the face of the next throw."""
    serial: Test
    """X2 of independence, given the margins."""
    repeats: Test
    """How often a face comes up twice in a row, as z: positive if too often."""
    runs: int | None
    """Runs of one face; None for two dice that cannot be told apart."""
    log_e: float
    """Log e-value against independent throws; see `order_log_e`."""


def sequence_tests(log: DiceLog) -> SerialTests:
    """The tests of one die's usable rolls, in order."""
    faces, throws = np.ascontiguousarray(log.faces), np.ascontiguousarray(log.throw)
    table = transition_table(faces, throws)
    runs = None if log.pooled or not len(faces) else int((np.diff(faces) != 0).sum()) + 1
    return SerialTests(
        table, _serial(faces, throws, table), _repeats(table), runs, order_log_e(log)
    )


def transition_table(faces: NDArray[np.int8], throws: Ints) -> Ints:
    """(6, 6) how often a face of one throw is followed by one of the next."""
    from engine.fairness._kernels import transition_table as fill

    table = np.zeros((FACES, FACES), np.int64)
    fill(faces, throws, table)
    return table


def _serial(faces: NDArray[np.int8], throws: Ints, table: Ints) -> Test:
    """X2 of independence; p comes from permuting the throws if the table is sparse."""

    def exceedances(value: float) -> int:
        from engine.fairness._kernels import permuted_transitions

        starts = np.flatnonzero(np.r_[True, throws[1:] != throws[:-1]])
        sizes = np.diff(np.r_[starts, len(throws)])
        rng = np.random.default_rng(RESAMPLING_SEED)
        orders = rng.permuted(np.tile(np.arange(len(starts)), (PERMUTATIONS, 1)), axis=1)
        return permuted_transitions(faces, starts, sizes, orders, value)

    if table.sum() < 2:
        return Test(0.0, 25, 1.0)
    return table_test(independence(table), 25, exceedances)


def _repeats(table: Ints) -> Test:
    """The diagonal as z, given the mean and variance of its count if throws are independent."""
    total = int(table.sum())
    if total < 2:
        return Test(0.0, 1, 1.0, "normal")
    rows, columns = table.sum(axis=1) / total, table.sum(axis=0) / total
    mean = float((rows * columns).sum())
    # Moments of sums over permutations (Hoeffding 1951), with the table's cells as scores.
    both = float((rows * columns * (rows + columns)).sum())
    variance = (mean - both + mean * mean) * total * total / (total - 1)
    if variance <= 0:
        return Test(0.0, 1, 1.0, "normal")
    return z_test((float(np.trace(table)) - total * mean) / np.sqrt(variance))
