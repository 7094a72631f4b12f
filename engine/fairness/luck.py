"""Luck: a player's pips compared with those expected of unbiased dice.

If the dice are in doubt, it is partly theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.fairness.rolls import DiceLog

MEAN_PIPS: Final = 49 / 6
"""Mean pips per throw, with doubles counted fourfold: 8 1/6."""
PIPS_SIGMA: Final = float(np.sqrt(sum(
    ((a + b) * (2 if a == b else 1) - MEAN_PIPS) ** 2 for a in range(1, 7) for b in range(1, 7)
) / 36))  # fmt: skip
"""Standard deviation of the pips of one throw: 4.30."""


@dataclass(frozen=True, slots=True)
class PlayerLuck:
    """What one player rolled."""

    throws: int
    pips: int
    doubles: int

    @property
    def expected(self) -> float:
        """The expected pips for as many throws of fair dice."""
        return self.throws * MEAN_PIPS

    @property
    def z(self) -> float:
        """The number of standard deviations above the expectation."""
        sigma = PIPS_SIGMA * np.sqrt(self.throws)
        return (self.pips - self.expected) / sigma if self.throws else 0.0

    @property
    def p(self) -> float:
        """The two-sided p-value for fair dice."""
        from scipy.stats import norm

        return float(2 * norm.sf(abs(self.z)))


def luck_of(log: DiceLog) -> PlayerLuck:
    """The luck in the usable throws of two dice."""
    first = log.two_dice_throws()
    a, b = log.value[first].astype(np.int64), log.value[first + 1].astype(np.int64)
    is_double = a == b
    pips = int(((a + b) * np.where(is_double, 2, 1)).sum())
    return PlayerLuck(len(first), pips, int(is_double.sum()))
