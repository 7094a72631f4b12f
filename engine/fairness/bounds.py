"""The chance of each face: credible intervals, and confidence sequences for sequential use.

A credible interval holds at one time, the end. A confidence sequence holds at all times
simultaneously: the probability that it ever misses is at most `1 - LEVEL`, for all six faces
together. It is the set of chances that the prior-posterior ratio does not refute (Waudby-Smith and
Ramdas 2020), with a mixture of Beta priors around one sixth, and a sixth of the error for each
face.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.fairness.reading import ConfusionMatrix, FaceTally
from engine.fairness.rolls import FACES

LEVEL: Final = 0.95
RATIO_LIMIT: Final = FACES / (1 - LEVEL)
"""The prior-posterior ratio at which a face's chance is refuted."""
JEFFREYS_PRIOR: Final = 0.5
"""Dirichlet parameter of each face."""
BETA_PRIORS: Final = np.array([0.5, 10.0, 100.0])
"""k of the Beta(k, 5k) mixed in a confidence sequence."""
NOTABLE_BIAS: Final = 0.05
"""As a fraction of a sixth; the probability of a larger bias is reported."""


def posterior(tally: FaceTally) -> Floats:
    """(6, 3) lower bound, mean and upper bound of each face's chance under the Jeffreys prior.

    Uncertain readings count as `FaceTally.effective_rolls`.
    """
    from scipy.stats import beta

    ones, others = _parameters(tally)
    low, high = beta.ppf([[(1 - LEVEL) / 2], [(1 + LEVEL) / 2]], ones, others)
    return np.column_stack((low, ones / (ones + others), high))


def notable_chance(tally: FaceTally) -> Floats:
    """(6,) the probability that each face differs from a sixth by more than `NOTABLE_BIAS`."""
    from scipy.stats import beta

    ones, others = _parameters(tally)
    shares = (1 - NOTABLE_BIAS, 1 + NOTABLE_BIAS)
    low, high = (beta.cdf(share / FACES, ones, others) for share in shares)
    return np.asarray(1 - (high - low))


def _parameters(tally: FaceTally) -> tuple[Floats, Floats]:
    ones = JEFFREYS_PRIOR + tally.effective_rolls * tally.shares
    return ones, FACES * JEFFREYS_PRIOR + tally.effective_rolls - ones


def confidence_sequence(tally: FaceTally) -> Floats:
    """(6, 2) anytime-valid bounds of each face's chance.

    If readings can be wrong, the bounds are those of the faces read, mapped to true faces through
    the inverse of the mean confusion matrix.
    """
    bounds = np.array([proportion_bounds(one, tally.count) for one in tally.counts])
    return bounds if tally.is_certain else _unconfused(bounds, _mean_confusion(tally))


def largest_bias(bounds: Floats) -> float:
    """By which fraction of a sixth a face may be off at most, given (6, 2) bounds of all faces."""
    return float(np.abs(FACES * bounds - 1).max())


def proportion_bounds(
    ones: float, count: float, expected: float = 1 / FACES
) -> tuple[float, float]:
    """The interval of chances q whose prior-posterior ratio stays below `RATIO_LIMIT`.

    log ratio = log mixture - ones log q - (count - ones) log(1 - q). The priors are around
    `expected`.
    """
    from scipy.optimize import brentq
    from scipy.special import betaln, logsumexp, xlog1py, xlogy

    others = count - ones
    a, b = BETA_PRIORS, (1 / expected - 1) * BETA_PRIORS
    mixture = betaln(a + ones, b + others) - betaln(a, b)
    needed = float(logsumexp(mixture)) - log(len(a)) - log(RATIO_LIMIT)

    def above(q: float) -> float:
        return float(xlogy(ones, q) + xlog1py(others, -q)) - needed

    share = ones / count if count else expected
    least, most = 1e-12, 1 - 1e-12
    low = 0.0 if above(least) >= 0 else brentq(above, least, max(share, least), xtol=1e-10)
    high = 1.0 if above(most) >= 0 else brentq(above, min(share, most), most, xtol=1e-10)
    return float(low), float(high)


def _mean_confusion(tally: FaceTally) -> Floats:
    if tally.confusion is not None:
        return tally.confusion.matrix
    # Errors equally likely on every other face, at the mean rate that the uncertain readings imply.
    certain = np.sqrt(max(tally.effective_rolls, 1e-9) / max(tally.count, 1))
    rate = min((1 - certain) * 5 / 6, 0.8)
    return ConfusionMatrix.symmetric(rate).matrix


def _unconfused(bounds: Floats, matrix: Floats) -> Floats:
    """Bounds of true chances p from those of read ones o = p K: interval arithmetic with K^-1."""
    inverse = np.linalg.inv(matrix)  # p = o K^-1
    low, high = bounds.T
    up, down = np.clip(inverse, 0, None), np.clip(inverse, None, 0)
    least, most = low @ up + high @ down, high @ up + low @ down
    return np.asarray(np.clip(np.column_stack((least, most)), 0, 1))
