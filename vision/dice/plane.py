"""The board laid flat at the height of a die's upper face, at so many pixels to a die.

Every die is of one size and square there, whatever the camera.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Maps, Pose
from engine.arrays import Floats, Image
from vision.dice.support import SIDE

MULTIPLE: Final = 16
"""Width and height of a plane are multiples of this, as the nets need."""


class Box(NamedTuple):
    """Plane pixels from (left, top) to before (right, bottom)."""

    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def around(cls, mask: NDArray[np.bool_]) -> Box | None:
        """The least box with all that is set in a (h, w) mask; None where nothing is."""
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if not len(rows):
            return None
        return cls(int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)

    @property
    def area(self) -> int:
        """How many pixels it has."""
        return (self.right - self.left) * (self.bottom - self.top)

    @property
    def part(self) -> tuple[slice, slice]:
        """Its rows and columns."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    def grown(self, by: int, picture: Image, multiple: int = 1) -> Box:
        """The box with a margin within the picture, its edges at multiples of some pixels."""
        height, width = picture.shape[:2]
        left, top = (max(0, (edge - by) // multiple * multiple) for edge in self[:2])
        right, bottom = (-(-(edge + by) // multiple) * multiple for edge in self[2:])
        return Box(left, top, min(width, right), min(height, bottom))

    def holds(self, pixels: Floats) -> NDArray[np.bool_]:
        """(N,) which of (N, 2) pixels (x, y) lie in it."""
        inside = (pixels >= (self.left - 0.5, self.top - 0.5)) & (
            pixels < (self.right - 0.5, self.bottom - 0.5)
        )
        return np.asarray(inside.all(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class DicePlane:
    """The map from the camera picture to the flat one."""

    pose: Pose
    maps: Maps
    scale: float
    """Plane pixels per field width."""
    margin: float
    """Field widths around the field that are shown as well."""

    def rectify(self, image: Image) -> Image:
        """(h, w, 3) uint8 BGR view of the board from a camera picture of the pose's size.

        What lies beyond the camera's picture is black.
        """
        return np.asarray(cv2.remap(image, *self.maps, cv2.INTER_LINEAR), np.uint8)

    def to_field(self, pixels: Floats) -> Floats:
        """(N, 2) field coordinates of (N, 2) plane pixels."""
        x = (pixels[:, 0] + 0.5) / self.scale - self.margin
        y = 1 + (self.margin - (pixels[:, 1] + 0.5) / self.scale) / self.pose.aspect
        return np.column_stack([x, y])

    def to_pixels(self, places: Floats) -> Floats:
        """(N, 2) plane pixels of (N, 2) field coordinates at the plane's height."""
        x = (places[:, 0] + self.margin) * self.scale - 0.5
        y = (self.margin + (1 - places[:, 1]) * self.pose.aspect) * self.scale - 0.5
        return np.column_stack([x, y])


@lru_cache(maxsize=4)
def dice_plane(pose: Pose, side: float, margin: float) -> DicePlane:
    """The plane for pictures of one camera: `side` pixels to a usual die, `margin` field widths."""
    scale = side / SIDE
    width, height = (
        round(scale * (span + 2 * margin)) // MULTIPLE * MULTIPLE for span in (1.0, pose.aspect)
    )
    plane = DicePlane(pose, (np.zeros(0, np.int16), np.zeros(0, np.uint16)), scale, margin)
    outer = np.array([(-0.5, height - 0.5), (width - 0.5, -0.5)])
    maps = pose.plane_maps((width, height), plane.to_field(outer), SIDE)
    return DicePlane(pose, maps, scale, margin)
