"""The points of a board in the order in which a photo's label lists them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.grid import Grid
from engine.arrays import Floats

RAILS = ((0, 1), (3, 2))
"""Indices of the corners, as `Pose.corners` gives them, at both ends of each rail."""


@dataclass(frozen=True, slots=True, eq=False)
class PhotoRows:
    """How a board lies in a photo."""

    corners: Floats
    """(4, 2) pixels of the field's corners: upper left, upper right, lower right, lower left."""
    is_turned: bool
    """Whether the rows are those of the photo turned clockwise, because they run up and down."""
    cells: tuple[int, ...]
    """The grid's 24 cells: the far row, then the near one, each from left to right."""

    @classmethod
    def of(cls, grid: Grid) -> PhotoRows:
        """The rows of the board in `grid`."""
        corners = grid.pose.corners()
        along = corners[1] - corners[0] + corners[2] - corners[3]
        is_turned = bool(abs(along[1]) > abs(along[0]))
        seen = _turned(corners) if is_turned else corners
        rails = [pair if seen[pair[0], 0] < seen[pair[1], 0] else pair[::-1] for pair in RAILS]
        far, near = sorted(rails, key=lambda pair: float(seen[list(pair), 1].sum()))
        around = corners[[*far, near[1], near[0]]]
        bases = grid.pose.project(np.array([grid.layout.base(point) for point in range(1, 25)]))
        left = (_turned(bases) if is_turned else bases)[:, 0]
        rows = [range(12) if rail[0] in RAILS[0] else range(12, 24) for rail in (far, near)]
        return cls(
            np.roll(around, -1, axis=0) if is_turned else around,
            is_turned,
            tuple(cell for row in rows for cell in sorted(row, key=lambda cell: left[cell])),
        )


def _turned(pixels: Floats) -> Floats:
    """(N, 2) pixels after a quarter turn clockwise, around the picture's corner."""
    return np.column_stack([-pixels[:, 1], pixels[:, 0]])
