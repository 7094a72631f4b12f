"""What readings say of true faces: doubt in single readings, and a reader's known mistakes.

A reading is a row of likelihoods L(t), one for each true face t. A sure one has a single 1. A
doubtful one has the reader's probabilities, which are likelihoods as long as it holds all faces
for equally likely beforehand. A reader with known mistakes has, for the value v that it told, the
column K[:, v] of its confusion matrix. The statistics take rows of that kind only, so that doubt is
neither thrown away nor believed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.fairness.errors import InvalidDice
from engine.fairness.rolls import FACES, SURE, DiceLog

_ROUNDS: Final = 200
_SETTLED: Final = 1e-10
_DIGITS: Final = 4
"""Of probabilities, when readings that are alike are counted together."""


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionMatrix:
    """A reader's confusion matrix: `matrix` (6, 6), row = true face, column = what is told."""

    matrix: Floats

    def __post_init__(self) -> None:
        matrix = np.asarray(self.matrix, np.float64)
        if matrix.shape != (FACES, FACES) or (matrix < 0).any() or not np.isfinite(matrix).all():
            raise InvalidDice("a confusion matrix has six rows of six probabilities")
        if not np.allclose(matrix.sum(axis=1), 1, atol=1e-6):
            raise InvalidDice("each row of a confusion matrix sums to 1: one row for a true face")
        if np.linalg.cond(matrix) > 1e6:
            raise InvalidDice("that confusion matrix tells some faces apart not at all")
        object.__setattr__(self, "matrix", matrix)

    @classmethod
    def even(cls, rate: float) -> ConfusionMatrix:
        """A reader that is wrong at this rate, with every other face as likely."""
        return cls(np.full((FACES, FACES), rate / 5) + np.eye(FACES) * (1 - rate * 1.2))

    @property
    def told_by_even(self) -> Floats:
        """(6,) how often each face is told of a die whose faces are equally likely."""
        return np.asarray(self.matrix.mean(axis=0))


def is_sure(log: DiceLog) -> bool:
    """Whether every reading of the log is beyond doubt."""
    return bool((log.confidence >= SURE).all())


def likelihoods(log: DiceLog, misreading: ConfusionMatrix | None = None) -> Floats:
    """(N, 6) likelihoods of the true faces; of each row only the ratios mean something.

    A doubtful reading without probabilities of its own spreads its doubt over the other faces.
    """
    if misreading is not None:
        return np.ascontiguousarray(misreading.matrix.T[log.faces])
    rest = (1 - log.confidence.astype(np.float64)) / 5
    rows = np.repeat(rest[:, None], FACES, axis=1)
    rows[np.arange(len(log)), log.faces] = log.confidence
    if log.chances is not None:
        known = np.isfinite(log.chances).all(axis=1) & (log.confidence < SURE)
        rows[known] = log.chances[known]
    return rows


def weights(rows: Floats) -> Floats:
    """(N, 6) probabilities of the true faces where all are equally likely beforehand."""
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False)
class FaceTally:
    """What all readings of a die say together; enough for every test of its faces."""

    count: int
    """Readings."""
    told: NDArray[np.int64]
    """(6,) how often each face was the one told."""
    sums: Floats
    """(6,) sums of the probabilities of each face; `told` where nothing is doubtful."""
    spread: Floats
    """(6, 6) covariance of `sums` if all faces are equally likely."""
    shares: Floats
    """(6,) the shares of the faces that make the readings most likely."""
    is_sure: bool
    """Whether no reading is doubtful and the reader makes no known mistakes."""
    misreading: ConfusionMatrix | None = None

    @property
    def known(self) -> float:
        """How many sure readings would tell as much of the faces; `count` where all are sure."""
        whole = self.count * (1 - 1 / FACES)
        return self.count * float(np.trace(self.spread)) / whole if self.count else 0.0


def tally(log: DiceLog, misreading: ConfusionMatrix | None = None) -> FaceTally:
    """The tally of usable readings, see `DiceLog.usable`."""
    told = log.counts()
    if misreading is None and is_sure(log):
        return tally_of_counts(told)
    if misreading is not None:
        return tally_misread(told, misreading)
    rows = weights(likelihoods(log))
    spread = _spread_of_doubt(rows, log.confidence >= SURE)
    alike, times = np.unique(rows.round(_DIGITS), axis=0, return_counts=True)
    shares = _likeliest(alike, times)
    return FaceTally(len(rows), told, rows.sum(axis=0), spread, shares, is_sure=False)


def tally_of_counts(told: NDArray[np.int64]) -> FaceTally:
    """The tally of readings that are all sure."""
    count = int(told.sum())
    shares = told / count if count else np.full(FACES, 1 / FACES)
    return FaceTally(
        count, told, told.astype(np.float64), count * _even_spread(), shares, is_sure=True
    )


def _even_spread() -> Floats:
    return np.asarray(np.eye(FACES) / FACES - 1 / FACES**2)


def tally_misread(told: NDArray[np.int64], misreading: ConfusionMatrix) -> FaceTally:
    """The tally of what a reader with known mistakes told."""
    count = int(told.sum())
    rows = weights(misreading.matrix.T)  # by what was told
    chances = misreading.told_by_even
    spread = count * ((rows * chances[:, None]).T @ rows - 1 / FACES**2)
    shares = _likeliest(misreading.matrix.T, told)
    return FaceTally(count, told, told @ rows, spread, shares, is_sure=False, misreading=misreading)


def _spread_of_doubt(rows: Floats, sure: NDArray[np.bool_]) -> Floats:
    """Sure readings spread as faces do; how doubtful ones spread is taken from themselves."""
    off = rows[~sure] - 1 / FACES
    return np.asarray(int(sure.sum()) * _even_spread() + off.T @ off)


def _likeliest(rows: Floats, times: NDArray[np.int64]) -> Floats:
    """(6,) shares that make rows of likelihoods, each so many times, most likely (EM)."""
    total = times.sum()
    shares = np.full(FACES, 1 / FACES)
    if not total:
        return shares
    for _ in range(_ROUNDS):
        joint = rows * shares
        each = times / joint.sum(axis=1)
        renewed = each @ joint / total
        if np.abs(renewed - shares).max() < _SETTLED:
            break
        shares = renewed
    return np.asarray(shares)
