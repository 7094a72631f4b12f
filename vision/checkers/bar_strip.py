"""The whole bar as one strip of the rectified picture: what the bar's net reads.

A checker lies anywhere on it, across its middle too, and both colours side by side; so it is
seen in one piece, its middle in the middle of the strip.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.grid import Grid
from engine.arrays import Floats
from vision.checkers.strips import lifts

LENGTH, WIDTH = 384, 48
"""Pixels of the strip: the tallest usual field, and a checker with what lies beside it."""
HALVES: Final = slice(24, 26)
"""Of the bar, in what `vision.checkers.strips.lifts` gives."""


def bar_places(grid: Grid) -> NDArray[np.int64]:
    """(384, 48, 2) rectified pixels x, y of the strip; beyond the picture those at its edge."""
    middle = np.rint(grid.to_pixels(np.array([(0.5, 0.5)]))[0]).astype(int)
    across = middle[0] + np.arange(WIDTH) - WIDTH // 2
    along = middle[1] + np.arange(LENGTH) - LENGTH // 2
    x, y = np.meshgrid(across, along)
    last = np.array(grid.size) - 1
    return np.asarray(np.clip(np.stack([x, y], axis=2), 0, last))


def bar_lift(grid: Grid) -> Floats:
    """(2,) rectified pixels by which one checker's thickness moves what lies on the bar."""
    return np.asarray(lifts(grid)[HALVES].mean(axis=0))
