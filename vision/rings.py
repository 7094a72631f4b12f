"""Find checkers by their round edge alone, whatever their colour, in a rectified picture."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.appearance import Colours
from calibration.grid import PITCH, Grid
from calibration.strips import MARGIN, point_strip, strip_origin

Floats = NDArray[np.float64]
Map = NDArray[np.float32]

DIRECTIONS: Final = 24
DIAMETERS: Final = np.array([0.84, 0.88, 0.92, 0.96]) * PITCH
STEEP: Final = (
    14.0  # change of colour per pixel that counts in full: an edge's strength says little
)
APART: Final = 0.85  # diameters between two rings of one set
NOISES: Final = 2.5  # ... or this many times the texture's own, on cork and weave
SECTORS: Final = 8
WEAKEST: Final = 3
RING: Final = 0.85  # response from which a ring is a checker: chance ones stay under 0.8


def find_rings(colours: Colours, grid: Grid) -> tuple[Floats, Floats, float]:
    """(N, 2) rectified centres of what is round on a point, their responses, the diameter.

    Strongest first; the diameter is the one that suits them all best.
    """
    maps = [ring_response(colours, diameter) for diameter in DIAMETERS]
    tops = [np.sort(each[::2, ::2], axis=None)[-400:].mean() for each in maps]
    best = int(np.argmax(tops))
    centers, strengths = _peaks(maps[best], grid, APART * DIAMETERS[best])
    return centers, strengths, float(DIAMETERS[best])


def ring_response(colours: Colours, diameter: float) -> Map:
    """(h, w) 0..1 how much of a circle around each pixel is an edge that runs along it.

    The weakest sectors count: two sides of a triangle are half a circle, never all of it.
    """
    slopes = [cv2.Scharr(colours, cv2.CV_32F, *order) / 32 for order in ((1, 0), (0, 1))]
    noise = float(np.median(np.abs(slopes[0]).max(axis=2)))
    steepest = max(STEEP, NOISES * noise)
    sectors = np.zeros((SECTORS, *colours.shape[:2]), np.float32)
    for index in range(DIRECTIONS):
        angle = 2 * np.pi * index / DIRECTIONS
        x, y = np.cos(angle), np.sin(angle)
        across = np.abs(slopes[0] * x + slopes[1] * y).max(axis=2)
        steep = cv2.dilate(np.minimum(across / steepest, 1), np.ones((3, 3), np.uint8))
        shift = np.array([[1, 0, diameter / 2 * x], [0, 1, diameter / 2 * y]])
        sectors[index * SECTORS // DIRECTIONS] += cv2.warpAffine(
            steep, shift, steep.shape[::-1], flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        )
    weakest = np.partition(sectors, WEAKEST, axis=0)[:WEAKEST].mean(axis=0)
    return np.asarray(weakest * SECTORS / DIRECTIONS, np.float32)


def _peaks(response: Map, grid: Grid, apart: float) -> tuple[Floats, Floats]:
    """The strongest responses near the points' middle lines, none nearer than `apart`."""
    places = np.concatenate([_candidates(response, grid, point) for point in range(1, 25)])
    places = places[np.argsort(-places[:, 2])]
    kept: list[Floats] = []
    for place in places:
        if place[2] < RING:
            break
        if all(np.hypot(*(place[:2] - other[:2])) >= apart for other in kept):
            kept.append(place)
    found = np.array(kept).reshape(-1, 3)
    return found[:, :2], found[:, 2]


def _candidates(response: Map, grid: Grid, point: int) -> Floats:
    """(rows, 3) x, y and response of the best column in each row of a point's strip."""
    strip = point_strip(response, grid, point)
    side = MARGIN + 6
    middle = strip[:, side:-side]
    (left, start), step = strip_origin(grid, point)
    rows = np.arange(len(strip))
    x = left + side + middle.argmax(axis=1)
    return np.column_stack([x, start + step * rows, middle.max(axis=1)]).astype(float)
