"""What the upper face of a die looks like, and crops of a picture in which it is a square.

Lengths are in sides of the face; a crop shows the plane of the upper faces from straight above,
so that a die that lies flat is a square whatever the camera's tilt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose

Floats = NDArray[np.float64]
Maps = NDArray[np.float32]
Image = NDArray[np.uint8]

SIDE: Final = 0.0266
"""Side of a die in field widths: 14.5-16 mm on fields of 53-61 cm, so 0.024-0.028."""
SCALE: Final = 15.0
"""Pixels per side in a crop: the middle of what a 720p view shows (11-25)."""
CROP: Final = 52
"""Side of a crop, pixels: a die (15 x sqrt 2 with its corners) wherever its middle lies within
0.9 sides of the crop's."""
_PIP_PLACE: Final = 0.245  # middle of the face to a row of pips
_PIP_SPREAD: Final = 0.105  # Gaussian radius of a pip as the sensor sees it, lens blur included
_BLUR: Final = 0.05  # of the crop before it is sampled: half a lattice step
_SHADING: Final = 0.2  # radius of what counts as shading: over a pip, under a face
_PITCH: Final = 0.115  # of the lattice
_REACH: Final = 0.43  # of the lattice from the middle: the rounded edge is left out

_PIPS: Final = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, 1), (1, -1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, 1), (0, 0), (1, -1)),
    ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
    ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, -1), (0, 1)),
)


@dataclass(frozen=True, slots=True, eq=False)
class Faces:
    """The nine patterns of the six values (two, three and six look different when turned)."""

    lattice: Floats
    """(N, 2) points inside the face."""
    patterns: Floats
    """(2, 9, N) of unit length: as they are, and without shading."""
    swings: Floats
    """(9,) contrast between pip and body for one unit of each pattern."""


def make_faces() -> Faces:
    """The patterns as a 720p camera sees them."""
    steps = np.arange(-4, 5) * _PITCH
    lattice = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)
    lattice = lattice[np.linalg.norm(lattice, axis=1) < _REACH]
    plain = np.stack([_pattern(lattice, pips, _PIP_SPREAD, 1.0) for pips in _PIPS])
    wide = float(np.hypot(_PIP_SPREAD, _SHADING))
    shading = np.stack([_pattern(lattice, p, wide, (_PIP_SPREAD / wide) ** 2) for p in _PIPS])
    swings = 1 / np.linalg.norm(_level(plain), axis=1)
    return Faces(lattice, np.stack([_unit(plain), _unit(plain - shading)]), swings)


def _pattern(
    lattice: Floats, pips: tuple[tuple[int, int], ...], spread: float, top: float
) -> Floats:
    apart = lattice[None] - np.array(pips)[:, None] * _PIP_PLACE
    return np.asarray(top * np.exp(-np.sum(apart**2, -1) / (2 * spread**2)).sum(0))


def _level(patterns: Floats) -> Floats:
    """Free of their mean; their slope is none, for every face is the same upside down."""
    return np.asarray(patterns - patterns.mean(1, keepdims=True))


def _unit(patterns: Floats) -> Floats:
    level = _level(patterns)
    return np.asarray(level / np.linalg.norm(level, axis=1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False)
class Crops:
    """Pieces of one picture, each around a place where a die may lie."""

    centers: Floats
    """(K, 2) image pixels of the middle of each."""
    steps: Floats
    """(K, 2, 2) image pixels of one crop pixel to the right (rows 0) and down (rows 1)."""
    pictures: Image
    """(K, CROP, CROP, 3) uint8 BGR."""

    def to_image(self, crop: int, places: Floats) -> Floats:
        """(N, 2) image pixels of (N, 2 or more) places in one crop, x and y first."""
        return np.asarray(
            self.centers[crop] + (places[..., :2] - (CROP - 1) / 2) @ self.steps[crop]
        )

    @property
    def sides(self) -> Floats:
        """(K,) a die's side in image pixels, the mean of both directions."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.steps))) * SCALE)


def cut(image: Image, pose: Pose, centers: Floats) -> Crops:
    """A crop around each of (K, 2) image pixels."""
    places, step = pose.locate(centers, SIDE), SIDE / SCALE
    right = pose.project(places + np.array([step, 0]), SIDE) - centers
    down = pose.project(places - np.array([0, step / pose.aspect]), SIDE) - centers
    steps = np.stack([right, down], axis=1)
    axis = np.arange(CROP) - (CROP - 1) / 2
    grid = np.stack(np.meshgrid(axis, axis), -1)
    where = (centers[:, None, None] + grid @ steps[:, None]).astype(np.float32)
    flat = where.reshape(-1, CROP, 2)
    taken = cv2.remap(
        image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return Crops(centers, steps, np.asarray(taken, np.uint8).reshape(-1, CROP, CROP, 3))


def measure(crops: Crops) -> Maps:
    """(K, 4, CROP, CROP) what the search looks at, see `die_kernels.search`."""
    tall = crops.pictures.reshape(-1, CROP, 3)
    gray = cv2.cvtColor(tall, cv2.COLOR_BGR2GRAY).astype(np.float32)
    level = cv2.GaussianBlur(gray, (0, 0), _BLUR * SCALE)
    shading = cv2.GaussianBlur(level, (0, 0), _SHADING * SCALE)
    maps = [level, level - shading, *_steepest(tall)]
    return np.ascontiguousarray(np.stack(maps).reshape(4, -1, CROP, CROP).swapaxes(0, 1))


def _steepest(picture: Image) -> list[Maps]:
    """Slope in x and y, at each pixel of the colour channel where it is steepest."""
    smooth = cv2.GaussianBlur(picture, (0, 0), 0.8)
    best = np.zeros(picture.shape[:2], np.float32)
    slopes = [best, best]
    for channel in cv2.split(smooth):
        pair = [cv2.Sobel(channel, cv2.CV_32F, dx, 1 - dx, ksize=3, scale=0.25) for dx in (1, 0)]
        steepness = pair[0] ** 2 + pair[1] ** 2
        steeper = steepness > best
        best = np.maximum(best, steepness)
        slopes = [np.where(steeper, *both) for both in zip(pair, slopes, strict=True)]
    return slopes
