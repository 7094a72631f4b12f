"""Strips of the rectified picture: one per point, rail at row 0, and the bar's halves.

Every point looks the same in its strip, so that what is learned on one applies to all.
"""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibration.grid import PADDING, POINT_PITCH, Grid

STRIP_MARGIN: Final = 6
"""Pixels beyond a point's edges: sloppy checkers overlap the neighbor by up to a fifth."""
STRIP_WIDTH: Final = POINT_PITCH + 2 * STRIP_MARGIN

Scalar = TypeVar("Scalar", bound=np.generic)


def strip_length(grid: Grid) -> int:
    """Rows of a strip: half the field's height."""
    return grid.field_size[1] // 2


def point_strip(picture: NDArray[Scalar], grid: Grid, point: int) -> NDArray[Scalar]:
    """(length, WIDTH, ...) view of light's point 1..24 in a (h, w, ...) rectified picture."""
    strip = _columns(picture, grid, grid.layout.point_x(point))[PADDING:-PADDING]
    rows = strip_length(grid)
    return strip[: -rows - 1 : -1] if point <= 12 else strip[:rows]


def strip_origin(grid: Grid, point: int) -> tuple[tuple[int, int], int]:
    """Rectified pixel (x, y) of the strip's first element, and the step in y between its rows."""
    left = _left(grid, grid.layout.point_x(point))
    return ((left, grid.size[1] - PADDING - 1), -1) if point <= 12 else ((left, PADDING), 1)


def bar_strip(picture: NDArray[Scalar], grid: Grid) -> NDArray[Scalar]:
    """(rows, WIDTH, ...) view of the whole bar in a rectified picture; dark's rail at row 0."""
    return _columns(picture, grid, 0.5)[PADDING:-PADDING]


def _columns(picture: NDArray[Scalar], grid: Grid, x: float) -> NDArray[Scalar]:
    left = _left(grid, x)
    return picture[:, left : left + STRIP_WIDTH]


def _left(grid: Grid, x: float) -> int:
    """Rectified column at which the strip around field coordinate x begins."""
    return round(x * grid.field_size[0] - 0.5) + PADDING - STRIP_WIDTH // 2


def slot_rows(count: int, diameter: float) -> NDArray[np.float64]:
    """(count,) rows of the strip at the centers of touching checkers, starting at the rail."""
    return np.asarray((np.arange(count) + 0.5) * diameter - 0.5)
