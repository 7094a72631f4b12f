"""Find the playing field in a picture of which nothing is known.

Lines give quads, quads are scored by how well the 24 points' edges agree with the picture's,
the best are refined as a camera over a board until every edge sits where it is drawn. No
colour is used, so the set and the lamp do not matter; hands hide some edges, not all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.layout import Layout
from calibration.pose import Pose
from calibration.shape import Shape, shape_from_corners
from vision.edges import EdgeField, edge_field
from vision.errors import BoardNotFound
from vision.quads import homographies, quads_of_lines
from vision.segments import line_segments, longest_lines, two_families

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

WORKING_WIDTH: Final = 640  # pixels of the picture in which candidates are sought
LINES: Final = 20  # longest lines a direction: a board shows about ten, the table some more
SHORTLIST, REFINED, POLISHED = 400, 12, 3
TRIAL_LAYOUTS: Final = [
    Layout(bar, length, 0.95) for bar in (0.055, 0.08, 0.1) for length in (0.38, 0.42)
]
FRAME_WEIGHT: Final = 0.25  # rails stand above the felt, so their edges sit a little beside it
STRAIN_WEIGHT: Final = 0.02  # score lost per unit of `Shape.unlikeliness`
TRUSTED: Final = 0.45  # score from which a find is a board; chance finds stay below, see tests
SAMPLES: Final = 8
COARSE_REACH: Final = (0.35, 0.25, 0.15)  # rounds of edge search, in point widths: a reach of
FINE_REACH: Final = (0.15, 0.1, 0.06)  # half a point would meet the neighbour's edge
FRAME_SAMPLES: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A field found; which end is whose home is not known yet."""

    pose: Pose
    layout: Layout
    score: float
    """-1..1 mean agreement of the model's edges with the picture's."""


def locate_board(image: Image) -> Located:
    """The playing field in a (H, W, 3) BGR picture; `BoardNotFound` if there is none."""
    small = _shrunk(image)
    coarse = _polished(_candidates(small), edge_field(small, 1.2, 1.0), COARSE_REACH)
    ranked = sorted(coarse, key=lambda pair: -pair[0])[:POLISHED]
    fine = edge_field(image, 1.2, 1.0)
    size = (image.shape[1], image.shape[0])
    finest = _polished((shape.resized(size) for _, shape in ranked), fine, FINE_REACH)
    score, best = max(finest, key=lambda pair: pair[0], default=(-1.0, None))
    if best is None or score < TRUSTED:
        raise BoardNotFound(
            "no board found: show the whole board, from above or at up to 45 degrees, in even light"
        )
    return Located(best.pose, best.layout, score)


def edge_agreement(image: Image, pose: Pose, layout: Layout) -> float:
    """-1..1 how well the edges of a known board agree with those of a (H, W, 3) BGR picture."""
    return _agreement(pose, layout, edge_field(image, 1.2, 1.0))


def locate_from_corners(image: Image, corners: Floats) -> Located:
    """The field whose corners somebody pointed at, (4, 2) pixels in any order.

    Drawn to the picture's edges; which sides are the rails is what agrees better with them.
    """
    size = (image.shape[1], image.shape[0])
    away = corners - corners.mean(axis=0)
    around = corners[np.argsort(-np.arctan2(away[:, 1], away[:, 0]))]
    shapes = [shape_from_corners(np.roll(around, turn, axis=0), size) for turn in (0, 1)]
    finest = _polished(shapes, edge_field(image, 1.2, 1.0), FINE_REACH)
    score, best = max(finest, key=lambda pair: pair[0])
    return Located(best.pose, best.layout, score)


def _shrunk(image: Image) -> Image:
    scale = WORKING_WIDTH / max(image.shape[:2])
    small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _candidates(small: Image) -> Iterator[Shape]:
    """The shapes of the most promising quads, no two of them nearly the same."""
    size = (small.shape[1], small.shape[0])
    along, across = two_families(line_segments(small))
    quads = quads_of_lines(longest_lines(along, LINES), longest_lines(across, LINES), size)
    taken: list[Floats] = []
    for quad in quads[_ranking(quads, edge_field(small, 1.2, 1.0))]:
        twins = (np.roll(quad, turn, axis=0) for turn in (0, 2))
        if any(np.abs(twin - other).max() < 5 for twin in twins for other in taken):
            continue
        taken.append(quad)
        yield shape_from_corners(quad, size)
        if len(taken) == REFINED:
            return


def _ranking(quads: Floats, field: EdgeField) -> NDArray[np.intp]:
    """Indices of the quads by the agreement of their best layout, best first."""
    maps = homographies(quads)
    rough = _agreements(maps, Layout(0.075, 0.4, 0.95), field, 4)
    short = np.argsort(-rough)[:SHORTLIST]
    scores = [_agreements(maps[short], layout, field, SAMPLES) for layout in TRIAL_LAYOUTS]
    return np.asarray(short[np.argsort(-np.max(scores, axis=0))])


def _agreements(maps: Floats, layout: Layout, field: EdgeField, samples: int) -> Floats:
    """(N,) mean agreement of the points' edges under each homography."""
    places, runs = _along(layout.edges(), samples)
    flat = np.column_stack([places, np.ones(len(places))]) @ maps.transpose(0, 2, 1)
    pixels = flat[..., :2] / flat[..., 2:]
    slope = runs @ maps[:, :, :2].transpose(0, 2, 1)
    tangents = (slope[..., :2] - pixels * slope[..., 2:]) / flat[..., 2:]
    return np.asarray(field.agreement(pixels, tangents).mean(axis=1))


def _polished(
    shapes: Iterable[Shape], field: EdgeField, reaches: tuple[float, ...]
) -> list[tuple[float, Shape]]:
    refined = []
    for shape in shapes:
        for reach in reaches:
            shape = _drawn_to_edges(shape, field, reach)  # noqa: PLW2901  each round starts there
        refined.append((_score(shape, field), shape))
    return refined


def _drawn_to_edges(shape: Shape, field: EdgeField, reach: float) -> Shape:
    """The shape moved so that its edges meet those found within `reach` point widths of them."""
    pixels, tangents = _model_edges(shape.pose, shape.layout)
    pitch = shape.pose.pixels_per_width((0.5, 0.5)) * shape.layout.point_width
    radius = max(2.0, reach * pitch)
    offsets, trust = field.nearest_edges(pixels, tangents, radius)
    trust[48 * SAMPLES :] *= FRAME_WEIGHT
    length = np.linalg.norm(tangents, axis=1, keepdims=True) + 1e-9
    normals = np.column_stack([-tangents[:, 1], tangents[:, 0]]) / length
    targets = np.sum((pixels * normals), axis=1) + offsets
    weight = np.sqrt(np.where(trust > 0.1, trust, 0))

    def residuals(trial: Shape) -> Floats:
        moved = trial.pose.project(_model_places(trial.layout)[0])
        return np.asarray((np.sum(moved * normals, axis=1) - targets) * weight)

    return shape.fitted(residuals, rough=reach > 0.3)


def _score(shape: Shape, field: EdgeField) -> float:
    return _agreement(shape.pose, shape.layout, field) - STRAIN_WEIGHT * shape.unlikeliness


def _agreement(pose: Pose, layout: Layout, field: EdgeField) -> float:
    pixels, tangents = _model_edges(pose, layout)
    agreement = field.agreement(pixels, tangents)
    points, frame = agreement[: 48 * SAMPLES].mean(), agreement[48 * SAMPLES :].mean()
    return float((1 - FRAME_WEIGHT) * points + FRAME_WEIGHT * frame)


def _model_edges(pose: Pose, layout: Layout) -> tuple[Floats, Floats]:
    """(N, 2) pixels of samples along every edge of the board and the edges' directions there."""
    places, runs = _model_places(layout)
    pixels = pose.project(places)
    return pixels, pose.project(places + runs * 0.02) - pixels


def _model_places(layout: Layout) -> tuple[Floats, Floats]:
    points = _along(layout.edges(), SAMPLES)
    frame = _along(layout.frame_lines(), FRAME_SAMPLES)
    return np.concatenate([points[0], frame[0]]), np.concatenate([points[1], frame[1]])


def _along(lines: Floats, samples: int) -> tuple[Floats, Floats]:
    """(N * samples, 2) places spread along (N, 2, 2) lines, and their lines' directions."""
    share = np.linspace(0.06, 0.88, samples)[None, :, None]
    runs = lines[:, 1:] - lines[:, :1]
    places = lines[:, :1] + runs * share
    return places.reshape(-1, 2), np.broadcast_to(runs, places.shape).reshape(-1, 2)
