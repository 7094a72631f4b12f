"""Dice of which only totals were counted: successes of many dice, sums of two, event frequencies.

Much of what is published about dice is of this kind, as are a club's old notebooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.fairness.faces import Test


@dataclass(frozen=True, slots=True)
class Share:
    """How often an event of known probability happened."""

    hits: int
    trials: int
    chance: float

    @property
    def z(self) -> float:
        """Number of standard deviations by which it happened too often."""
        spread = np.sqrt(self.trials * self.chance * (1 - self.chance))
        return float((self.hits - self.trials * self.chance) / spread)

    @property
    def p(self) -> float:
        """Probability of a deviation at least this large, to either side."""
        from scipy.stats import binomtest

        return float(binomtest(self.hits, self.trials, self.chance).pvalue)

    @property
    def p_above(self) -> float:
        """Probability of this frequency or a higher one."""
        from scipy.stats import binomtest

        return float(binomtest(self.hits, self.trials, self.chance, alternative="greater").pvalue)


def successes_test(
    throws: Sequence[int],
    dice: int,
    chance: float | None,
    *,
    cells: int | None = None,
    is_g: bool = False,
) -> Test:
    """Whether throws with 0, 1, ... successes are as frequent as with independent dice.

    chance: of a success on one die; None: estimated from the throws, at the cost of one degree of
    freedom.
    cells: the number of cells once the last ones are pooled.
    """
    from scipy.stats import binom, power_divergence

    seen = np.array([*throws, *[0] * (dice + 1 - len(throws))], np.float64)
    own = float((seen * np.arange(dice + 1)).sum() / (dice * seen.sum()))
    expected = seen.sum() * binom.pmf(np.arange(dice + 1), dice, own if chance is None else chance)
    kept = dice + 1 if cells is None else cells
    seen, expected = _together(seen, kept), _together(expected, kept)
    lost = 1 if chance is None else 0
    found = power_divergence(seen, expected, ddof=lost, lambda_=0 if is_g else 1)
    return Test(float(found.statistic), kept - 1 - lost, float(found.pvalue))


def _together(cells: NDArray[np.float64], kept: int) -> NDArray[np.float64]:
    return np.asarray(np.r_[cells[: kept - 1], cells[kept - 1 :].sum()], np.float64)


def sums_test(sums: Sequence[int]) -> Test:
    """Whether the sums 2 to 12 of two fair dice have their expected frequencies."""
    from scipy.stats import chisquare

    seen = np.asarray(sums, np.float64)
    ways = 6 - np.abs(np.arange(2, 13) - 7)
    found = chisquare(seen, seen.sum() * ways / 36)
    return Test(float(found.statistic), 10, float(found.pvalue))


def shares_z(shares: Sequence[Share]) -> float:
    """Several such shares together: the summed deviation over its standard deviation."""
    off = sum(one.hits - one.trials * one.chance for one in shares)
    return float(off / np.sqrt(sum(one.trials * one.chance * (1 - one.chance) for one in shares)))
