"""Points cut out of the camera's picture as the stacks' net reads them: larger, nothing blurred.

A second layer leans a pixel or two aside of the first one and is a hundredth larger. The rectified
picture has half the pixels of a close view, and each of them was mixed once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from calibration.grid import THICKNESS, Grid
from engine.arrays import Floats

LENGTH, WIDTH = 312, 64
"""Pixels of a strip: the rail's edge and a row of seven, a point and half of each neighbour."""
PITCH: Final = 42.0
"""Width of a point in a strip, pixels: the native scale of a board that fills half the picture."""
BEFORE: Final = 12
"""Pixels of a strip before the rail."""
IN_PICTURE: Final = 0.9
"""Share of a strip that the picture shows at least."""
MIDDLE: Final = 0.2
"""Field widths from the rail at which it is measured how height shows."""


def stack_pixels(grid: Grid, points: Sequence[int], shift: int = 0) -> Floats:
    """(N, 312, 64, 2) camera pixels of the strips of N points, rail first, at a checker's top.

    `shift`: pixels of the strip by which it begins earlier.
    """
    along = (np.arange(LENGTH) + 0.5 - BEFORE - shift) * _field_per_pixel(grid)[1]
    aside = (np.arange(WIDTH) + 0.5 - WIDTH / 2) * _field_per_pixel(grid)[0]
    out = np.empty((len(points), LENGTH, WIDTH, 2))
    for strip, point in zip(out, points, strict=True):
        strip[..., 0] = grid.layout.point_x(point) + aside
        strip[..., 1] = (along if _is_near(point) else 1 - along)[:, None]
    return grid.pose.project(out.reshape(-1, 2), THICKNESS).reshape(out.shape)


def stack_lifts(grid: Grid, points: Sequence[int]) -> Floats:
    """(N, 2) pixels across and along each strip by which a checker's thickness moves things."""
    y = MIDDLE / grid.pose.aspect
    places = np.array(
        [(grid.layout.point_x(point), y if _is_near(point) else 1 - y) for point in points]
    )
    raised = grid.pose.locate(grid.pose.project(places, 2 * THICKNESS), THICKNESS) - places
    way = np.array([(1, 1 if _is_near(point) else -1) for point in points])
    return np.asarray(raised * way / _field_per_pixel(grid))


def _field_per_pixel(grid: Grid) -> Floats:
    """(2,) field coordinates x and y that one pixel of a strip spans."""
    pixel = grid.layout.point_width / PITCH
    return np.array([pixel, pixel / grid.pose.aspect])


def _is_near(point: int) -> bool:
    return point <= 12
