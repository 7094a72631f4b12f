"""Uncertain readings: likelihoods of the true face, a reader's known errors, unread dice.

A reading is a row of likelihoods L(t), one for each true face t. A certain one has a single 1. An
uncertain one has the reader's probabilities, which are likelihoods if the reader assumes a uniform
prior. A reader with known errors has, for the value v that it gave, the column K[:, v] of its
confusion matrix. All statistics take such rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats, Ints
from engine.fairness.rolls import CERTAIN, FACES, DiceLog, InvalidDice

_EM_ROUNDS: Final = 200
_EM_TOLERANCE: Final = 1e-10
_GROUPING_DIGITS: Final = 4
"""Digits to which probabilities are rounded when equal readings are counted together."""
UNREMARKABLE_P: Final = 0.05
"""p-value of the faces from which nothing is left to explain."""


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionMatrix:
    """A reader's confusion matrix: `matrix` (6, 6), row = true face, column = face read."""

    matrix: Floats

    def __post_init__(self) -> None:
        matrix = np.asarray(self.matrix, np.float64)
        if matrix.shape != (FACES, FACES) or (matrix < 0).any() or not np.isfinite(matrix).all():
            raise InvalidDice("a confusion matrix must have six rows of six probabilities")
        if not np.allclose(matrix.sum(axis=1), 1, atol=1e-6):
            raise InvalidDice("each row of a confusion matrix (one per true face) must sum to 1")
        if np.linalg.cond(matrix) > 1e6:
            raise InvalidDice("with this confusion matrix some faces cannot be distinguished")
        object.__setattr__(self, "matrix", matrix)

    @classmethod
    def symmetric(cls, rate: float) -> ConfusionMatrix:
        """A reader that errs at this rate, with every other face equally likely."""
        return cls(np.full((FACES, FACES), rate / 5) + np.eye(FACES) * (1 - rate * 1.2))

    @property
    def fair_marginal(self) -> Floats:
        """(6,) how often each face is read when the die is fair."""
        return np.asarray(self.matrix.mean(axis=0))


def is_certain(log: DiceLog) -> bool:
    """Whether every reading of the log is beyond doubt."""
    return bool((log.confidence >= CERTAIN).all())


def likelihoods(log: DiceLog, confusion: ConfusionMatrix | None = None) -> Floats:
    """(N, 6) likelihoods of the true faces, each row up to a factor.

    An uncertain reading without its own probabilities spreads its doubt over the other faces.
    """
    if confusion is not None:
        return np.ascontiguousarray(confusion.matrix.T[log.faces])
    rest = (1 - log.confidence.astype(np.float64)) / 5
    rows = np.repeat(rest[:, None], FACES, axis=1)
    rows[np.arange(len(log)), log.faces] = log.confidence
    if log.chances is not None:
        known = np.isfinite(log.chances).all(axis=1) & (log.confidence < CERTAIN)
        rows[known] = log.chances[known]
    return rows


def _posteriors(rows: Floats) -> Floats:
    """(N, 6) probabilities of the true faces under a uniform prior."""
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False)
class FaceTally:
    """The sufficient statistics of a die's readings for every test of its faces."""

    count: int
    """Number of readings."""
    counts: NDArray[np.int64]
    """(6,) how often each face was read."""
    sums: Floats
    """(6,) sums of the probabilities of each face; equal to `counts` if all readings are
    certain."""
    spread: Floats
    """(6, 6) covariance of `sums` if all faces are equally likely."""
    shares: Floats
    """(6,) the maximum-likelihood shares of the faces."""
    is_certain: bool
    """Whether no reading is uncertain and the reader has no known errors."""
    confusion: ConfusionMatrix | None = None

    @property
    def effective_rolls(self) -> float:
        """The number of certain readings with the same information; `count` if all are certain."""
        whole = self.count * (1 - 1 / FACES)
        return self.count * float(np.trace(self.spread)) / whole if self.count else 0.0


def tally(log: DiceLog, confusion: ConfusionMatrix | None = None) -> FaceTally:
    """The tally of usable readings; see `DiceLog.usable`."""
    counts = log.counts()
    if confusion is not None:
        return tally_misread(counts, confusion)
    if is_certain(log):
        return tally_of_counts(counts)
    rows = _posteriors(likelihoods(log))
    certain = log.confidence >= CERTAIN
    # Certain readings vary as faces do; the covariance of uncertain ones is estimated from them.
    off = rows[~certain] - 1 / FACES
    spread = np.asarray(int(certain.sum()) * _fair_covariance() + off.T @ off)
    distinct, times = np.unique(rows.round(_GROUPING_DIGITS), axis=0, return_counts=True)
    shares = likeliest_shares(distinct, times)
    return FaceTally(len(rows), counts, rows.sum(axis=0), spread, shares, is_certain=False)


def tally_of_counts(counts: NDArray[np.int64]) -> FaceTally:
    """The tally of certain readings."""
    count = int(counts.sum())
    shares = counts / count if count else np.full(FACES, 1 / FACES)
    sums, spread = counts.astype(np.float64), count * _fair_covariance()
    return FaceTally(count, counts, sums, spread, shares, is_certain=True)


def _fair_covariance() -> Floats:
    """(6, 6) covariance of the indicators of one fair roll."""
    return np.asarray(np.eye(FACES) / FACES - 1 / FACES**2)


def tally_misread(counts: NDArray[np.int64], confusion: ConfusionMatrix) -> FaceTally:
    """The tally of counts from a reader with known errors."""
    count = int(counts.sum())
    rows = _posteriors(confusion.matrix.T)  # by the face read
    chances = confusion.fair_marginal
    spread = count * ((rows * chances[:, None]).T @ rows - 1 / FACES**2)
    shares = likeliest_shares(confusion.matrix.T, counts)
    return FaceTally(
        count, counts, counts @ rows, spread, shares, is_certain=False, confusion=confusion
    )


def likeliest_shares(rows: Floats, times: NDArray[np.int64]) -> Floats:
    """(6,) the shares that maximize the likelihood of rows, each repeated `times` times (EM)."""
    total = times.sum()
    shares = np.full(FACES, 1 / FACES)
    if not total:
        return shares
    for _ in range(_EM_ROUNDS):
        joint = rows * shares
        each = times / joint.sum(axis=1)
        renewed = each @ joint / total
        if np.abs(renewed - shares).max() < _EM_TOLERANCE:
            break
        shares = renewed
    return np.asarray(shares)


def could_unread_explain(counts: Ints, unread: int) -> bool:
    """Whether the faces would be unremarkable if the unread dice had shown the rarest of them.

    A reader that fails more often on one face than on others makes a fair die look biased.
    """
    from scipy.stats import chisquare

    if not unread:
        return False
    return bool(chisquare(evened_counts(counts, unread)).pvalue >= UNREMARKABLE_P)


def evened_counts(counts: Ints, unread: int) -> Ints:
    """The (6,) counts, with each unread die in turn assigned to the rarest face."""
    filled = counts.copy()
    order = np.argsort(filled, kind="stable")
    for rank in range(1, FACES + 1):
        lowest = order[:rank]
        above = filled[order[rank]] if rank < FACES else filled.max() + unread
        step = min(unread // rank, int(above - filled[lowest[0]]))
        filled[lowest] += step
        unread -= step * rank
        if rank == FACES or unread < rank:
            filled[lowest[:unread]] += 1
            break
    return filled
