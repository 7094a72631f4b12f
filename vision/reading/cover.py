"""Whether a board that cannot be followed is where it was, with something over part of it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats32, Image, Mask

BLOCK: Final = 16
"""Side in pixels of the parts that are compared: a checker is about as wide."""
MIN_DETAIL: Final = 6.0
"""Standard deviation of the gray levels from which a part shows anything."""
ALIKE: Final = 0.8
"""Correlation from which two parts show the same."""
MIN_SHARE: Final = 0.2
"""Fraction of the parts that must show the same: a few do by chance, since points repeat."""


def is_partly_there(before: Image, now: Image, board: Mask) -> bool:
    """Whether much of the board looks as it did before.

    before, now: (h, w) small gray pictures from one place; board: (h, w) mask of the field.
    """
    inside = _parts(board).min(axis=1) > 0
    one, other = (_parts(picture)[inside] for picture in (before, now))
    one -= one.mean(axis=1, keepdims=True)
    other -= other.mean(axis=1, keepdims=True)
    shows = one.std(axis=1) > MIN_DETAIL
    if not shows.any():
        return False
    spread = np.maximum(one.std(axis=1) * other.std(axis=1), 1.0)
    alike = (one * other).mean(axis=1) / spread > ALIKE
    return bool(alike[shows].mean() >= MIN_SHARE)


def _parts(picture: NDArray[Any]) -> Floats32:
    """(N, BLOCK * BLOCK) pixels of each whole part of an (h, w) picture."""
    rows, columns = (side // BLOCK for side in picture.shape)
    whole = picture[: rows * BLOCK, : columns * BLOCK].astype(np.float32)
    parts = whole.reshape(rows, BLOCK, columns, BLOCK).swapaxes(1, 2)
    return np.ascontiguousarray(parts.reshape(-1, BLOCK * BLOCK))
