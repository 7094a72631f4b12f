"""Luck, which is not the dice: pips that a player rolled against those that he could expect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.fairness.rolls import DiceLog

PIPS: Final = 49 / 6
"""Of a throw on average, doubles counted fourfold: 8 1/6."""
SPREAD: Final = float(np.sqrt(sum(
    ((a + b) * (2 if a == b else 1) - PIPS) ** 2 for a in range(1, 7) for b in range(1, 7)
) / 36))  # fmt: skip
"""Of one throw: 4.30 pips."""


@dataclass(frozen=True, slots=True)
class PlayerLuck:
    """What one player rolled."""

    throws: int
    pips: int
    doubles: int

    @property
    def expected(self) -> float:
        """Pips of as many throws of even dice, on average."""
        return self.throws * PIPS

    @property
    def z(self) -> float:
        """By how many standard deviations he rolled more."""
        return (self.pips - self.expected) / (SPREAD * np.sqrt(self.throws)) if self.throws else 0.0

    @property
    def p(self) -> float:
        """How often even dice give somebody luck, good or bad, as far from the middle."""
        from scipy.stats import norm

        return float(2 * norm.sf(abs(self.z)))


def luck_of(log: DiceLog) -> PlayerLuck:
    """The luck in the usable throws of two dice."""
    from engine.fairness._kernels import pair_rows

    first = np.zeros(len(log) // 2, np.int64)
    first = first[: pair_rows(np.ascontiguousarray(log.throw), first)]
    a, b = log.value[first].astype(np.int64), log.value[first + 1].astype(np.int64)
    is_double = a == b
    pips = int(((a + b) * np.where(is_double, 2, 1)).sum())
    return PlayerLuck(len(first), pips, int(is_double.sum()))
