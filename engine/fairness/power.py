"""What so many rolls can show: power of the chi-square test, and the rolls that a bias needs."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.fairness.rolls import FACES

Floats = NDArray[np.float64]

POWER: Final = 0.8
ALPHA: Final = 0.05
MOST: Final = 10**9


def face_bias(bias: float) -> Floats:
    """(6,) chances of a die whose six comes `bias` (a share) more often, all others alike."""
    chances = np.full(FACES, (1 - (1 + bias) / FACES) / 5)
    chances[5] = (1 + bias) / FACES
    return chances


def axis_bias(bias: float) -> Floats:
    """(6,) chances of a die whose 1 and 6 both come `bias` more often: it is shaved flat."""
    chances = np.full(FACES, (1 - 2 * (1 + bias) / FACES) / 4)
    chances[[0, 5]] = (1 + bias) / FACES
    return chances


def pip_bias(bias: float) -> Floats:
    """(6,) chances that rise evenly from the 1, `bias` too rare, to the 6, as much too often."""
    from engine.fairness.faces import PIP_WEIGHTS

    return np.asarray((1 + bias * PIP_WEIGHTS) / FACES)


def distance(chances: Floats, cells: Floats | None = None) -> float:
    """The noncentrality that each roll adds: sum of (p - q)^2 / q over the cells of a test.

    cells: (k, 6) which faces a test puts together; the faces themselves if not given.
    """
    sums = np.eye(FACES) if cells is None else cells
    even = sums.sum(axis=1) / FACES
    return float(((sums @ chances - even) ** 2 / even).sum())


def power(rolls: int, noncentrality: float, *, df: int = 5, alpha: float = ALPHA) -> float:
    """The probability that the chi-square test shows that bias."""
    from scipy.stats import chi2, ncx2

    return float(ncx2.sf(chi2.isf(alpha, df), df, max(rolls * noncentrality, 1e-12)))


def needed_noncentrality(*, df: int = 5, alpha: float = ALPHA, wanted: float = POWER) -> float:
    """The noncentrality of all rolls together at which the test has the power that is wanted."""
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
    wanted: float = POWER,
) -> int:
    """How many rolls show that bias with that probability."""
    each = distance(chances, cells)
    needed = needed_noncentrality(df=df, alpha=alpha, wanted=wanted)
    return int(min(np.ceil(needed / each), MOST)) if each > 0 else MOST


def smallest_bias(rolls: float, *, alpha: float = ALPHA, wanted: float = POWER) -> float:
    """The bias of one face, as a share of a sixth, that so many rolls show with that probability.

    The noncentrality of a face off by b is rolls b^2 / 5.
    """
    if rolls <= 0:
        return float("inf")
    needed = needed_noncentrality(alpha=alpha, wanted=wanted)
    return float(np.sqrt(5 * needed / rolls))
