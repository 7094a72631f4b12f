"""Which places changed between two quiet looks: pictures compared, nothing recognised.

The second kind of evidence beside the counts. It knows no colours, so it errs on other things
than they do: on a shadow or a moved cup, not on a checker that looks like its point.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.appearance import Colours
from calibration.grid import Grid
from calibration.strips import bar_strip, point_strip
from engine.arrays import Mask
from engine.evidence.observation import CELLS, DARK_BAR, LIGHT_BAR

Scores = NDArray[np.float32]

DIFFERENT: Final = 28.0  # distance of colours that noise, compression and mild shadows do not reach
UNTOUCHED: Final = 0.12  # discs of changed pixels in a strip where nothing was moved, at most
MOVED: Final = (
    0.33  # ... where a checker came or went, at least: little where the point has its colour
)
CERTAINTY: Final = 4.0  # log-likelihood ratio at both ends
_SUMMED: Final = np.ones((1, 3), np.float32)


def place_changes(
    before: Colours, after: Colours, ignored: Mask, grid: Grid, diameter: float
) -> Scores:
    """(28,) log-likelihood ratio `changed : untouched` of each cell.

    `before` and `after` (h, w, 3) rectified colours; `ignored` (h, w) marks dice and hands.
    """
    step = after - before
    # The lamp or the exposure, the same everywhere: every fourth pixel tells it as well as all.
    lamp = np.median(step[::2, ::2].reshape(-1, 3), axis=0)
    # By OpenCV, for numpy is slow along an axis of three.
    moved = cv2.transform(step, np.column_stack([np.eye(3, dtype=np.float32), -lamp]))
    changed = (cv2.transform(moved * moved, _SUMMED) > DIFFERENT**2) & ~ignored
    disc = np.pi * (diameter / 2) ** 2
    scores = np.zeros(CELLS, np.float32)
    for cell in range(24):
        inner = point_strip(changed, grid, cell + 1)[:, 6:-6]
        scores[cell] = _ratio(float(inner.sum()) / disc)
    bar = float(bar_strip(changed, grid)[:, 6:-6].sum()) / disc
    scores[LIGHT_BAR] = scores[DARK_BAR] = min(0.0, _ratio(bar))  # whose checker, nobody can say
    return scores


def _ratio(discs: float) -> float:
    share = (discs - UNTOUCHED) / (MOVED - UNTOUCHED)
    return float(np.clip(2 * share - 1, -1, 1)) * CERTAINTY
