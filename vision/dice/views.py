"""The two views in which dice are found and read, both rectified at a die's upper face.

`DicePlane` shows the whole board, a few pixels to a die. Close views ("crops") of single places are
cut from the camera's own pixels, 18 to a die's side, with their axes along the field's; each comes
with the local parallax of height.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Maps, Pose
from engine.arrays import Floats, Floats32, Image, Mask

CROP_SIZE: Final = 48
"""Side of a crop in pixels, large enough for a doubling cube's number as well."""
DIE_PIXELS: Final = 18
MAX_CENTER_OFFSET: Final = 6
"""Pixels from a crop's middle within which a die's center is searched."""
CROP_PARALLAX_SCALE: Final = 8.0
PLANE_MULTIPLE: Final = 16
"""Width and height of a plane are multiples of this, as the nets require."""


def crop_pixels(
    pose: Pose, places: Floats, side: float = USUAL_DIE_SIDE, turn: float = 0.0
) -> Floats:
    """(N, 48, 48, 2) camera pixels of the crops around (N, 2) field coordinates.

    `side`: of the dice, in field widths; the places are at that height. `turn`: radians by which
    the crops are turned clockwise against the field.
    """
    step = side / DIE_PIXELS
    offset = (np.arange(CROP_SIZE) - (CROP_SIZE - 1) / 2) * step
    right, down = np.meshgrid(offset, offset)
    right, down = _turned(right, down, turn)
    steps = np.stack([right, -down / pose.aspect], axis=-1)
    grid = (places[:, None, None] + steps).reshape(-1, 2)
    return pose.project(grid, side).reshape(len(places), CROP_SIZE, CROP_SIZE, 2)


def parallaxes(
    pose: Pose, places: Floats, side: float = USUAL_DIE_SIDE, turn: float = 0.0
) -> Floats:
    """(N, 2) shift at each place due to one die's height, in pixels of crops that are turned."""
    raised = pose.locate(pose.project(places, 2 * side), side) - places
    right, down = (raised * (1, -pose.aspect) * DIE_PIXELS / side).T
    return np.column_stack(_turned(right, down, -turn))


def _turned(right: Floats, down: Floats, turn: float) -> tuple[Floats, Floats]:
    """Directions in the picture, clockwise by `turn` radians."""
    cos, sin = np.cos(turn), np.sin(turn)
    return cos * right - sin * down, sin * right + cos * down


def cut_crops(
    image: Image, pose: Pose, places: Floats, side: float = USUAL_DIE_SIDE, turn: float = 0.0
) -> Floats32:
    """(N, 5, 48, 48) input of the die net around (N, 2) field coordinates.

    `image`: (H, W, 3) uint8 BGR of the pose's size. BGR / 255 - 0.5 and the view / 8, constant.
    `turn`: as in `crop_pixels`.
    """
    view = parallaxes(pose, places, side, turn)
    return as_input(close_views(image, pose, places, side, turn), view)


def close_views(
    image: Image, pose: Pose, places: Floats, side: float = USUAL_DIE_SIDE, turn: float = 0.0
) -> Image:
    """(N, 48, 48, 3) uint8 BGR crops of a picture of the pose's size around (N, 2) places."""
    flat = crop_pixels(pose, places, side, turn).astype(np.float32).reshape(-1, CROP_SIZE, 2)
    cut = cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR,
                    borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return np.asarray(cut, np.uint8).reshape(-1, CROP_SIZE, CROP_SIZE, 3)


def as_input(crops: Image, view: Floats) -> Floats32:
    """(N, 5, 48, 48) input from (N, 48, 48, 3) crops and their (N, 2) views."""
    tensor = np.empty((len(crops), 5, CROP_SIZE, CROP_SIZE), np.float32)
    tensor[:, :3] = crops.transpose(0, 3, 1, 2) / np.float32(255) - np.float32(0.5)
    tensor[:, 3:] = (view / CROP_PARALLAX_SCALE)[:, :, None, None]
    return tensor


def quarter_turned(crops: Floats32) -> Floats32:
    """The (N, 5, 48, 48) crops rotated by a quarter turn."""
    out = np.rot90(crops, 1, (2, 3)).copy()  # a direction (x, y) becomes (y, -x)
    out[:, 3], out[:, 4] = out[:, 4].copy(), -out[:, 3]
    return out


class Box(NamedTuple):
    """Plane pixels from (left, top) to (right, bottom), exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def around(cls, mask: Mask) -> Box | None:
        """The smallest box with everything set in an (h, w) mask; None if nothing is."""
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
        """The box with a margin inside the picture, its edges at multiples of `multiple` pixels."""
        height, width = picture.shape[:2]
        left, top = (max(0, (edge - by) // multiple * multiple) for edge in self[:2])
        right, bottom = (-(-(edge + by) // multiple) * multiple for edge in self[2:])
        return Box(left, top, min(width, right), min(height, bottom))

    def holds(self, pixels: Floats) -> Mask:
        """(N,) which of (N, 2) pixels (x, y) are in it."""
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

        Pixels outside the camera's picture are black.
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
    """The plane for one camera: `side` pixels to a typical die, `margin` in field widths."""
    scale = side / USUAL_DIE_SIDE
    width, height = (
        round(scale * (span + 2 * margin)) // PLANE_MULTIPLE * PLANE_MULTIPLE
        for span in (1.0, pose.aspect)
    )
    plane = DicePlane(pose, (np.zeros(0, np.int16), np.zeros(0, np.uint16)), scale, margin)
    outer = np.array([(-0.5, height - 0.5), (width - 0.5, -0.5)])
    maps = pose.plane_maps((width, height), plane.to_field(outer), USUAL_DIE_SIDE)
    return DicePlane(pose, maps, scale, margin)
