"""Power of the chi-square test, and the number of rolls that a bias needs."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, inf
from typing import Final

import numpy as np

from engine.arrays import Floats
from engine.fairness.rolls import FACES

TARGET_POWER: Final = 0.8
ALPHA: Final = 0.05
MAX_ROLLS: Final = 10**9
SUMMED_SIGMAS: Final = 9.0
"""Standard deviations of a face's count that are summed over; the rest totals less than 1e-16."""
MIN_NONCENTRAL_ROLLS: Final = 200_000
"""Number of rolls from which the noncentral chi-square is accurate to 0.2 percentage points."""
MAX_BIAS: Final = FACES - 1.0
"""The bias of a face that always comes up."""


def face_bias(bias: float) -> Floats:
    """(6,) chances of a die whose six is more frequent by the fraction `bias`, all others equal."""
    chances = np.full(FACES, (1 - (1 + bias) / FACES) / 5)
    chances[5] = (1 + bias) / FACES
    return chances


def axis_bias(bias: float) -> Floats:
    """(6,) chances of a flat-shaved die: its 1 and 6 are more frequent by the fraction `bias`."""
    chances = np.full(FACES, (1 - 2 * (1 + bias) / FACES) / 4)
    chances[[0, 5]] = (1 + bias) / FACES
    return chances


def pip_bias(bias: float) -> Floats:
    """(6,) chances that rise linearly from the 1, too rare by `bias`, to the 6."""
    from engine.fairness.faces import PIP_WEIGHTS

    return np.asarray((1 + bias * PIP_WEIGHTS) / FACES)


def noncentrality_per_roll(chances: Floats, cells: Floats | None = None) -> float:
    """Sum of (p - q)^2 / q over the cells of a test.

    cells: (k, 6) the faces that each cell combines; by default, each face is a cell.
    """
    sums = np.eye(FACES) if cells is None else cells
    even = sums.sum(axis=1) / FACES
    return float(((sums @ chances - even) ** 2 / even).sum())


def power(rolls: int, noncentrality: float, *, df: int = 5, alpha: float = ALPHA) -> float:
    """The power of the chi-square test for a small bias.

    The noncentral chi-square is its limit for many rolls; `face_power` holds for few as well.
    """
    from scipy.stats import chi2, ncx2

    return float(ncx2.sf(chi2.isf(alpha, df), df, max(rolls * noncentrality, 1e-12)))


def needed_noncentrality(
    *, df: int = 5, alpha: float = ALPHA, wanted: float = TARGET_POWER
) -> float:
    """The noncentrality of all rolls together at which the test has the wanted power."""
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2

    critical = chi2.isf(alpha, df)
    return float(brentq(lambda x: ncx2.sf(critical, df, x) - wanted, 1e-6, 1e4))


def rolls_needed(
    chances: Floats,
    *,
    cells: Floats | None = None,
    df: int = 5,
    alpha: float = ALPHA,
    wanted: float = TARGET_POWER,
) -> int:
    """The rolls at which the test has the wanted power against these chances."""
    each = noncentrality_per_roll(chances, cells)
    needed = needed_noncentrality(df=df, alpha=alpha, wanted=wanted)
    return int(min(np.ceil(needed / each), MAX_ROLLS)) if each > 0 else MAX_ROLLS


def face_power(rolls: int, bias: float, *, alpha: float = ALPHA) -> float:
    """The power of X2 against a face that is too frequent by `bias`, accurate even for few rolls.

    Given how often that face came up, X2 is a constant plus a multiple of the X2 of the five
    others, which are even: a chi-square with 4 degrees of freedom. The noncentral chi-square of
    `power` is up to seven percentage points higher for few rolls. A face that is too rare by the
    same amount has more power if that is at least 80 %.
    """
    from scipy.special import chdtrc
    from scipy.stats import binom, chi2

    often = (1 + bias) / FACES
    off = SUMMED_SIGMAS * np.sqrt(rolls * often * (1 - often)) + 1
    first, last = max(0, int(rolls * often - off)), min(rolls, ceil(rolls * often + off))
    count = np.arange(first, last + 1, dtype=np.float64)
    others = np.maximum(rolls - count, 1e-9)
    least = (rolls * (chi2.isf(alpha, 5) + rolls) / FACES - count**2) * 5 / others - others
    shown = np.where(least > 0, chdtrc(4, np.maximum(least, 0)), 1.0)
    return float(binom.pmf(count, rolls, often) @ shown)


@lru_cache(maxsize=4096)
def smallest_bias(rolls: int, *, alpha: float = ALPHA, wanted: float = TARGET_POWER) -> float:
    """The bias of one face, relative to a sixth, at which this many rolls have the wanted power.

    Infinite if even a face that always comes up has less.
    """
    from scipy.optimize import brentq

    if rolls > MIN_NONCENTRAL_ROLLS:  # A bias of b adds b^2 / 5 per roll.
        return float(np.sqrt(5 * needed_noncentrality(alpha=alpha, wanted=wanted) / rolls))
    if rolls <= 0 or face_power(rolls, MAX_BIAS, alpha=alpha) < wanted:
        return inf
    return float(brentq(lambda bias: face_power(rolls, bias, alpha=alpha) - wanted, 0, MAX_BIAS))


@lru_cache(maxsize=256)
def rolls_to_see(bias: float, *, alpha: float = ALPHA, wanted: float = TARGET_POWER) -> int:
    """The rolls at which a face with `bias` has the wanted power, accurate even if few."""
    estimate = rolls_needed(face_bias(bias), alpha=alpha, wanted=wanted)
    if estimate > MIN_NONCENTRAL_ROLLS:
        return estimate
    low, high = estimate // 2, 2 * estimate + FACES
    while high - low > 1:
        middle = (low + high) // 2
        is_enough = face_power(middle, bias, alpha=alpha) >= wanted
        low, high = (low, middle) if is_enough else (middle, high)
    return high
