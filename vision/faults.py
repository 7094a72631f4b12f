"""What is wrong with a picture of a board, in words that say what to do about it."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grid import PITCH, Grid

Image = NDArray[np.uint8]

DARKEST: Final = 28.0
"""Median grey of the whole picture under which noise hides what dark checkers look like."""
BURNT: Final = 250
BURNT_SHARE: Final = 0.08
"""Share of the field without any drawing left in it: ivory checkers alone burn out under 0.05."""
NARROWEST: Final = 12.0
"""Pixels of the narrowest point; under that two touching checkers are no longer two."""
SHARPEST_EDGE: Final = 26.0
"""Grey levels between neighbouring pixels at the sharpest hundredth of the field: 40 and more in
focus, under 15 in a picture blurred by half a die."""


def picture_faults(image: Image) -> tuple[str, ...]:
    """What keeps any board from being seen in a (H, W, 3) BGR picture."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if float(np.median(grey)) < DARKEST:
        return ("the picture is too dark: turn on a lamp",)
    if float((grey >= BURNT).mean()) > 0.4:
        return ("the picture is overexposed: dim the lamp or lower the exposure",)
    return ()


def field_faults(image: Image, grid: Grid) -> tuple[str, ...]:
    """What keeps the board in `grid` from being read well."""
    rectified = grid.rectify(image)
    grey = np.asarray(cv2.cvtColor(rectified, cv2.COLOR_BGR2GRAY), np.uint8)
    found = []
    if (narrow := narrowest_point(grid)) < NARROWEST:
        found.append(
            f"the farthest points are only {narrow:.0f} pixels wide, {NARROWEST:.0f} are needed: "
            "come closer or choose 1080p"
        )
    if float((grey >= BURNT).mean()) > BURNT_SHARE:
        found.append("a lamp glares on the board: move the lamp or the camera")
    if narrow >= PITCH / 2 and _sharpness(grey) < SHARPEST_EDGE:
        found.append("the picture is blurred: hold the camera still and let it focus")
    return tuple(found)


def narrowest_point(grid: Grid) -> float:
    """Width of the narrowest point at its rail, camera pixels."""
    half = grid.layout.point_width / 2
    rails = np.array([grid.layout.base(point) for point in range(1, 25)])
    left, right = (grid.pose.project(rails + np.array([way * half, 0])) for way in (-1, 1))
    return float(np.linalg.norm(right - left, axis=1).min())


def _sharpness(grey: Image) -> float:
    steps = np.abs(np.diff(grey.astype(np.int16), axis=1))
    return float(np.percentile(steps, 99))
