"""Fits a camera and a board's proportions to measurements in a picture.

A vector of thirteen numbers describes both, so that every fit in the program shares its parameters,
its priors and its solver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.layout import Layout, LayoutPlaces
from calibration.linearised import linearised
from calibration.pose import Pose
from calibration.robust_fit import cauchy, fit_robustly, soft_l1
from calibration.sheet import Lens
from engine.arrays import Floats

# log(focal / picture width), radial, rotation 3, translation 3, log aspect, bar, length, fill,
# blunt.
# Means and spreads for ordinary cameras and boards; a spread of inf means no prior.
_MEAN: Final = np.array([np.log(1.05), 0, 0, 0, 0, 0, 0, 0, np.log(0.84), 0.075, 0.4, 0.93, 0.05])
_SPREAD: Final = np.array([0.35, 0.03, *[np.inf] * 6, 0.07, 0.03, 0.04, 0.06, 0.1])
_WIDE: Final = -0.3, 0.15
"""Mean and spread of the radial coefficient of a wide lens."""
_OF_BOARD: Final = 8
"""The first of the board's own numbers, and how well they are known for a board seen before."""
_KNOWN_SPREAD: Final = np.array([0.01, 0.003, 0.01, 0.03, 0.03])
_RADIAL_INDEX: Final = 1
BAR_WIDTH_INDEX: Final = 9
"""Index of the bar's width in a shape's vector, field widths."""
_OF_LENS: Final = 2
"""Number of lens parameters at the start, which are fixed if the lens is known."""
_PRIOR_WEIGHT: Final = 5.0
"""Edges err together (bevels, shadows): a prior counts as much as this many edges."""
UNIT_SQUARE: Final = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
"""The field's corners, in the order of `Pose.corners`."""
CORNERS_TWICE: Final = np.repeat(UNIT_SQUARE, 2, axis=0)
"""(8, 2) each corner twice, once for each axis."""
AXES_PER_CORNER: Final = np.tile(np.eye(2), len(UNIT_SQUARE))
"""(2, 8) the directions in which the corners are fitted: x, then y."""
_CORNERS: Final = LayoutPlaces.of(lambda _: CORNERS_TWICE)


@dataclass(frozen=True, slots=True, eq=False)
class FitTerms:
    """The terms of a fit: the distance of each place on the board from where it was measured."""

    places: LayoutPlaces
    """N places on the felt."""
    along: Floats
    """(2, N) the image direction in which each place is measured, times its weight."""
    wanted: Floats
    """(N,) the measured pixels projected onto `along`."""

    def linearised(self, shape: BoardCamera) -> tuple[Floats, Floats]:
        """(N,) weighted pixels, and (13, N) their derivatives by the shape's vector."""
        places, ways = self.places.at(shape.layout)
        seen, by_camera, by_place = linearised(shape.pose, places, self.along)
        of_board = ways[:, 0] * by_place[0] + ways[:, 1] * by_place[1]
        slopes = np.concatenate([by_camera, of_board * shape.is_free[:, None]])
        return seen - self.wanted, slopes


@dataclass(frozen=True, slots=True)
class Proportions:
    """The proportions of a board, whatever the camera."""

    aspect: float
    """Height of the field divided by its width."""
    layout: Layout


@dataclass(frozen=True, slots=True, eq=False)
class BoardCamera:
    """A camera over a board with certain proportions."""

    vector: Floats
    """(13,) the numbers listed at the top of the module."""
    size: tuple[int, int]
    """Width and height of the picture, pixels."""
    lens: Lens | None = None
    """The known lens, as in `vector`; None for the prior of ordinary lenses."""
    board: Proportions | None = None
    """The proportions measured earlier; None for the prior of ordinary boards."""
    is_wide: bool = False
    """Whether an unknown lens is a wide one, whose picture bulges."""

    @property
    def pose(self) -> Pose:
        """The camera; light's home is not known yet, so `mirrored` is False."""
        v = [float(value) for value in self.vector]
        return Pose(
            size=self.size,
            focal=float(np.exp(v[0])) * self.size[0],
            radial=v[1],
            rotation=(v[2], v[3], v[4]),
            translation=(v[5], v[6], v[7]),
            aspect=float(np.exp(v[8])),
        )

    @property
    def layout(self) -> Layout:
        """The proportions of the board."""
        bar, length, fill, blunt = (float(value) for value in self.vector[BAR_WIDTH_INDEX:])
        return Layout(max(0.0, bar), length, fill, max(0.0, blunt))

    @property
    def prior_cost(self) -> float:
        """Mean squared deviation from the priors, in their spreads; 0 for the ordinary board."""
        return float(np.mean(self.prior_residuals**2))

    def resized(self, size: tuple[int, int]) -> BoardCamera:
        """The same camera with a picture of another size and the same proportions."""
        return replace(self, size=size)

    def fitted(self, terms: FitTerms, *, rough: bool, rounds: int = 8) -> BoardCamera:
        """The most probable shape near this one, given the terms.

        `rough` gives distant edges more weight (soft-L1); otherwise (Cauchy) they are all but
        ignored.
        """
        # Held fixed, not by a narrow prior: under these losses, a poor start escapes from one.
        held, free = np.split(self.vector, [0 if self.lens is None else _OF_LENS])
        pulls = _PRIOR_WEIGHT * self.prior_jacobian.T

        def linearised(free: Floats) -> tuple[Floats, Floats]:
            shape = replace(self, vector=np.concatenate([held, free]))
            seen, slopes = terms.linearised(shape)
            residuals = np.concatenate([seen, _PRIOR_WEIGHT * shape.prior_residuals])
            return residuals, np.concatenate([slopes, pulls], axis=1)[len(held) :]

        best = fit_robustly(linearised, free, soft_l1 if rough else cauchy, rounds)
        return replace(self, vector=np.concatenate([held, best]))

    @property
    def prior_residuals(self) -> Floats:
        """(7,) deviations from the priors, in units of their spreads."""
        mean, spread = _prior(self.lens, self.board, is_wide=self.is_wide)
        kept = np.isfinite(spread)
        return np.asarray(((self.vector - mean) / spread)[kept])

    @property
    def prior_jacobian(self) -> Floats:
        """(7, 13) derivatives of `prior_residuals` with respect to the vector."""
        _, spread = _prior(self.lens, self.board, is_wide=self.is_wide)
        return np.asarray(np.diag(1 / spread)[np.isfinite(spread)])

    @property
    def is_free(self) -> NDArray[np.bool_]:
        """(4,) whether each proportion of the layout counts: a width below 0 counts as 0."""
        return np.array([self.vector[BAR_WIDTH_INDEX] >= 0, True, True, self.vector[-1] >= 0])


def shape_from_corners(
    corners: Floats,
    size: tuple[int, int],
    lens: Lens | None = None,
    board: Proportions | None = None,
    *,
    is_wide: bool = False,
) -> BoardCamera:
    """The shape whose field has `corners`: (4, 2) pixels, in the order of `Pose.corners`."""
    vector, _ = _prior(lens, board, is_wide=is_wide)
    corners = np.asarray(corners, float)
    vector[2:9] = _posed(corners, size, float(np.exp(vector[0]) * size[0]), float(vector[1]))
    return BoardCamera(vector, size, lens, board, is_wide).fitted(
        FitTerms(_CORNERS, AXES_PER_CORNER, corners.ravel()), rough=True, rounds=30
    )


def _posed(corners: Floats, size: tuple[int, int], focal: float, radial: float) -> Floats:
    """(7,) rotation, translation and log aspect of the field seen with `corners` by that lens.

    The two sides of a field are the first columns of a homography, and the ratio of their lengths
    is its aspect (Zhang 2000, section 3.1), so that a board of any proportions starts from where it
    is seen.
    """
    matrix = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])
    bend = np.array([radial, 0, 0, 0])
    rays = cv2.undistortPoints(corners[:, None], matrix, bend)[:, 0]
    columns, _ = cv2.findHomography(UNIT_SQUARE, rays)
    columns = columns * np.sign(columns[2, 2]) / np.linalg.norm(columns[:, 0])
    along, up = columns[:, 0], columns[:, 1]
    aspect = float(np.linalg.norm(up))
    left, _, right = np.linalg.svd(np.column_stack([along, up / aspect]), full_matrices=False)
    sides = left @ right
    turn = np.column_stack([sides, np.cross(sides[:, 0], sides[:, 1])])
    rotation = np.asarray(cv2.Rodrigues(turn)[0]).ravel()
    return np.concatenate([rotation, columns[:, 2], [np.log(aspect)]])


def _prior(lens: Lens | None, board: Proportions | None, *, is_wide: bool) -> tuple[Floats, Floats]:
    """(13,) means and spreads of the ordinary camera and board, except for what is known."""
    mean, spread = _MEAN.copy(), _SPREAD.copy()
    if is_wide:
        mean[_RADIAL_INDEX], spread[_RADIAL_INDEX] = _WIDE
    if lens is not None:
        mean[:_OF_LENS] = np.log(lens.focal_widths), lens.radial
    if board is not None:
        layout = board.layout
        mean[_OF_BOARD] = np.log(board.aspect)
        mean[BAR_WIDTH_INDEX:] = layout.bar, layout.point_length, layout.fill, layout.blunt
        spread[_OF_BOARD:] = _KNOWN_SPREAD
    return mean, spread
