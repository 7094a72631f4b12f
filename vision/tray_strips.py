"""The trays beside the field cut into the four strips that the trays' net reads.

One strip beside each quarter of the board, the rail first and the field's edge last; with it go
how unlike the set's two colours each pixel is, and the way in which height shows there.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.grid import THICKNESS
from calibration.pose import Pose
from vision.two_colours import lab_of

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Tensor = NDArray[np.float32]

CORNERS: Final = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Field x and y of the corner that each strip begins at."""
LENGTH, WIDTH = 176, 64
"""Pixels of a strip: half a tall field, and a wide tray."""
SCALE: Final = 380.0
"""Pixels per field width, as the points have them."""
BEFORE: Final = 8
"""Pixels of a strip before the rail."""
WITHIN: Final = 5
"""... and of the field beside it."""
LIFT_SCALE: Final = 8.0
UNLIKE: Final = 40.0
"""Difference in colour that the net is given as one, Lab."""
CHANNELS: Final = 7


def tray_pixels(pose: Pose) -> Floats:
    """(4, 176, 64, 2) camera pixels of the four strips, at the height of a checker's top."""
    out = np.empty((len(CORNERS), LENGTH, WIDTH, 2))
    along = (np.arange(LENGTH) - BEFORE + 0.5) / SCALE / pose.aspect
    beyond = (WIDTH - WITHIN - np.arange(WIDTH) - 0.5) / SCALE
    for index, (right, far) in enumerate(CORNERS):
        out[index, ..., 0] = (1 + beyond if right else -beyond)[None]
        out[index, ..., 1] = (1 - along if far else along)[:, None]
    return pose.project(out.reshape(-1, 2), THICKNESS).reshape(out.shape)


def shares_in_picture(pose: Pose) -> Floats:
    """(4,) share of each strip that the camera's picture shows."""
    at = tray_pixels(pose)
    inside = ((at > 0) & (at < np.array(pose.size) - 1)).all(axis=3)
    return np.asarray(inside.mean(axis=(1, 2)))


def tray_lifts(pose: Pose) -> Floats:
    """(4, 2) pixels across and along each strip by which a checker's thickness moves things."""
    y = 0.15 / pose.aspect
    places = np.array([(1.07 if right else -0.07, 1 - y if far else y) for right, far in CORNERS])
    raised = pose.locate(pose.project(places, 2 * THICKNESS), THICKNESS) - places
    way = np.array([(-1 if right else 1, -1 if far else 1) for right, far in CORNERS])
    return np.asarray(raised * way * (SCALE, SCALE * pose.aspect))


def tray_input(strips: Image, colours: Floats, lifts: Floats) -> Tensor:
    """(N, 7, 176, 64) input of the trays' net.

    `strips`: (N, 176, 64, 3) BGR; `colours`: (N, 2, 3) BGR of light's and dark's checkers there;
    `lifts`: (N, 2) as from `tray_lifts`.
    """
    tensor = np.empty((len(strips), CHANNELS, LENGTH, WIDTH), np.float32)
    tensor[:, :3] = strips.transpose(0, 3, 1, 2) / np.float32(255) - np.float32(0.5)
    seen = lab_of(strips.reshape(-1, WIDTH, 3)).reshape(strips.shape)
    known = lab_of(np.clip(np.rint(colours), 0, 255))
    for side in (0, 1):
        far = np.linalg.norm(seen - known[:, side, None, None], axis=3)
        tensor[:, 3 + side] = np.minimum(far / UNLIKE, 2)
    tensor[:, 5:] = (lifts / LIFT_SCALE)[:, :, None, None]
    return tensor
