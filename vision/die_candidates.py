"""Where a die may lie: places with pips, or places that changed.

Both search a small picture of the plane of the dice's upper faces, the field and the table
around it, at ten pixels a side whatever the camera's tilt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from vision.die_template import SIDE

Floats = NDArray[np.float64]
Maps = NDArray[np.float32]
Image = NDArray[np.uint8]

AROUND: Final = 0.24
"""Field widths searched beyond the rails: trays (0.15) and the table next to the frame."""
_SCALE: Final = 10.0  # pixels per side: a pip is two pixels wide
_COARSE: Final = 8  # the maps are smooth: every eighth point, the rest between them
_PIP: Final = 0.9  # Gaussian radius of a pip here, pixels
_BRIGHTEST: Final = 20.0  # curvature that counts: a lamp's reflection is no better than a pip
_CHANGED: Final = 9.0  # grey levels, mean over a die; noise and compression leave 2-5
_APART: Final = 3  # no two candidates closer: 0.3 sides


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The map from a picture to the small one."""

    pose: Pose
    size: tuple[int, int]
    """Width and height of the small picture, pixels."""
    maps: tuple[Maps, Maps]
    """(h, w) each: x and y in the image."""

    def take(self, image: Image) -> Image:
        """(h, w, 3) uint8 small picture."""
        soft = cv2.GaussianBlur(image, (3, 3), 0)
        return np.asarray(cv2.remap(soft, *self.maps, cv2.INTER_LINEAR), np.uint8)

    def inside(self) -> NDArray[np.bool_]:
        """(h, w) whether the camera sees the place, a little from the picture's edge."""
        x, y = self.maps
        width, height = self.pose.size
        return np.asarray((x >= 2) & (y >= 2) & (x < width - 3) & (y < height - 3))

    def to_image(self, spots: NDArray[np.intp]) -> Floats:
        """(N, 2) image pixels of (N, 2) pixels of the small picture."""
        x, y = self.maps
        return np.stack([x[spots[:, 1], spots[:, 0]], y[spots[:, 1], spots[:, 0]]], 1).astype(float)


def make_plane(pose: Pose) -> Plane:
    """The small picture's map for one camera."""
    pixels = _SCALE / SIDE
    width, height = round((1 + 2 * AROUND) * pixels), round((pose.aspect + 2 * AROUND) * pixels)
    edge = np.array([AROUND, AROUND / pose.aspect])
    box = np.array([-edge, edge + 1])
    coarse = pose.plane_maps((width // _COARSE, height // _COARSE), box, SIDE)
    x, y = (cv2.resize(part, (width, height)).astype(np.float32) for part in coarse)
    return Plane(pose, (width, height), (x, y))


def pip_spots(plane: Plane, image: Image, most: int) -> Floats:
    """(N, 2) image pixels of the places richest in pips, the best first."""
    richness = _richness(plane.take(image))
    return plane.to_image(_peaks(np.where(plane.inside(), richness, 0), most))


def changed_spots(plane: Plane, image: Image, background: Image, most: int) -> Floats:
    """(N, 2) image pixels of the places richest in pips that `background` has not."""
    now, before = plane.take(image), plane.take(background)
    apart = cv2.absdiff(now, before).max(axis=-1)
    changed = _gathered(apart.astype(np.float32)) > _CHANGED
    richness = np.where(plane.inside() & changed, _richness(now), 0)
    return plane.to_image(_peaks(richness, most))


def _richness(picture: Image) -> Maps:
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)
    return np.maximum(*(_gathered(blobs) for blobs in _blobs(gray)))


def _gathered(blobs: Maps) -> Maps:
    return np.asarray(cv2.GaussianBlur(blobs, (0, 0), 0.33 * _SCALE), np.float32)


def _blobs(gray: Maps) -> tuple[Maps, Maps]:
    """Bright and dark blobs: the smaller of the two curvatures, so that an edge counts nothing."""
    soft = cv2.GaussianBlur(gray, (0, 0), _PIP)
    bend, none, slope = (np.array(k, np.float32) for k in ([1, -2, 1], [1], [-0.5, 0, 0.5]))
    xx, yy = cv2.sepFilter2D(soft, -1, bend, none), cv2.sepFilter2D(soft, -1, none, bend)
    xy = cv2.sepFilter2D(soft, -1, slope, slope)
    middle, radius = (xx + yy) / 2, cv2.magnitude((xx - yy) / 2, xy)
    dark, bright = middle - radius, -(middle + radius)
    return np.clip(bright, 0, _BRIGHTEST), np.clip(dark, 0, _BRIGHTEST)


def _peaks(picture: Maps, most: int) -> NDArray[np.intp]:
    """(N, 2) x and y of the highest local maxima."""
    around = np.ones((2 * _APART + 1, 2 * _APART + 1), np.uint8)
    rows, columns = np.nonzero((picture == cv2.dilate(picture, around)) & (picture > 0))
    order = np.argsort(-picture[rows, columns])[:most]
    return np.stack([columns[order], rows[order]], axis=1)
