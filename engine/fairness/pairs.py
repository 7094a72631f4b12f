"""The two dice of a throw: whether one depends on the other, and how often they show the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.fairness.faces import SEED, Test
from engine.fairness.rolls import FACES, DiceLog
from engine.fairness.sequence import LEAST_EXPECTED, SHUFFLES, independence


@dataclass(frozen=True, slots=True, eq=False)
class PairTests:
    """Throws of two dice."""

    dice: tuple[str, str]
    table: Ints
    """(6, 6) the first die's face and the second's; symmetric halves where they are alike."""
    is_alike: bool
    """Whether nobody can tell which die is which."""
    throws: int
    independence: Test
    doubles: int
    doubles_p: float
    """That as many, or as few, come of even dice: one throw in six."""
    doubles_expected: float
    """Of dice with just these faces, if neither knows of the other."""
    doubles_of_margins: Test
    """Against that expectation, as z."""
    sevens: int
    """Throws of opposite faces, such as 6 and 1."""
    sevens_p: float
    outcomes: Test
    """All 36 outcomes, or 21 of dice that are alike, of even dice."""


def find_pairs(log: DiceLog) -> list[PairTests]:
    """Every two dice of the usable log that were thrown together, the most frequent first."""
    from engine.fairness._kernels import pair_rows

    if len(log) < 2:
        return []
    first = np.zeros(len(log) // 2, np.int64)
    first = first[: pair_rows(np.ascontiguousarray(log.throw), first)]
    die, names = log.die.codes.astype(np.int64), len(log.die.names)
    one, two = die[first], die[first + 1]
    is_turned = one > two
    faces = log.faces
    a = np.where(is_turned, faces[first + 1], faces[first])
    b = np.where(is_turned, faces[first], faces[first + 1])
    keys = np.minimum(one, two) * names + np.maximum(one, two)
    found = [
        _pair_of(log, int(key // names), int(key % names), a[keys == key], b[keys == key])
        for key in np.unique(keys)
    ]
    return sorted(found, key=lambda pair: -pair.throws)


def _pair_of(
    log: DiceLog, one: int, two: int, a: NDArray[np.int8], b: NDArray[np.int8]
) -> PairTests:
    table = np.bincount(a.astype(np.int64) * FACES + b, minlength=FACES**2)
    table = table.reshape(FACES, FACES).astype(np.int64)
    return pair_of_table((log.die.names[one], log.die.names[two]), table)


def pair_of_table(dice: tuple[str, str], table: Ints) -> PairTests:
    """The tests of a (6, 6) table of throws; dice of one name are alike."""
    from scipy.stats import binomtest, chisquare, norm

    is_alike = dice[0] == dice[1]
    throws, doubles = int(table.sum()), int(np.trace(table))
    sevens = int(np.trace(table[::-1]))
    rows, columns = table.sum(axis=1) / max(throws, 1), table.sum(axis=0) / max(throws, 1)
    if is_alike:
        rows = columns = (rows + columns) / 2
    share = float((rows * columns).sum())
    spread = _doubles_spread(rows, columns, throws, is_alike=is_alike)
    z = (doubles - throws * share) / spread if spread > 0 else 0.0
    seen, expected = (_folded(table), _folded(np.ones((6, 6)))) if is_alike else (table.ravel(), 1)
    even = throws * np.broadcast_to(expected, seen.shape) / FACES**2
    value, p = chisquare(seen, even) if throws else (0.0, 1.0)
    return PairTests(
        dice=dice,
        table=table,
        is_alike=is_alike,
        throws=throws,
        independence=_alike_test(table) if is_alike else _told_apart_test(table),
        doubles=doubles,
        doubles_p=float(binomtest(doubles, throws, 1 / 6).pvalue) if throws else 1.0,
        doubles_expected=throws * share,
        doubles_of_margins=Test(float(z), 1, float(2 * norm.sf(abs(z))), "normal"),
        sevens=sevens,
        sevens_p=float(binomtest(sevens, throws, 1 / 6).pvalue) if throws else 1.0,
        outcomes=Test(float(value), len(seen) - 1, float(p)),
    )


def _doubles_spread(
    rows: NDArray[np.float64], columns: NDArray[np.float64], throws: int, *, is_alike: bool
) -> float:
    """The standard deviation of the number of doubles given the margins."""
    if throws < 2:
        return 0.0
    mean = float((rows * columns).sum())
    both = float((rows * columns * (rows + columns)).sum())
    variance = (mean - both + mean * mean) * throws
    if is_alike:  # one set of margins, counted over both dice: half of that is known beforehand
        variance = (mean + mean * mean - 2 * float((rows**3).sum())) * throws
    return float(np.sqrt(max(variance, 0.0)))


def _told_apart_test(table: Ints) -> Test:
    from scipy.stats import chi2

    value, expected = independence(table)
    if not table.sum():
        return Test(0.0, 25, 1.0)
    if expected >= LEAST_EXPECTED:
        return Test(value, 25, float(chi2.sf(value, 25)))
    chance = np.random.default_rng(SEED)
    a, b = _unrolled(table)
    above = sum(
        independence(_table(a, chance.permutation(b)))[0] >= value - 1e-9 for _ in range(SHUFFLES)
    )
    return Test(value, 25, (1 + above) / (1 + SHUFFLES), "shuffles")


def _alike_test(table: Ints) -> Test:
    """Of 21 outcomes, given how often each face came up on either die: 15 degrees of freedom."""
    from scipy.stats import chi2

    value, expected = alike_statistic(table)
    if not table.sum():
        return Test(0.0, 15, 1.0)
    if expected >= LEAST_EXPECTED:
        return Test(value, 15, float(chi2.sf(value, 15)))
    chance = np.random.default_rng(SEED)
    faces = np.concatenate(_unrolled(table))
    above = 0
    for _ in range(SHUFFLES):
        mixed = chance.permutation(faces)
        half = len(mixed) // 2
        above += alike_statistic(_table(mixed[:half], mixed[half:]))[0] >= value - 1e-9
    return Test(value, 15, (1 + above) / (1 + SHUFFLES), "shuffles")


def alike_statistic(table: Ints) -> tuple[float, float]:
    """X2 of independence of two like dice, and the least expected count."""
    throws = max(int(table.sum()), 1)
    shares = (table.sum(axis=0) + table.sum(axis=1)) / (2 * throws)
    expected = _folded(throws * np.outer(shares, shares))
    seen = expected > 0
    off = (_folded(table)[seen] - expected[seen]) ** 2 / expected[seen]
    return float(off.sum()), float(expected.min())


def _folded(table: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    """(21,) cells of which 6-1 and 1-6 are one."""
    whole = np.asarray(table, np.float64)
    whole = whole + whole.T - np.diag(np.diag(whole))
    return np.asarray(whole[np.triu_indices(FACES)])


def _unrolled(table: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    cells = np.repeat(np.arange(FACES**2), table.ravel())
    return cells // FACES, cells % FACES


def _table(a: NDArray[np.int64], b: NDArray[np.int64]) -> Ints:
    counts = np.bincount(a * FACES + b, minlength=FACES**2)
    return counts.reshape(FACES, FACES).astype(np.int64)
