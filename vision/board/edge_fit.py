"""Fits a field whose corners were marked to the edges of a picture, as a camera over a board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import cv2
import numpy as np

from calibration.layout import Layout, LayoutPlaces
from calibration.pose import Pose
from calibration.shape import (
    AXES_PER_CORNER,
    BAR_WIDTH_INDEX,
    CORNERS_TWICE,
    UNIT_SQUARE,
    BoardCamera,
    FitTerms,
    Proportions,
    shape_from_corners,
)
from calibration.sheet import Lens
from engine.arrays import Floats
from vision.board.edge_field import EdgeField, unit_normals

SEARCH_WIDTH: Final = 640
"""Width in pixels of the picture in which candidates are found."""
FRAME_WEIGHT: Final = 0.25
"""Weight of the rails' edges, which are above the felt and appear slightly displaced."""
PRIOR_COST_WEIGHT: Final = 0.02
"""Score lost per unit of `BoardCamera.prior_cost`."""
CORNER_WEIGHT: Final = 3.0
"""Weight of a corner's mark in the working picture, in edge samples."""
MAX_POINTS_ACROSS: Final = 24
"""Points side by side across the narrowest picture in which a board can be read."""
MIN_FIELD_SHARE: Final = 0.01
"""Minimum fraction of the picture that a field covers: no camera is fitted to collinear corners."""
MAX_CORNER_DISTANCE: Final = 4.0
"""Long sides of the picture within which its corners lie: beyond, a quadrilateral is seen from the
plane that it lies in."""
MAX_CORNER_MISFIT: Final = 0.05
"""Maximum distance between a quad's corners and those of the fitted board, in picture widths."""
MAX_SAME_SHIFT: Final = 0.006
"""Maximum distance between the corners of two fits to one field, in picture widths: a fifth of a
point."""
BORDER: Final = 0.025
"""Width in field widths of a usual border around the points."""
EDGE_SAMPLES: Final = 8
COARSE_REACH, FINE_REACH = (0.35, 0.25, 0.15), (0.15, 0.1, 0.06)
"""Rounds of edge search, in point widths: half a point would reach the neighbor's edge."""
FRAME_SAMPLES: Final = 20
_SHARES: Final = np.linspace(0.06, 0.88, EDGE_SAMPLES)
_FRAME_SHARES: Final = np.linspace(0.06, 0.88, FRAME_SAMPLES)
AHEAD: Final = 0.02
"""Fraction of an edge's length over which its direction in the picture is measured."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedField:
    """A field being fitted."""

    shape: BoardCamera
    marked: Floats
    """(4, 2) pixels where its corners were marked, in the order of `Pose.corners`."""
    score: float = -1.0
    """Mean agreement of the model's edges with the picture's, -1..1, less what is unusual."""

    def with_bar(self, bar: float) -> FittedField:
        """The field with another bar width, in field widths."""
        vector = self.shape.vector.copy()
        vector[BAR_WIDTH_INDEX] = bar
        return FittedField(replace(self.shape, vector=vector), self.marked)

    def with_layout_of(self, other: FittedField) -> FittedField:
        """The field with the other one's bar and points."""
        vector = self.shape.vector.copy()
        vector[BAR_WIDTH_INDEX:] = other.shape.vector[BAR_WIDTH_INDEX:]
        return FittedField(replace(self.shape, vector=vector), self.marked)

    def resized(self, size: tuple[int, int]) -> FittedField:
        """The field in the picture at another size."""
        scale = size[0] / self.shape.size[0]
        return FittedField(self.shape.resized(size), (self.marked + 0.5) * scale - 0.5)

    def is_same(self, other: FittedField) -> bool:
        """Whether both are the same field in a picture, up to a half turn."""
        mine, theirs = self.shape.pose.corners(), other.shape.pose.corners()
        shift = min(np.abs(np.roll(mine, turn, axis=0) - theirs).max() for turn in (0, 2))
        return bool(shift < MAX_SAME_SHIFT * self.shape.size[0])


def plausible(
    quad: Floats,
    size: tuple[int, int],
    lens: Lens | None,
    board: Proportions | None,
    *,
    is_wide: bool = False,
) -> Iterator[FittedField]:
    """The field with such corners, (4, 2) pixels, if a camera can see one so."""
    if np.abs(quad).max() > MAX_CORNER_DISTANCE * max(size):
        return
    hull = cv2.convexHull(quad.astype(np.float32))
    if len(hull) != 4 or cv2.contourArea(hull) < MIN_FIELD_SHARE * size[0] * size[1]:
        return
    shape = shape_from_corners(quad, size, lens, board, is_wide=is_wide)
    if np.abs(shape.pose.corners() - quad).max() < MAX_CORNER_MISFIT * max(size):
        yield FittedField(shape, quad)


def neighbours(found: FittedField, field: EdgeField, margin: float) -> Iterator[FittedField]:
    """The fields with one end, or one corner, a point further in or out, each with ordinary points.

    The edge of a tray resembles the edge of the field, and the 24 points resemble each other. Only
    those whose score, before they are fitted, is less than `margin` below that of the field found.
    """
    for ends in ((0, 3), (1, 2), (0,), (1,), (2,), (3,)):
        for step in (-1, 1):
            places = UNIT_SQUARE.copy()
            places[list(ends), 0] += step * found.shape.layout.point_width
            yield from _moved(found, places, field, found.score - margin)


def without_border(found: FittedField, field: EdgeField) -> Iterator[FittedField]:
    """The field whose points begin further in, if they match better even before it is fitted.

    A line or band that is printed around the points resembles the edge of the field.
    """
    shape = found.shape
    inward = np.where(UNIT_SQUARE > 0.5, -1, 1) * (0, BORDER / shape.pose.aspect)
    own = agreement(shape.pose, shape.layout, field)
    for one in _moved(found, UNIT_SQUARE + inward, field, own):
        yield one.with_layout_of(found)


def _moved(
    found: FittedField, places: Floats, field: EdgeField, least: float
) -> Iterator[FittedField]:
    """The field with its corners at (4, 2) places in the one found, if its edges agree so well."""
    shape = found.shape
    if agreement(shape.pose, shape.layout, field, places) > least:
        quad = shape.pose.project(places)
        yield from plausible(quad, shape.size, shape.lens, shape.board, is_wide=shape.is_wide)


def refine(
    candidates: Iterable[FittedField], field: EdgeField, reaches: tuple[float, ...]
) -> Iterator[FittedField]:
    """Each candidate fitted to the edges within ever shorter `reaches`, in point widths."""
    for found in candidates:
        shape = found.shape
        for reach in reaches:
            shape = _fitted_to_edges(shape, found.marked, field, reach)
        score = agreement(shape.pose, shape.layout, field) - PRIOR_COST_WEIGHT * shape.prior_cost
        yield FittedField(shape, found.marked, score)


def _fitted_to_edges(
    shape: BoardCamera, marked: Floats, field: EdgeField, reach: float
) -> BoardCamera:
    """The shape fitted to the edges found within `reach` point widths of its own.

    And to its marked corners: edges alone do not determine how far a point extends under a rail.
    """
    pixels, tangents = _model_edges(shape.pose, shape.layout)
    pitch = shape.pose.pixels_per_width((0.5, 0.5)) * shape.layout.point_width
    radius = max(2.0, min(reach * pitch, max(shape.size) / MAX_POINTS_ACROSS))
    offsets, trust = field.nearest_edges(pixels, tangents, radius)
    trust[48 * EDGE_SAMPLES :] *= FRAME_WEIGHT
    normals = unit_normals(tangents)
    targets = np.sum((pixels * normals), axis=1) + offsets
    weight = np.sqrt(np.where(trust > 0.1, trust, 0))
    corner_weight = CORNER_WEIGHT * SEARCH_WIDTH / max(shape.size)
    terms = FitTerms(
        _fit_places(),
        np.concatenate([(normals * weight[:, None]).T, corner_weight * AXES_PER_CORNER], axis=1),
        np.concatenate([targets * weight, corner_weight * marked.ravel()]),
    )
    return shape.fitted(terms, rough=reach > 0.3)


@cache
def _fit_places() -> LayoutPlaces:
    """Samples along the edges, then the field's corners, each twice."""
    return LayoutPlaces.of(lambda layout: np.concatenate([_edge_samples(layout)[0], CORNERS_TWICE]))


def agreement(pose: Pose, layout: Layout, field: EdgeField, corners: Floats | None = None) -> float:
    """Agreement, -1..1, of a board's edges with those of a picture.

    `corners`: (4, 2) where in the pose's field the corners of the board are, if not in its own.
    """
    pixels, tangents = _model_edges(pose, layout, corners)
    seen = field.agreement(pixels, tangents)
    points, frame = seen[: 48 * EDGE_SAMPLES].mean(), seen[48 * EDGE_SAMPLES :].mean()
    return float((1 - FRAME_WEIGHT) * points + FRAME_WEIGHT * frame)


def _model_edges(
    pose: Pose, layout: Layout, corners: Floats | None = None
) -> tuple[Floats, Floats]:
    """(N, 2) pixels of samples along every edge of the board, and the edges' directions there."""
    places = _edge_places().at(layout)[0].T
    if corners is not None:
        moved, _ = cv2.findHomography(UNIT_SQUARE, corners)
        places = np.asarray(cv2.perspectiveTransform(places[None], moved)[0], np.float64)
    here, ahead = np.split(pose.project(places), 2)
    return here, ahead - here


@cache
def _edge_places() -> LayoutPlaces:
    """Samples along every edge, then a little further along the edge from each."""

    def both(layout: Layout) -> Floats:
        places, runs = _edge_samples(layout)
        return np.concatenate([places, places + AHEAD * runs])

    return LayoutPlaces.of(both)


def _edge_samples(layout: Layout) -> tuple[Floats, Floats]:
    """(N, 2) samples along every edge, and the edge's direction there."""
    points = _along(layout.edges(), _SHARES)
    frame = _along(layout.frame_lines(), _FRAME_SHARES)
    places, runs = (np.concatenate(both) for both in zip(points, frame, strict=True))
    return places, runs


def _along(lines: Floats, share: Floats) -> tuple[Floats, Floats]:
    """(N * S, 2) places at S fractions along (N, 2, 2) lines, and their lines' directions."""
    runs = lines[:, 1:] - lines[:, :1]
    places = lines[:, :1] + runs * share[None, :, None]
    return places.reshape(-1, 2), np.broadcast_to(runs, places.shape).reshape(-1, 2)
