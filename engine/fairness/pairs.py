"""The two dice of a throw: whether one depends on the other, and how often they match."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.fairness.contingency import PERMUTATIONS, independence, pearson, table_test
from engine.fairness.dependence import doubles_log_e
from engine.fairness.faces import RESAMPLING_SEED, Test, z_test
from engine.fairness.rolls import FACES, DiceLog

SHUFFLED_AT_ONCE: Final = 1_000_000
"""Dice that are shuffled at the same time: tens of megabytes."""


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """Throws of two dice."""

    dice: tuple[str, str]
    table: Ints
    """(6, 6) the first die's face by the second's; for like dice, one triangle is arbitrary."""
    is_alike: bool
    """Whether the dice cannot be told apart."""
    throws: int
    independence: Test
    doubles: int
    doubles_p: float
    """Two-sided p-value of the number of doubles for fair dice: one throw in six."""
    doubles_log_e: float
    """Log e-value against one double in six throws, valid at any time."""
    doubles_expected: float
    """Expected number for independent dice with these same face frequencies."""
    doubles_of_margins: Test
    """The number of doubles compared with that expectation, as z."""
    sevens: int
    """Throws of opposite faces, such as 6 and 1."""
    sevens_p: float
    outcomes: Test
    """All 36 outcomes, or 21 of like dice, against fair dice."""


def find_pairs(log: DiceLog) -> list[PairTests]:
    """All pairs of dice thrown together in the usable log, most frequent first."""
    first = log.two_dice_throws()
    die, names = log.die.codes.astype(np.int64), log.die.names
    one, two = die[first], die[first + 1]
    is_turned = one > two
    faces = log.faces
    a = np.where(is_turned, faces[first + 1], faces[first])
    b = np.where(is_turned, faces[first], faces[first + 1])
    keys = np.minimum(one, two) * len(names) + np.maximum(one, two)
    found = [
        pair_of_table((names[key // len(names)], names[key % len(names)]), _table(a[own], b[own]))
        for key in np.unique(keys).tolist()
        for own in [keys == key]
    ]
    return sorted(found, key=lambda pair: -pair.throws)


def pair_of_table(dice: tuple[str, str], table: Ints) -> PairTests:
    """The tests for a (6, 6) table of throws; dice with the same name are alike."""
    from scipy.stats import binomtest, chisquare

    is_alike = dice[0] == dice[1]
    throws, doubles = int(table.sum()), int(np.trace(table))
    sevens = int(np.trace(table[::-1]))
    rows, columns = table.sum(axis=1) / max(throws, 1), table.sum(axis=0) / max(throws, 1)
    if is_alike:
        rows = columns = (rows + columns) / 2
    share = float((rows * columns).sum())
    sigma = _doubles_sigma(rows, columns, throws, is_alike=is_alike)
    seen, expected = (_folded(table), _folded(np.ones((6, 6)))) if is_alike else (table.ravel(), 1)
    fair = throws * np.broadcast_to(expected, seen.shape) / FACES**2
    value, p = chisquare(seen, fair) if throws else (0.0, 1.0)
    return PairTests(
        dice=dice,
        table=table,
        is_alike=is_alike,
        throws=throws,
        independence=_independence_test(table, is_alike=is_alike),
        doubles=doubles,
        doubles_p=float(binomtest(doubles, throws, 1 / 6).pvalue) if throws else 1.0,
        doubles_log_e=doubles_log_e(doubles, throws),
        doubles_expected=throws * share,
        doubles_of_margins=z_test((doubles - throws * share) / sigma if sigma > 0 else 0.0),
        sevens=sevens,
        sevens_p=float(binomtest(sevens, throws, 1 / 6).pvalue) if throws else 1.0,
        outcomes=Test(float(value), len(seen) - 1, float(p)),
    )


def _doubles_sigma(rows: Floats, columns: Floats, throws: int, *, is_alike: bool) -> float:
    """The standard deviation of the number of doubles given the margins."""
    if throws < 2:
        return 0.0
    mean = float((rows * columns).sum())
    both = float((rows * columns * (rows + columns)).sum())
    variance = (mean - both + mean * mean) * throws
    if is_alike:  # one set of margins, counted over both dice: half of it is known in advance
        variance = (mean + mean * mean - 2 * float((rows**3).sum())) * throws
    return float(np.sqrt(max(variance, 0.0)))


def _independence_test(table: Ints, *, is_alike: bool) -> Test:
    """The test of independence given the margins; for like dice, those of both dice together."""
    statistic, df = (like_dice_independence, 15) if is_alike else (independence, 25)
    if not table.sum():
        return Test(0.0, df, 1.0)

    def exceedances(value: float) -> int:
        shuffled = _shuffled_tables(table, is_alike=is_alike)
        return sum(int((statistic(tables)[0] >= value).sum()) for tables in shuffled)

    return table_test(statistic(table), df, exceedances)


def _shuffled_tables(table: Ints, *, is_alike: bool) -> Iterator[Ints]:
    """`PERMUTATIONS` (N, 6, 6) tables of the same faces thrown together anew, some at a time."""
    rng = np.random.default_rng(RESAMPLING_SEED)
    first, second = np.divmod(np.repeat(np.arange(FACES**2), table.ravel()), FACES)
    shuffled = np.concatenate((first, second)) if is_alike else second
    at_once = max(1, min(PERMUTATIONS, SHUFFLED_AT_ONCE // len(shuffled)))
    for start in range(0, PERMUTATIONS, at_once):
        number = min(at_once, PERMUTATIONS - start)
        faces = rng.permuted(np.tile(shuffled, (number, 1)), axis=1)
        a, b = np.split(faces, 2, axis=1) if is_alike else (first, faces)
        cells = np.arange(number)[:, None] * FACES**2 + a * FACES + b
        counts = np.bincount(cells.ravel(), minlength=number * FACES**2)
        yield counts.reshape(number, FACES, FACES)


def like_dice_independence(tables: Ints) -> tuple[Floats, float]:
    """(...,) X2 of independence of two like dice over 21 outcomes, and the least expected count.

    tables: (..., 6, 6).
    """
    throws = np.maximum(tables.sum(axis=(-1, -2)), 1)[..., None]
    shares = (tables.sum(axis=-2) + tables.sum(axis=-1)) / (2 * throws)
    expected = _folded(throws[..., None] * shares[..., :, None] * shares[..., None, :])
    return pearson(_folded(tables), expected), float(expected.min())


def _folded(tables: Ints | Floats) -> Floats:
    """(..., 21) the cells of (..., 6, 6) tables, with 6-1 and 1-6 added up."""
    one, other = np.triu_indices(FACES)
    return np.asarray(tables[..., one, other] + tables[..., other, one] * (one != other), float)


def _table(a: NDArray[np.integer], b: NDArray[np.integer]) -> Ints:
    """(6, 6) counts of pairs of faces 0..5."""
    cells = np.bincount(a.astype(np.int64) * FACES + b, minlength=FACES**2)
    return cells.reshape(FACES, FACES).astype(np.int64)
