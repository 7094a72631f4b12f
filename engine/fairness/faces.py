"""Whether six faces are equally likely: the tests of one die at a number of rolls fixed before.

Every test takes a `FaceTally`. Readings that are all sure give the textbook statistic; doubtful or
misread ones the score test of the same hypothesis, which is that statistic where nothing is
doubtful (Pearson's X2 is the score test of a multinomial).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.fairness.reading import FaceTally
from engine.fairness.rolls import FACES

ENUMERATED: Final = 20
"""Most rolls at which every outcome is listed: C(25, 5) = 53,130 of them."""
SAMPLED: Final = 60
"""Rolls below which p comes from draws: X2 is not chi-square distributed yet."""
DRAWS: Final = 100_000
SEED: Final = 18_940
"""Of those draws, so that a report says the same twice."""
AXES: Final = ((0, 5), (1, 4), (2, 3))
"""Opposite faces."""
PIP_WEIGHTS: Final = np.array([-1, -0.6, -0.2, 0.2, 0.6, 1.0])
"""How a weight under one pip, or pips that were drilled out, shifts the faces."""


@dataclass(frozen=True, slots=True)
class Test:
    """A statistic, its degrees of freedom, and how probable one as large is for even faces."""

    value: float
    df: int
    p: float
    method: str = "chi-square"
    """How p was found: `chi-square`, `exact`, `draws`, `normal`, `binomial`, `shuffles`."""


@dataclass(frozen=True, slots=True)
class FaceTests:
    """All tests of one die's faces."""

    chi_square: Test
    g: Test
    axis: Test
    within: tuple[Test, Test, Test]
    """1 against 6, 2 against 5, 3 against 4."""
    pip_linear: Test


def face_tests(tally: FaceTally) -> FaceTests:
    """Every test of the faces of one die."""
    axis = np.zeros((3, FACES))
    for row, pair in enumerate(AXES):
        axis[row, list(pair)] = 1
    return FaceTests(
        chi_square=_exact_or(chi_square(tally), tally, is_g=False),
        g=_exact_or(g_test(tally), tally, is_g=True),
        axis=contrast(tally, axis, 2),
        within=(within_axis(tally, 0), within_axis(tally, 1), within_axis(tally, 2)),
        pip_linear=pip_linear(tally),
    )


def chi_square(tally: FaceTally) -> Test:
    """Pearson's X2 of six equally likely faces, with 5 degrees of freedom."""
    if tally.is_sure:
        from scipy.stats import chisquare

        if not tally.count:
            return Test(0.0, 5, 1.0)
        value, p = chisquare(tally.told)
        return Test(float(value), 5, float(p))
    return contrast(tally, np.eye(FACES), 5)


def g_test(tally: FaceTally) -> Test:
    """Twice the log-likelihood ratio of the likeliest shares against equal ones."""
    from scipy.stats import chi2, power_divergence

    if not tally.count:
        return Test(0.0, 5, 1.0)
    if tally.is_sure:
        value, p = power_divergence(tally.told, lambda_=0)
        return Test(float(value), 5, float(p))
    if tally.misreading is None:
        return chi_square(tally)
    matrix = tally.misreading.matrix
    best, even = tally.shares @ matrix, tally.misreading.told_by_even
    seen = tally.told > 0
    value = 2 * float((tally.told[seen] * np.log(best[seen] / even[seen])).sum())
    return Test(max(value, 0.0), 5, float(chi2.sf(max(value, 0.0), 5)))


def contrast(tally: FaceTally, weights: Floats, df: int) -> Test:
    """The score test of weighted sums of the faces; weights: (k, 6), of rank `df` + 1 or less."""
    from scipy.stats import chi2

    if not tally.count:
        return Test(0.0, df, 1.0)
    off = weights @ (tally.sums - tally.count / FACES)
    spread = weights @ tally.spread @ weights.T
    value = float(off @ np.linalg.pinv(spread, rcond=1e-9, hermitian=True) @ off)
    return Test(value, df, float(chi2.sf(value, df)))


def within_axis(tally: FaceTally, axis: int) -> Test:
    """Whether two opposite faces come up equally often; z in `value`."""
    low, high = AXES[axis]
    if tally.is_sure:
        from scipy.stats import binomtest

        ones, all_of = int(tally.told[high]), int(tally.told[low] + tally.told[high])
        if not all_of:
            return Test(0.0, 1, 1.0, "binomial")
        z = (2 * ones - all_of) / np.sqrt(all_of)
        return Test(float(z), 1, float(binomtest(ones, all_of).pvalue), "binomial")
    weights = np.zeros((1, FACES))
    weights[0, [low, high]] = -1, 1
    return _signed(tally, weights)


def pip_linear(tally: FaceTally) -> Test:
    """Whether faces grow likelier, or rarer, with their pips: a heavy face. z in `value`."""
    return _signed(tally, PIP_WEIGHTS[None, :])


def _signed(tally: FaceTally, weights: Floats) -> Test:
    """A contrast of one row as z."""
    found = contrast(tally, weights, 1)
    off = float((weights @ (tally.sums - tally.count / FACES))[0])
    return Test(float(np.copysign(np.sqrt(found.value), off)), 1, found.p, "normal")


def _exact_or(test: Test, tally: FaceTally, *, is_g: bool) -> Test:
    """The test with its p listed or drawn where there are too few rolls for a distribution."""
    if not 0 < tally.count < SAMPLED or not (tally.is_sure or tally.misreading):
        return test
    chances = tuple(tally.misreading.told_by_even) if tally.misreading else (1 / FACES,) * FACES
    if tally.count <= ENUMERATED:
        outcomes, probabilities = _all_outcomes(tally.count, chances)
        larger = _statistic(outcomes, chances, is_g) >= _statistic(tally.told, chances, is_g) - 1e-9
        p = float(min(1.0, probabilities[larger].sum()))
        return Test(test.value, test.df, p, "exact")
    return Test(test.value, test.df, drawn_p(tally.told, chances, is_g=is_g), "draws")


def drawn_p(
    told: NDArray[np.int64],
    chances: tuple[float, ...] = (1 / FACES,) * FACES,
    *,
    is_g: bool = False,
    draws: int = DRAWS,
    seed: int = SEED,
    tie: float = 1.0,
) -> float:
    """(1 + draws at least as far off) / (1 + draws): a p that is valid whatever the count.

    tie: the share of the draws just as far off that is counted; drawn evenly from 0 to 1 it makes
    p uniform, which 1, the valid choice for one log, does not where few outcomes are possible.
    """
    off = _drawn(int(told.sum()), chances, is_g, draws, seed)
    own = _statistic(told, chances, is_g)
    further, alike = (off > own + 1e-9).sum(), (np.abs(off - own) <= 1e-9).sum()
    return float((further + tie * (1 + alike)) / (1 + draws))


@lru_cache(maxsize=16)
def _drawn(count: int, chances: tuple[float, ...], is_g: bool, draws: int, seed: int) -> Floats:
    """The statistics of so many draws of even dice; players of a match roll alike often."""
    sampled = np.random.default_rng(seed).multinomial(count, chances, draws)
    return _statistic(sampled, chances, is_g)


def _statistic(told: NDArray[np.int64], chances: tuple[float, ...], is_g: bool) -> Floats:
    """X2 or G of each row of (..., 6) counts."""
    expected = told.sum(axis=-1, keepdims=True) * np.array(chances)
    if not is_g:
        return np.asarray(((told - expected) ** 2 / expected).sum(axis=-1))
    logs = np.log(np.where(told > 0, told / expected, 1.0))
    return np.asarray(2 * (told * logs).sum(axis=-1))


@cache
def _all_outcomes(count: int, chances: tuple[float, ...]) -> tuple[NDArray[np.int64], Floats]:
    """Every way in which `count` rolls can fall on six faces, and its probability."""
    from scipy.special import gammaln, xlogy

    outcomes = np.array(list(_compositions(count, FACES)), np.int64)
    logs = gammaln(count + 1) - gammaln(outcomes + 1).sum(axis=1)
    logs += xlogy(outcomes, np.array(chances)).sum(axis=1)
    return outcomes, np.exp(logs)


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    if parts == 1:
        return [(total,)]
    return [
        (first, *rest)
        for first in range(total + 1)
        for rest in _compositions(total - first, parts - 1)
    ]
