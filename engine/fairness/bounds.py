"""How likely each face is: what is believed after the rolls, and bounds for whoever keeps looking.

A credible interval holds for one look at the end. A confidence sequence holds at all times at
once: the chance that it ever misses is at most `1 - LEVEL`, for all six faces together. It is the
set of chances that the prior-posterior ratio does not refute (Waudby-Smith and Ramdas 2020), with a
mixture of Beta priors that stand around one sixth, and a sixth of the error for each face.
"""

from __future__ import annotations

from math import log
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.fairness.reading import FaceTally
from engine.fairness.rolls import FACES

LEVEL: Final = 0.95
PRIOR: Final = 0.5
"""Of each face, before any roll (Jeffreys)."""
WIDTHS: Final = np.array([0.5, 10.0, 100.0])
"""Beta(k, 5k) of a confidence sequence."""
NOTABLE: Final = 0.05
"""A face this far off, as a share of a sixth, is told of with its probability."""


def posterior(tally: FaceTally, level: float = LEVEL) -> Floats:
    """(6, 3) low, mean and high of each face's chance; Dirichlet(1/2) before the rolls.

    Doubtful readings count for as many sure ones as tell as much.
    """
    from scipy.stats import beta

    ones, others = _parameters(tally)
    low, high = beta.ppf([[(1 - level) / 2], [(1 + level) / 2]], ones, others)
    return np.column_stack((low, ones / (ones + others), high))


def notable_chance(tally: FaceTally, off: float = NOTABLE) -> Floats:
    """(6,) the probability that a face is off a sixth by more than this share of it."""
    from scipy.stats import beta

    ones, others = _parameters(tally)
    inside = beta.cdf((1 + off) / FACES, ones, others) - beta.cdf((1 - off) / FACES, ones, others)
    return np.asarray(1 - inside)


def _parameters(tally: FaceTally) -> tuple[Floats, Floats]:
    ones = PRIOR + tally.known * tally.shares
    return ones, FACES * PRIOR + tally.known - ones


def confidence_sequence(tally: FaceTally, level: float = LEVEL) -> Floats:
    """(6, 2) bounds of each face's chance that hold whenever one looks.

    Where readings can be wrong the bounds are those of what is told, carried back to true faces
    through the mean confusion matrix; they are wider for it.
    """
    bounds = np.array([_bound(int(one), tally.count, level) for one in tally.told])
    return bounds if tally.is_sure else _carried_back(bounds, _mean_confusion(tally))


def ratio_limit(level: float = LEVEL) -> float:
    """The prior-posterior ratio at which a chance of one face is refuted."""
    return FACES / (1 - level)


def _bound(ones: int, count: int, level: float) -> tuple[float, float]:
    """Where the mixture's ratio to a chance q stays below the limit: an interval around the share.

    log ratio = log mixture - ones log q - (count - ones) log(1 - q).
    """
    from scipy.optimize import brentq
    from scipy.special import betaln, logsumexp, xlog1py, xlogy

    others = count - ones
    mixture = betaln(WIDTHS + ones, 5 * WIDTHS + others) - betaln(WIDTHS, 5 * WIDTHS)
    needed = float(logsumexp(mixture)) - log(len(WIDTHS)) - log(ratio_limit(level))

    def above(q: float) -> float:
        return float(xlogy(ones, q) + xlog1py(others, -q)) - needed

    share = ones / count if count else 1 / FACES
    least, most = 1e-12, 1 - 1e-12
    low = 0.0 if above(least) >= 0 else brentq(above, least, max(share, least), xtol=1e-10)
    high = 1.0 if above(most) >= 0 else brentq(above, min(share, most), most, xtol=1e-10)
    return float(low), float(high)


def _mean_confusion(tally: FaceTally) -> Floats:
    if tally.misreading is not None:
        return np.array(tally.misreading.matrix)
    # Errors that fall on every other face alike, as often as the readers doubt on average.
    sure = np.sqrt(max(tally.known, 1e-9) / max(tally.count, 1))
    rate = min((1 - sure) * 5 / 6, 0.8)
    return np.asarray(np.full((FACES, FACES), rate / 5) + np.eye(FACES) * (1 - rate * 1.2))


def _carried_back(bounds: Floats, matrix: Floats) -> Floats:
    """Bounds of true chances p from bounds of told ones o = p K: interval arithmetic with K^-1."""
    inverse = np.linalg.inv(matrix)  # p = o K^-1
    low, high = bounds.T
    up, down = np.clip(inverse, 0, None), np.clip(inverse, None, 0)
    least, most = low @ up + high @ down, high @ up + low @ down
    return np.asarray(np.clip(np.column_stack((least, most)), 0, 1))
