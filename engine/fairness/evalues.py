"""E-values: evidence against a fair die that is valid after every roll.

An e-value is the wealth of a gambler who starts with 1 and bets on rolls at odds that are fair for
a fair die. The probability that it ever reaches 20 is then at most 1/20, whenever one stops (Ville
1939). The bets are Dirichlet mixtures: `DIRICHLET_PRIORS` on the six faces and, with half of the
wealth, on the three axes (Ramdas, Grünwald, Vovk, Shafer 2023).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import exp, log
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.fairness.reading import ConfusionMatrix, is_certain, likelihoods
from engine.fairness.rolls import FACES, DiceLog

DIRICHLET_PRIORS: Final = np.array([1.0, 10.0, 100.0, 1000.0])
"""Dirichlet(a, .., a) for faces; the same on axes, which is Dirichlet(2a, 2a, 2a)."""
LOOK_CLOSER_E_VALUE: Final = 20.0
"""At most 1 fair die in 20 ever reaches it."""
ALARM_E_VALUE: Final = 1000.0
"""At most 1 in 1,000: in real logs, errors in the record are more frequent than biased dice."""
CURVE_POINTS: Final = 240
MAX_LOG_E: Final = 700.0
"""Logarithm to which e-values are clipped before `exp`."""


@dataclass(frozen=True, slots=True)
class LookAlikes:
    """The two e-values whose mean is that of dice which cannot be told apart."""

    log_both: float
    """Log e-value of the bet that both dice of a throw have the same bias."""
    log_one: float
    """Log e-value of the bet that one of them, it is not known which, is biased."""


@dataclass(frozen=True, slots=True, eq=False)
class EValue:
    """The e-value of one die as its rolls accumulate."""

    log_last: float
    log_largest: float
    """The maximum so far, at least 0."""
    largest_at: int
    """The number of rolls at the maximum; 0 if before the first."""
    rolls: NDArray[np.int64]
    """(P,) numbers of rolls at the points of the curve."""
    log_path: Floats
    """(P,) log e-values at the points of the curve."""
    look_alikes: LookAlikes | None = None
    """For dice that cannot be told apart."""

    @property
    def last(self) -> float:
        """The e-value after all rolls."""
        return exp(min(self.log_last, MAX_LOG_E))

    @property
    def largest(self) -> float:
        """The largest e-value so far."""
        return exp(min(self.log_largest, MAX_LOG_E))

    @property
    def p(self) -> float:
        """The anytime-valid p-value: one over the largest e-value."""
        return min(1.0, exp(-self.log_largest))


def evidence(log_: DiceLog, confusion: ConfusionMatrix | None = None) -> EValue:
    """The e-values of one die's usable rolls, in order."""
    from engine.fairness._kernels import (
        certain_look_alike_path,
        certain_path,
        look_alike_path,
        uncertain_path,
    )

    marks = curve_marks(len(log_))
    path = np.zeros(len(marks))
    ends = _throw_ends(log_)
    is_exact = confusion is None and is_certain(log_)
    faces = np.ascontiguousarray(log_.faces)
    if log_.pooled:
        logs, seen = _initial_components(2)
        if is_exact:
            last, largest, at = certain_look_alike_path(
                faces, ends, DIRICHLET_PRIORS, marks, path, logs
            )
        else:
            rows = likelihoods(log_, confusion)
            last, largest, at = look_alike_path(
                rows, ends, DIRICHLET_PRIORS, marks, path, logs, seen
            )
        both, one = (_log_mean(each) for each in logs)
        return EValue(last, largest, at, marks, path, LookAlikes(both, one))
    if is_exact:
        last, largest, at = certain_path(faces, ends, DIRICHLET_PRIORS, marks, path)
    else:
        rows = likelihoods(log_, confusion)
        (logs,), (seen,) = _initial_components(1)
        last, largest, at = uncertain_path(rows, ends, DIRICHLET_PRIORS, marks, path, logs, seen)
    return EValue(float(last), float(largest), int(at), marks, path)


def _throw_ends(log_: DiceLog) -> NDArray[np.bool_]:
    """(N,) whether a row is the last of its throw."""
    throws = log_.throw
    return np.r_[throws[1:] != throws[:-1], True] if len(throws) else np.zeros(0, np.bool_)


def _initial_components(bets: int) -> tuple[Floats, Floats]:
    """(bets, 2K) log e-values and (bets, 2K, 6) counts of the mixtures' components at first."""
    count = 2 * len(DIRICHLET_PRIORS)
    return np.zeros((bets, count)), np.zeros((bets, count, FACES))


def _log_mean(logs: Floats) -> float:
    return float(np.logaddexp.reduce(logs)) - log(len(logs))


def curve_marks(count: int) -> NDArray[np.int64]:
    """Numbers of rolls at which a curve is drawn: all if few, else evenly spaced up to the last."""
    if count <= CURVE_POINTS:
        return np.arange(1, count + 1, dtype=np.int64)
    return np.unique(np.linspace(1, count, CURVE_POINTS).astype(np.int64))


class EProcess:
    """The e-value of one die, updated one reading at a time; agrees with `evidence`."""

    def __init__(self, confusion: ConfusionMatrix | None = None) -> None:
        self.rolls = 0
        self.log_e = 0.0
        self.log_largest = 0.0
        self.counts = np.zeros(FACES, np.int64)
        self._confusion = confusion
        self._logs, self._seen = _initial_components(1)
        self._throws = 0
        self._throw: list[Floats] = []
        """The likelihoods of the dice of a throw that is not whole."""
        self._priors = np.concatenate((DIRICHLET_PRIORS, DIRICHLET_PRIORS))[:, None]
        self._is_axis = np.arange(2 * len(DIRICHLET_PRIORS))[:, None] >= len(DIRICHLET_PRIORS)

    @classmethod
    def after(cls, log_: DiceLog, confusion: ConfusionMatrix | None = None) -> Self:
        """The process after the usable rolls of a log."""
        from engine.fairness._kernels import look_alike_path, uncertain_path

        process = cls(confusion)
        none, path = np.zeros(0, np.int64), np.zeros(0)
        rows, ends = np.ascontiguousarray(likelihoods(log_, confusion)), _throw_ends(log_)
        if log_.pooled:
            process._logs, process._seen = _initial_components(2)
            process.log_e, process.log_largest, _ = look_alike_path(
                rows, ends, DIRICHLET_PRIORS, none, path, process._logs, process._seen
            )
        else:
            process.log_e, process.log_largest, _ = uncertain_path(
                rows, ends, DIRICHLET_PRIORS, none, path, process._logs[0], process._seen[0]
            )
        process.rolls, process.counts = len(log_), log_.counts()
        process._throws = int(ends.sum())
        return process

    def copy(self) -> EProcess:
        """An independent copy."""
        other = copy(self)
        other.counts = self.counts.copy()
        other._logs, other._seen = self._logs.copy(), self._seen.copy()  # noqa: SLF001 (its own)
        other._throw = self._throw.copy()  # noqa: SLF001
        return other

    @property
    def e(self) -> float:
        """The current e-value."""
        return exp(min(self.log_e, MAX_LOG_E))

    @property
    def largest(self) -> float:
        """The largest e-value at the end of a throw so far."""
        return exp(min(self.log_largest, MAX_LOG_E))

    @property
    def look_alikes(self) -> LookAlikes | None:
        """The two e-values whose mean it is, once two dice have had this name in one throw."""
        if len(self._logs) == 1:
            return None
        return LookAlikes(_log_mean(self._logs[0]), _log_mean(self._logs[1]))

    def add(
        self, value: int, chances: tuple[float, ...] | None = None, *, ends_throw: bool = True
    ) -> float:
        """Add one more die and return the e-value.

        chances: of the six faces, if the reading is uncertain; ends_throw: whether no look-alike
        die of the same throw follows. Only then are `e` and `largest` up to date.
        """
        if not ends_throw and len(self._logs) == 1:  # up to here, both bets are the same
            self._logs, self._seen = np.repeat(self._logs, 2, 0), np.repeat(self._seen, 2, 0)
        row = self._row(value, chances)
        self._learn(0, row, self.rolls)
        self.rolls += 1
        self.counts[value - 1] += 1
        self._throw.append(row / row.sum())
        if ends_throw:
            if len(self._logs) > 1:
                self._learn(1, np.mean(self._throw, axis=0), self._throws)
            self._throws, self._throw = self._throws + 1, []
            self.log_e = _log_mean(self._logs.ravel())
            self.log_largest = max(self.log_largest, self.log_e)
        return self.e

    def _learn(self, bet: int, row: Floats, before: int) -> None:
        """Update the components of a bet by a reading that had `before` others."""
        seen = self._seen[bet]
        base = np.where(self._is_axis, (2 * self._priors + seen + seen[:, ::-1]) / 2, 0.0)
        base = np.where(self._is_axis, base, self._priors + seen)
        joint = base / (6 * self._priors + before) * row
        total = joint.sum(axis=1)
        self._logs[bet] += np.log(total / (row.sum() / FACES))
        seen += joint / total[:, None]

    def _row(self, value: int, chances: tuple[float, ...] | None) -> Floats:
        if self._confusion is not None:
            return np.asarray(self._confusion.matrix[:, value - 1])
        if chances is not None:
            return np.asarray(chances, np.float64)
        row = np.zeros(FACES)
        row[value - 1] = 1
        return row


def bayes_factor(counts: NDArray[np.int64]) -> float:
    """log10 of the Bayes factor of Dirichlet(1) against a fair die."""
    from scipy.special import gammaln

    total = counts.sum()
    value = gammaln(FACES) + gammaln(1 + counts).sum()
    value += total * np.log(FACES) - gammaln(total + FACES)
    return float(value / np.log(10))
