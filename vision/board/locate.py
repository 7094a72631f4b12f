"""Finds the playing field in a picture of an unknown board.

A net marks corners, the bar's ends and tips; the likeliest fields are refined as a camera over a
board until the edges of the 24 points match the picture's. If they do not match, there is no board.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from calibration.layout import Layout
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
from engine.arrays import Floats, Image
from engine.message import msg
from vision.board.edge_field import EdgeField, edge_field, unit_normals
from vision.board.keypoints import detect_keypoints
from vision.errors import BoardNotFound

SEARCH_WIDTH: Final = 640
"""Width in pixels of the picture in which candidates are found."""
MAX_QUADS, MAX_REFINED = 3, 2
"""Number of fields refined in the small picture, and of those in the full one."""
FRAME_WEIGHT: Final = 0.25
"""Weight of the rails' edges, which are above the felt and appear slightly displaced."""
PRIOR_COST_WEIGHT: Final = 0.02
"""Score lost per unit of `BoardCamera.prior_cost`."""
CONFIDENT_SCORE: Final = 0.8
"""Score from which no neighboring field is tried."""
CLEAR_MARGIN: Final = 0.06
"""How much better such a field must score."""
MIN_AGREEMENT: Final = 0.45
"""Minimum agreement with the edges of a board at a known place: 0.66-0.85 on still clips, and under
0.3 after the camera was nudged by a sixth of a point."""
MIN_BOARD_SCORE: Final = 0.45
"""Minimum score of a board; chance finds stay below, see the tests."""
CORNER_WEIGHT: Final = 6.0
"""Weight of a corner's mark in the working picture, in edge samples."""
MAX_POINTS_ACROSS: Final = 24
"""Points side by side across the narrowest picture in which a board can be read."""
MIN_FIELD_SHARE: Final = 0.01
"""Minimum fraction of the picture that a field covers: no camera is fitted to collinear corners."""
MAX_CORNER_MISFIT: Final = 0.05
"""Maximum distance between a quad's corners and those of the fitted board, in picture widths."""
LINE_BAR_WIDTH: Final = 0.01
"""Width in field widths of a bar that is only a line: started from a typical bar, its fit gets
stuck."""
AROUND_MARGIN: Final = 0.2
"""Field widths around a field that are examined with it: its rails and trays."""
MAX_CLOSER_SHARE: Final = 0.75
"""Maximum fraction of the picture's width and height that these fill: more would add little
detail."""
CUT_MARGIN: Final = 0.03
"""How much better a board must score with a shifted principal point than with one in the middle of
the picture."""
MIN_REST_SHARE: Final = 0.25
"""Fraction of the picture from which the area to one side of a board is searched for another."""
SURE_BOARD_SCORE: Final = 0.6
"""Minimum score of a board without other support."""
EDGE_SAMPLES: Final = 8
COARSE_REACH, FINE_REACH = (0.35, 0.25, 0.15), (0.15, 0.1, 0.06)
"""Rounds of edge search, in point widths: half a point would reach the neighbor's edge."""
FRAME_SAMPLES: Final = 20
_SHARES: Final = np.linspace(0.06, 0.88, EDGE_SAMPLES)
_FRAME_SHARES: Final = np.linspace(0.06, 0.88, FRAME_SAMPLES)


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A field that was found; it is not known yet which end belongs to whom."""

    pose: Pose
    layout: Layout
    score: float
    """Mean agreement of the model's edges with the picture's, -1..1."""


def locate_board(
    image: Image, lens: Lens | None = None, board: Proportions | None = None
) -> Located:
    """Find the playing field in an (H, W, 3) BGR picture; raises `BoardNotFound` if there is none.

    Without a `lens`, focal length and distortion are fitted too, and for a board that fills little
    of the picture, whether that was cropped from a larger one; `board`: its proportions, if known.
    """
    best = _likeliest(image, lens, board)
    part = None if best is None else _part_around(best.pose, image)
    if best is not None and part is not None:
        best = _seen_closer(image, part, best, lens, board)
    if best is None or not best.score >= MIN_BOARD_SCORE:  # a board at infinity has no score at all
        raise BoardNotFound(
            msg(
                "no board found: show the whole board, from directly above or at up to 45 "
                "degrees, in even light"
            )
        )
    return best


@np.errstate(over="ignore", invalid="ignore")  # without a board, a fit runs to infinity
def _likeliest(image: Image, lens: Lens | None, board: Proportions | None) -> Located | None:
    """The field best supported by the picture, whether or not that suffices."""
    small = _shrunk(image)
    edges = edge_field(small, 1.2, 1.0)
    candidates = list(_candidates(small, lens, board))
    ranked, wide = _best(_refine(candidates, edges, COARSE_REACH)), []
    if ranked and ranked[0].score < CONFIDENT_SCORE:
        barless = (found.with_bar(LINE_BAR_WIDTH) for found in candidates if board is None)
        ranked = _best([*_refine(barless, edges, COARSE_REACH), *ranked])
        beside = _refine(_neighbours(ranked[0]), edges, COARSE_REACH)
        better = [found for found in beside if found.score > ranked[0].score + CLEAR_MARGIN]
        ranked = _best([*better, *ranked])
        if lens is None:
            bulging = _candidates(small, None, board, is_wide=True)
            wide = _best(_refine(bulging, edges, COARSE_REACH))[:1]
    fine = edge_field(image, 1.2, 1.0)
    size = (image.shape[1], image.shape[0])
    finest = _refine((found.resized(size) for found in (*ranked, *wide)), fine, FINE_REACH)
    # A wide lens explains more than others, even if it is wrong.
    best = max(finest, key=lambda one: one.score - one.shape.is_wide * CLEAR_MARGIN, default=None)
    return None if best is None else best.located


def _part_around(pose: Pose, image: Image) -> tuple[slice, slice] | None:
    """Rows and columns of the board and its surroundings, if they fill little of the picture."""
    corners = pose.corners(AROUND_MARGIN)
    if not np.isfinite(corners).all():
        return None
    size = image.shape[1::-1]
    least = np.clip(corners.min(axis=0), 0, size).astype(int)
    end = np.clip(corners.max(axis=0) + 1, 0, size).astype(int)
    share = (end - least) / size
    if share.max() > MAX_CLOSER_SHARE or share.min() == 0:
        return None
    return slice(least[1], end[1]), slice(least[0], end[0])


@np.errstate(over="ignore", invalid="ignore")
def _seen_closer(
    image: Image,
    part: tuple[slice, slice],
    first: Located,
    lens: Lens | None,
    board: Proportions | None,
) -> Located:
    """The field found `first`, or as found in the part of the picture around it.

    The net's marks are only as precise as the picture that it gets. And if a picture was cropped
    from a larger one, the lens's axis may be anywhere: the board supports that by a clearly better
    score.
    """
    cut = _likeliest(np.ascontiguousarray(image[part]), None, board)
    if cut is None:
        return first
    size = (image.shape[1], image.shape[0])
    cut = replace(cut, pose=cut.pose.within(size, (part[1].start, part[0].start)))
    again = _refine(
        _plausible(cut.pose.corners(), size, lens, board), edge_field(image, 1.2, 1.0), FINE_REACH
    )
    best = max((first, *(one.located for one in again)), key=lambda one: one.score)
    return cut if lens is None and cut.score > best.score + CUT_MARGIN else best


def is_another_beside(image: Image, pose: Pose) -> bool:
    """Whether an (H, W, 3) BGR picture certainly shows another board beside that of the pose.

    Searched only where the known board leaves room for another.
    """
    outline, (height, width) = pose.corners(), image.shape[:2]
    left, above = np.maximum(outline.min(axis=0), 0).astype(int)
    right, below = outline.max(axis=0).astype(int)
    every = image[:, :left], image[:, right:], image[:above], image[below:]
    roomy = [rest for rest in every if rest[..., 0].size > MIN_REST_SHARE * height * width]
    found = (_likeliest(np.ascontiguousarray(rest), None, None) for rest in roomy)
    return any(one is not None and one.score >= SURE_BOARD_SCORE for one in found)


def edge_agreement(image: Image, pose: Pose, layout: Layout) -> float:
    """Agreement, -1..1, of a known board's edges with those in an (H, W, 3) BGR picture."""
    return _agreement(pose, layout, edge_field(image, 1.2, 1.0))


def locate_from_corners(image: Image, corners: Floats, lens: Lens | None = None) -> Located:
    """The field with corners marked by hand, (4, 2) pixels in any order.

    It is fitted to the picture's edges; raises `BoardNotFound` if no board can have such corners.
    """
    size = (image.shape[1], image.shape[0])
    away = corners - corners.mean(axis=0)
    around = corners[np.argsort(-np.arctan2(away[:, 1], away[:, 0]))]
    turned = [np.roll(around, turn, axis=0) for turn in (0, 1)]
    candidates = [found for quad in turned for found in _plausible(quad, size, lens, None)]
    finest = _refine(candidates, edge_field(image, 1.2, 1.0), FINE_REACH)
    best = max(finest, key=lambda found: found.score, default=None)
    if best is None:
        raise BoardNotFound(
            msg(
                "these cannot be the corners of a board: mark the corners of the playing field, "
                "where the felt meets the rails"
            )
        )
    return best.located


def _shrunk(image: Image) -> Image:
    scale = SEARCH_WIDTH / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A field being fitted."""

    shape: BoardCamera
    marked: Floats
    """(4, 2) pixels where its corners were marked, in the order of `Pose.corners`."""
    score: float = -1.0

    @property
    def located(self) -> Located:
        """The field as fitted so far."""
        return Located(self.shape.pose, self.shape.layout, self.score)

    def with_bar(self, bar: float) -> _Candidate:
        """The field with another bar width, in field widths."""
        vector = self.shape.vector.copy()
        vector[BAR_WIDTH_INDEX] = bar
        return _Candidate(replace(self.shape, vector=vector), self.marked)

    def resized(self, size: tuple[int, int]) -> _Candidate:
        """The field in the picture at another size."""
        scale = size[0] / self.shape.size[0]
        return _Candidate(self.shape.resized(size), (self.marked + 0.5) * scale - 0.5)


def _best(fields: list[_Candidate]) -> list[_Candidate]:
    return sorted(fields, key=lambda found: -found.score)[:MAX_REFINED]


def _candidates(
    small: Image, lens: Lens | None, board: Proportions | None, *, is_wide: bool = False
) -> Iterator[_Candidate]:
    size = (small.shape[1], small.shape[0])
    for quad in detect_keypoints(small).quads(MAX_QUADS):
        yield from _plausible(quad, size, lens, board, is_wide=is_wide)


def _plausible(
    quad: Floats,
    size: tuple[int, int],
    lens: Lens | None,
    board: Proportions | None,
    *,
    is_wide: bool = False,
) -> Iterator[_Candidate]:
    """The field with such corners, if a camera can see one so."""
    hull = cv2.convexHull(quad.astype(np.float32))
    if len(hull) != 4 or cv2.contourArea(hull) < MIN_FIELD_SHARE * size[0] * size[1]:
        return
    shape = shape_from_corners(quad, size, lens, board, is_wide=is_wide)
    if np.abs(shape.pose.corners() - quad).max() < MAX_CORNER_MISFIT * max(size):
        yield _Candidate(shape, quad)


def _neighbours(found: _Candidate) -> Iterator[_Candidate]:
    """The field with one end, or one corner, a point further in or out.

    The edge of a tray resembles the edge of the field, and the 24 points resemble each other.
    """
    shape = found.shape
    for ends in ((0, 3), (1, 2), (0,), (1,), (2,), (3,)):
        for step in (-1, 1):
            places = UNIT_SQUARE.copy()
            places[list(ends), 0] += step * shape.layout.point_width
            quad = shape.pose.project(places)
            yield from _plausible(quad, shape.size, shape.lens, shape.board, is_wide=shape.is_wide)


def _refine(
    candidates: Iterable[_Candidate], field: EdgeField, reaches: tuple[float, ...]
) -> list[_Candidate]:
    refined = []
    for found in candidates:
        shape = found.shape
        for reach in reaches:
            shape = _fitted_to_edges(shape, found.marked, field, reach)
        refined.append(_Candidate(shape, found.marked, _score(shape, field)))
    return refined


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
        _fit_places,
        np.concatenate([normals * weight[:, None], corner_weight * AXES_PER_CORNER]),
        np.concatenate([targets * weight, corner_weight * marked.ravel()]),
    )
    return shape.fitted(terms, rough=reach > 0.3)


def _fit_places(layout: Layout) -> Floats:
    """(N, 2) places of samples along the edges, then of the field's corners, each twice."""
    return np.concatenate([_model_places(layout)[0], CORNERS_TWICE])


def _score(shape: BoardCamera, field: EdgeField) -> float:
    return _agreement(shape.pose, shape.layout, field) - PRIOR_COST_WEIGHT * shape.prior_cost


def _agreement(pose: Pose, layout: Layout, field: EdgeField) -> float:
    pixels, tangents = _model_edges(pose, layout)
    agreement = field.agreement(pixels, tangents)
    points, frame = agreement[: 48 * EDGE_SAMPLES].mean(), agreement[48 * EDGE_SAMPLES :].mean()
    return float((1 - FRAME_WEIGHT) * points + FRAME_WEIGHT * frame)


def _model_edges(pose: Pose, layout: Layout) -> tuple[Floats, Floats]:
    """(N, 2) pixels of samples along every edge of the board, and the edges' directions there."""
    places, runs = _model_places(layout)
    pixels = pose.project(places)
    return pixels, pose.project(places + runs * 0.02) - pixels


@lru_cache(maxsize=2)
def _model_places(layout: Layout) -> tuple[Floats, Floats]:
    """(N, 2) samples along every edge, and the edge's direction there; shared by many fits."""
    points = _along(layout.edges(), _SHARES)
    frame = _along(layout.frame_lines(), _FRAME_SHARES)
    places, runs = (np.concatenate(both) for both in zip(points, frame, strict=True))
    places.setflags(write=False)
    runs.setflags(write=False)
    return places, runs


def _along(lines: Floats, share: Floats) -> tuple[Floats, Floats]:
    """(N * S, 2) places at S fractions along (N, 2, 2) lines, and their lines' directions."""
    runs = lines[:, 1:] - lines[:, :1]
    places = lines[:, :1] + runs * share[None, :, None]
    return places.reshape(-1, 2), np.broadcast_to(runs, places.shape).reshape(-1, 2)
