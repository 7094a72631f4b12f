"""A close view of one spot at a die's scale, cut from the camera's own pixels.

The crop lies flat at the height of a die's upper face, its axes along the field's, 18 pixels to
a die's side; with it goes the way in which height shows there.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from engine.arrays import Floats, Image
from vision.dice.support import SIDE

Tensor = NDArray[np.float32]

CROP: Final = 48
"""Pixels of a crop's side: a doubling cube's number fits as well."""
SIDE_PX: Final = 18
ASIDE_PX: Final = 6
"""Pixels from a crop's middle as far as which a die's middle is looked for."""
VIEW_SCALE: Final = 8.0


def crop_pixels(pose: Pose, places: Floats, side: float = SIDE) -> Floats:
    """(N, 48, 48, 2) camera pixels of the crops around (N, 2) field coordinates.

    `side`: of the dice, field widths; the places are told at that height.
    """
    step = side / SIDE_PX
    offset = (np.arange(CROP) - (CROP - 1) / 2) * step
    x = places[:, 0, None, None] + np.broadcast_to(offset[None, None, :], (1, CROP, CROP))
    y = places[:, 1, None, None] - offset[None, :, None] / pose.aspect
    grid = np.stack(np.broadcast_arrays(x, y), axis=-1).reshape(-1, 2)
    return pose.project(grid, side).reshape(len(places), CROP, CROP, 2)


def views(pose: Pose, places: Floats, side: float = SIDE) -> Floats:
    """(N, 2) crop pixels by which one die's height moves what is above each place."""
    raised = pose.locate(pose.project(places, 2 * side), side) - places
    return np.asarray(raised * (1, -pose.aspect) * SIDE_PX / side)


def cut_crops(image: Image, pose: Pose, places: Floats, side: float = SIDE) -> Tensor:
    """(N, 5, 48, 48) input of the die net around (N, 2) field coordinates.

    `image`: (H, W, 3) uint8 BGR of the pose's size. BGR / 255 - 0.5 and the view / 8, constant.
    """
    return as_input(close_views(image, pose, places, side), views(pose, places, side))


def close_views(image: Image, pose: Pose, places: Floats, side: float = SIDE) -> Image:
    """(N, 48, 48, 3) uint8 BGR crops of a picture of the pose's size around (N, 2) places."""
    flat = crop_pixels(pose, places, side).astype(np.float32).reshape(-1, CROP, 2)
    cut = cv2.remap(image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR,
                    borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return np.asarray(cut, np.uint8).reshape(-1, CROP, CROP, 3)


def as_input(crops: Image, view: Floats) -> Tensor:
    """(N, 5, 48, 48) of (N, 48, 48, 3) crops and their (N, 2) views."""
    tensor = np.empty((len(crops), 5, CROP, CROP), np.float32)
    tensor[:, :3] = crops.transpose(0, 3, 1, 2) / np.float32(255) - np.float32(0.5)
    tensor[:, 3:] = (view / VIEW_SCALE)[:, :, None, None]
    return tensor


def quarter_turned(crops: Tensor) -> Tensor:
    """The (N, 5, 48, 48) crops a quarter turn further: what lies there is the same."""
    out = np.rot90(crops, 1, (2, 3)).copy()  # a direction (x, y) becomes (y, -x)
    out[:, 3], out[:, 4] = out[:, 4].copy(), -out[:, 3]
    return out
