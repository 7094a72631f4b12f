"""Tests of uniform faces of one die, at a number of rolls fixed in advance.

Every test takes a `FaceTally`. Certain readings give the textbook statistic; uncertain or misread
ones give the score test of the same hypothesis, which equals that statistic if all readings are
certain (Pearson's X2 is the score test of a multinomial).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.fairness.reading import FaceTally
from engine.fairness.rolls import FACES

MAX_ENUMERATED_ROLLS: Final = 20
"""Maximum number of rolls for which every outcome is enumerated: C(25, 5) = 53,130 of them."""
MIN_ASYMPTOTIC_ROLLS: Final = 60
"""Number of rolls below which p is simulated: X2 is not yet chi-square distributed."""
DRAWS: Final = 100_000
RESAMPLING_SEED: Final = 18_940
"""Fixed, so that reports are reproducible."""
AXES: Final = ((0, 5), (1, 4), (2, 3))
"""Opposite faces."""
PIP_WEIGHTS: Final = np.array([-1, -0.6, -0.2, 0.2, 0.6, 1.0])
"""How a weight under one pip, or drilled-out pips, shifts the faces."""


@dataclass(frozen=True, slots=True)
class Test:
    """A statistic, its degrees of freedom, and its p-value under uniform faces."""

    value: float
    df: int
    p: float
    method: str = "chi-square"
    """How p was found: `chi-square`, `exact`, `draws`, `normal`, `binomial`, `shuffles`."""


def z_test(z: float) -> Test:
    """The two-sided normal test of a z-score."""
    from scipy.stats import norm

    return Test(float(z), 1, float(2 * norm.sf(abs(z))), "normal")


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
        chi_square=_small_sample(chi_square(tally), tally, is_g=False),
        g=_small_sample(g_test(tally), tally, is_g=True),
        axis=contrast(tally, axis, 2),
        within=(within_axis(tally, 0), within_axis(tally, 1), within_axis(tally, 2)),
        pip_linear=pip_linear(tally),
    )


def chi_square(tally: FaceTally) -> Test:
    """Pearson's X2 for six equally likely faces, with 5 degrees of freedom."""
    if not tally.is_certain or not tally.count:
        return contrast(tally, np.eye(FACES), 5)
    from scipy.stats import chisquare

    value, p = chisquare(tally.counts)
    return Test(float(value), 5, float(p))


def g_test(tally: FaceTally) -> Test:
    """Twice the log-likelihood ratio of the maximum-likelihood shares to equal ones."""
    from scipy.stats import chi2, power_divergence

    if not tally.count:
        return Test(0.0, 5, 1.0)
    if tally.is_certain:
        value, p = power_divergence(tally.counts, lambda_=0)
        return Test(float(value), 5, float(p))
    if tally.confusion is None:
        return chi_square(tally)
    matrix = tally.confusion.matrix
    best, fair = tally.shares @ matrix, tally.confusion.fair_marginal
    seen = tally.counts > 0
    value = 2 * float((tally.counts[seen] * np.log(best[seen] / fair[seen])).sum())
    return Test(max(value, 0.0), 5, float(chi2.sf(max(value, 0.0), 5)))


def contrast(tally: FaceTally, weights: Floats, df: int) -> Test:
    """The score test of contrasts of the faces; weights: (k, 6), of rank at most `df` + 1."""
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
    if tally.is_certain:
        from scipy.stats import binomtest

        ones, all_of = int(tally.counts[high]), int(tally.counts[low] + tally.counts[high])
        if not all_of:
            return Test(0.0, 1, 1.0, "binomial")
        z = (2 * ones - all_of) / np.sqrt(all_of)
        return Test(float(z), 1, float(binomtest(ones, all_of).pvalue), "binomial")
    weights = np.zeros((1, FACES))
    weights[0, [low, high]] = -1, 1
    return _signed(tally, weights)


def pip_linear(tally: FaceTally) -> Test:
    """Whether a face's chance rises or falls with its pips, as in a weighted die; z in `value`."""
    return _signed(tally, PIP_WEIGHTS[None, :])


def _signed(tally: FaceTally, weights: Floats) -> Test:
    """A contrast of one row, as z."""
    found = contrast(tally, weights, 1)
    off = float((weights @ (tally.sums - tally.count / FACES))[0])
    return Test(float(np.copysign(np.sqrt(found.value), off)), 1, found.p, "normal")


def _small_sample(test: Test, tally: FaceTally, *, is_g: bool) -> Test:
    """The test with p enumerated or simulated below `MIN_ASYMPTOTIC_ROLLS`."""
    if not 0 < tally.count < MIN_ASYMPTOTIC_ROLLS or not (tally.is_certain or tally.confusion):
        return test
    chances = tuple(tally.confusion.fair_marginal) if tally.confusion else (1 / FACES,) * FACES
    if tally.count <= MAX_ENUMERATED_ROLLS:
        outcomes, probabilities = _all_outcomes(tally.count, chances)
        larger = (
            _statistic(outcomes, chances, is_g) >= _statistic(tally.counts, chances, is_g) - 1e-9
        )
        p = float(min(1.0, probabilities[larger].sum()))
        return Test(test.value, test.df, p, "exact")
    return Test(test.value, test.df, simulated_p(tally.counts, chances, is_g=is_g), "draws")


def simulated_p(
    counts: NDArray[np.int64],
    chances: tuple[float, ...] = (1 / FACES,) * FACES,
    *,
    is_g: bool = False,
    draws: int = DRAWS,
    seed: int = RESAMPLING_SEED,
    tie: float = 1.0,
) -> float:
    """(1 + draws with a statistic at least as large) / (1 + draws): valid for any number of rolls.

    tie: the fraction of equal statistics that is counted. 1 is the valid choice for one log; drawn
    uniformly from 0 to 1, it makes p uniform even if few outcomes are possible.
    """
    drawn = _drawn_statistics(int(counts.sum()), chances, is_g, draws, seed)
    own = _statistic(counts, chances, is_g)
    larger, equal = (drawn > own + 1e-9).sum(), (np.abs(drawn - own) <= 1e-9).sum()
    return float((larger + tie * (1 + equal)) / (1 + draws))


@lru_cache(maxsize=16)
def _drawn_statistics(
    count: int, chances: tuple[float, ...], is_g: bool, draws: int, seed: int
) -> Floats:
    sampled = np.random.default_rng(seed).multinomial(count, chances, draws)
    return _statistic(sampled, chances, is_g)


def _statistic(counts: NDArray[np.int64], chances: tuple[float, ...], is_g: bool) -> Floats:
    """X2 or G of each row of (..., 6) counts."""
    expected = counts.sum(axis=-1, keepdims=True) * np.array(chances)
    if not is_g:
        return np.asarray(((counts - expected) ** 2 / expected).sum(axis=-1))
    logs = np.log(np.where(counts > 0, counts / expected, 1.0))
    return np.asarray(2 * (counts * logs).sum(axis=-1))


@cache
def _all_outcomes(count: int, chances: tuple[float, ...]) -> tuple[NDArray[np.int64], Floats]:
    """(K, 6) all counts that `count` rolls can produce, and (K,) their probabilities."""
    from scipy.special import gammaln, xlogy

    # Stars and bars: five bars among the rolls leave the six counts between them.
    cells = count + FACES - 1
    bars = np.array(list(combinations(range(cells), FACES - 1)), np.int64)
    outcomes = np.diff(bars, axis=1, prepend=-1, append=cells) - 1
    logs = gammaln(count + 1) - gammaln(outcomes + 1).sum(axis=1)
    logs += xlogy(outcomes, np.array(chances)).sum(axis=1)
    return outcomes, np.exp(logs)
