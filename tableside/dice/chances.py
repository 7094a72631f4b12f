"""What a table tells of doubtful readings: the probabilities of the six faces of each."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.fairness import UNREAD
from tableside.errors import BadDice

CHANCES: Final = tuple(f"p{face}" for face in range(1, 7))
"""Of the six faces, where a file has them for doubtful readings."""
ROUNDED: Final = 0.02
"""How far their sum may be from 1: they are written with two digits."""


def check_columns(path: Path, names: list[str]) -> None:
    """`BadDice` where some of the six are there and not all: no doubt is passed over."""
    missing = [name for name in CHANCES if name not in names]
    if 0 < len(missing) < len(CHANCES):
        raise BadDice(
            f"{path}, line 1: there is no column {' and no column '.join(missing)}; p1 to p6 are "
            "the probabilities of the six faces and belong together"
        )


def checked_chances(
    path: Path, told: NDArray[np.float64], values: NDArray[np.int8], lines: NDArray[np.int64]
) -> NDArray[np.float32]:
    """(N, 6) that sum to 1, NaN where a row tells none; `BadDice` names the line that is wrong.

    told: (N, 6) as they stand there, NaN for empty cells; of dice that were not read none counts.
    """
    empty = np.isnan(told).sum(axis=1)
    partly = (empty > 0) & (empty < len(CHANCES))
    if partly.any():
        line = lines[int(np.argmax(partly))]
        raise BadDice(f"{path}, line {line}: some of p1 to p6 are empty; give all six or none")
    sums = told.sum(axis=1)
    is_off = np.abs(sums - 1) > ROUNDED
    if is_off.any():
        row = int(np.argmax(is_off))
        raise BadDice(f"{path}, line {lines[row]}: p1 to p6 add up to {sums[row]:.3g}, not to 1")
    chances = told / sums[:, None]
    chances[values == UNREAD] = np.nan
    return np.asarray(chances, np.float32)


def with_chances(
    confidence: NDArray[np.float32], chances: NDArray[np.float32], values: NDArray[np.int8]
) -> NDArray[np.float32]:
    """(N,) the probability of the face that is told, where the row tells those of all six."""
    known = np.flatnonzero(np.isfinite(chances).all(axis=1))
    sure = confidence.copy()
    sure[known] = chances[known, values[known] - 1]
    return sure
