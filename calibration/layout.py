"""Where each place is on the playing field, in proportions that differ from set to set.

Field coordinates: x in 0..1 along the rails, y in 0..1 from light's rail to dark's. Light's
ace point is at x near 1, y near 0; light's points 1..12 run along y = 0 toward x = 0, points
13..24 along y = 1 back to x = 1. The bar is in the middle of x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from engine.arrays import Floats, Mask

USUAL_DIE_SIDE: Final = 0.0265
"""Side of a typical die, in field widths: 12.5-16 mm on boards 53-61 cm wide."""
_COLUMNS: Final = np.array([*range(11, -1, -1), *range(12)])
"""The column of each of light's points 1..24, as `Layout.column_x` counts them."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The proportions of one board."""

    bar: float = 0.08
    """Width of the bar, in field widths."""
    point_length: float = 0.4
    """Length of a point from rail to tip, in field heights."""
    fill: float = 1.0
    """Width of a painted point at the rail, in point widths: below 1 if felt shows in between."""
    blunt: float = 0.0
    """Width of a painted point at its tip, relative to its width at the rail: 0 if it is sharp."""

    @property
    def point_width(self) -> float:
        """Width of a point at the rail, in field widths."""
        return (1 - self.bar) / 12

    def point_x(self, point: int) -> float:
        """The x of the center line of light's point 1..24."""
        column = 12 - point if point <= 12 else point - 13
        return self.column_x(column)

    def column_x(self, column: int) -> float:
        """The x of the center line of column 0..11 from x = 0; the bar is between 5 and 6."""
        return (column + 0.5) * self.point_width + (self.bar if column >= 6 else 0.0)

    def base(self, point: int) -> tuple[float, float]:
        """Field coordinates of the middle of the wide end of light's point 1..24."""
        return self.point_x(point), 0.0 if point <= 12 else 1.0

    def tip(self, point: int) -> tuple[float, float]:
        """Field coordinates of the narrow end of light's point 1..24."""
        length = self.point_length
        return self.point_x(point), length if point <= 12 else 1.0 - length

    def edges(self) -> Floats:
        """(48, 2, 2) field coordinates of every point's two long edges, from rail to tip."""
        half = self.point_width * self.fill / 2
        middles = (_COLUMNS + 0.5) * self.point_width + np.where(_COLUMNS >= 6, self.bar, 0.0)
        edges = np.empty((24, 2, 2, 2))
        for side, way in enumerate((-half, half)):
            edges[:, side, 0, 0] = middles + way
            edges[:, side, 1, 0] = middles + way * self.blunt
        edges[:12, :, 0, 1], edges[12:, :, 0, 1] = 0.0, 1.0
        edges[:12, :, 1, 1], edges[12:, :, 1, 1] = self.point_length, 1.0 - self.point_length
        return edges.reshape(48, 2, 2)

    def frame_lines(self) -> Floats:
        """(6, 2, 2) field coordinates of the field's four sides and the bar's two sides."""
        left, right = 0.5 - self.bar / 2, 0.5 + self.bar / 2
        return np.array(
            [
                ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((0, 0), (0, 1)), ((1, 0), (1, 1)),
                ((left, 0), (left, 1)), ((right, 0), (right, 1)),
            ],
            dtype=float,
        )  # fmt: skip


_PROPORTIONS: Final = len(fields(Layout))
_SUBSETS: Final = np.array(list(np.ndindex((2,) * _PROPORTIONS)), np.bool_)
"""(16, 4) every subset of the proportions."""


@dataclass(frozen=True, slots=True, eq=False)
class LayoutPlaces:
    """Places that depend on a board's proportions and are linear in each of them.

    Kept as one polynomial for each coordinate, so that a fit gets them and their derivatives by a
    single product of matrices.
    """

    factors: Mask
    """(K, 4) the proportions whose product each term of the polynomials contains."""
    terms: Floats
    """(K, 2 N) the coefficients: all x, then all y."""

    @classmethod
    def of(cls, places: Callable[[Layout], Floats]) -> LayoutPlaces:
        """The places that a function gives as (N, 2) field coordinates of a layout."""
        terms = np.stack([places(Layout(*subset)).T.ravel() for subset in _SUBSETS.astype(float)])
        for proportion in range(_PROPORTIONS):  # from values at 0 and 1 to a constant and a slope
            with_it = _SUBSETS[:, proportion]
            terms[with_it] -= terms[~with_it]
        kept = (np.abs(terms) > 1e-12).any(axis=1)
        return cls(_SUBSETS[kept], terms[kept])

    def at(self, layout: Layout) -> tuple[Floats, Floats]:
        """(2, N) field coordinates x and y, and (4, 2, N) their derivatives by each proportion."""
        proportions = layout.bar, layout.point_length, layout.fill, layout.blunt
        parts = np.where(self.factors, proportions, 1.0)
        every = np.repeat(parts[None], 1 + _PROPORTIONS, axis=0)
        for proportion in range(_PROPORTIONS):
            every[1 + proportion, :, proportion] = self.factors[:, proportion]
        found = (every.prod(axis=2) @ self.terms).reshape(1 + _PROPORTIONS, 2, -1)
        return found[0], found[1:]
