"""E-values: evidence against six even faces that one may look at after every roll.

An e-value is what a gambler would have who bet 1 on the next rolls at even odds and lost nothing
on average if the die were even. Whatever he does, and whenever he stops, the probability that he
ever has 20 is 1/20 at most then (Ville 1939). Here he bets by Dirichlet mixtures: `PRIORS` on the
six faces and, with half of the money, on the three axes (Ramdas, Grünwald, Vovk, Shafer 2023).
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import exp, log
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.fairness.reading import ConfusionMatrix, is_sure, likelihoods
from engine.fairness.rolls import FACES, DiceLog

PRIORS: Final = np.array([1.0, 10.0, 100.0, 1000.0])
"""Dirichlet(a, .., a) for faces; on axes the same, which is Dirichlet(2a, 2a, 2a)."""
LOOK_CLOSER: Final = 20.0
"""1 in 20 even dice ever reach it."""
ALARM: Final = 1000.0
"""1 in 1,000: real logs go astray by faults of the record more often than that tells of dice."""
POINTS: Final = 240
"""Of a curve."""


@dataclass(frozen=True, slots=True, eq=False)
class EValue:
    """The e-value of one die as its rolls came in."""

    log_last: float
    log_largest: float
    """Over all moments since the beginning, 0 at least."""
    largest_at: int
    """Rolls at that moment; 0: before the first."""
    rolls: NDArray[np.int64]
    """(P,) of the points of the curve."""
    log_path: Floats
    """(P,) log e-values there."""

    @property
    def last(self) -> float:
        """The e-value after all rolls."""
        return exp(min(self.log_last, 700.0))

    @property
    def largest(self) -> float:
        """The largest e-value that there ever was."""
        return exp(min(self.log_largest, 700.0))

    @property
    def p(self) -> float:
        """A p that holds whenever one looks: one over the largest e-value."""
        return min(1.0, exp(-self.log_largest))


def evidence(log_: DiceLog, misreading: ConfusionMatrix | None = None) -> EValue:
    """The e-values of one die's usable rolls, in their order."""
    from engine.fairness._kernels import doubtful_path, read_path

    marks = curve_marks(len(log_))
    path = np.zeros(len(marks))
    ends = _throw_ends(log_)
    if misreading is None and is_sure(log_):
        faces = np.ascontiguousarray(log_.faces)
        last, largest, at = read_path(faces, ends, PRIORS, marks, path)
    else:
        rows = np.ascontiguousarray(likelihoods(log_, misreading))
        logs, seen = _nothing_seen()
        last, largest, at = doubtful_path(rows, ends, PRIORS, marks, path, logs, seen)
    return EValue(float(last), float(largest), int(at), marks, path)


def _throw_ends(log_: DiceLog) -> NDArray[np.bool_]:
    """(N,) the last die of each throw."""
    throws = log_.throw
    return np.r_[throws[1:] != throws[:-1], True] if len(throws) else np.zeros(0, np.bool_)


def _nothing_seen() -> tuple[Floats, Floats]:
    """What the components of the mixture have and have learnt before the first roll."""
    return np.zeros(2 * len(PRIORS)), np.zeros((2 * len(PRIORS), FACES))


def curve_marks(count: int, points: int = POINTS) -> NDArray[np.int64]:
    """Numbers of rolls at which a curve is drawn: few rolls all, many evenly, the last always."""
    if count <= points:
        return np.arange(1, count + 1, dtype=np.int64)
    return np.unique(np.linspace(1, count, points).astype(np.int64))


class EProcess:
    """The e-value of one die, a reading at a time; what `evidence` says of all at once."""

    def __init__(self, misreading: ConfusionMatrix | None = None) -> None:
        self.rolls = 0
        self.log_e = 0.0
        self.log_largest = 0.0
        self.counts = np.zeros(FACES, np.int64)
        self._misreading = misreading
        self._logs, self._seen = _nothing_seen()
        self._priors = np.concatenate((PRIORS, PRIORS))[:, None]
        self._is_axis = np.arange(2 * len(PRIORS))[:, None] >= len(PRIORS)

    @classmethod
    def after(cls, log_: DiceLog, misreading: ConfusionMatrix | None = None) -> Self:
        """The process once it has taken in the usable rolls of a log."""
        from engine.fairness._kernels import doubtful_path

        process = cls(misreading)
        none, path = np.zeros(0, np.int64), np.zeros(0)
        rows = np.ascontiguousarray(likelihoods(log_, misreading))
        process.log_e, process.log_largest, _ = doubtful_path(
            rows, _throw_ends(log_), PRIORS, none, path, process._logs, process._seen
        )
        process.rolls, process.counts = len(log_), log_.counts()
        return process

    def copy(self) -> EProcess:
        """Another that goes on from here."""
        other = copy(self)
        other.counts = self.counts.copy()
        other._logs, other._seen = self._logs.copy(), self._seen.copy()  # noqa: SLF001 (its own)
        return other

    @property
    def e(self) -> float:
        """The e-value now."""
        return exp(min(self.log_e, 700.0))

    @property
    def largest(self) -> float:
        """The largest at the end of any throw so far."""
        return exp(min(self.log_largest, 700.0))

    def add(
        self, value: int, chances: tuple[float, ...] | None = None, *, ends_throw: bool = True
    ) -> float:
        """Take in one die; the e-value after it.

        chances: of the six faces, where the reading is doubtful; ends_throw: whether one may look
        now, which between two like dice of a throw one may not.
        """
        row = self._row(value, chances)
        opposite = self._seen[:, ::-1]
        base = np.where(self._is_axis, (2 * self._priors + self._seen + opposite) / 2, 0.0)
        base = np.where(self._is_axis, base, self._priors + self._seen)
        joint = base / (6 * self._priors + self.rolls) * row
        total = joint.sum(axis=1)
        self._logs += np.log(total / (row.sum() / FACES))
        self._seen += joint / total[:, None]
        self.rolls += 1
        self.counts[value - 1] += 1
        self.log_e = float(np.logaddexp.reduce(self._logs)) - log(len(self._logs))
        if ends_throw:
            self.log_largest = max(self.log_largest, self.log_e)
        return self.e

    def _row(self, value: int, chances: tuple[float, ...] | None) -> Floats:
        if self._misreading is not None:
            return np.asarray(self._misreading.matrix[:, value - 1])
        if chances is not None:
            return np.asarray(chances, np.float64)
        row = np.zeros(FACES)
        row[value - 1] = 1
        return row


def bayes_factor(told: NDArray[np.int64], prior: float = 1.0) -> float:
    """log10 of how much better Dirichlet(prior) foretells the counts than even faces do."""
    from scipy.special import gammaln

    total = told.sum()
    value = gammaln(FACES * prior) - FACES * gammaln(prior) + gammaln(prior + told).sum()
    value += total * np.log(FACES) - gammaln(total + FACES * prior)
    return float(value / np.log(10))
