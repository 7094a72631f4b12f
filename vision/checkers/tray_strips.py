"""The trays beside the field cut into the four strips that the trays' net reads.

One strip beside each quarter of the board, the rail first and the field's edge last.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.grid import THICKNESS
from calibration.pose import Pose
from engine.arrays import Floats
from vision.checkers.coloured_strips import shares_shown

CORNERS: Final = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Field x and y of the corner that each strip begins at."""
LENGTH, WIDTH = 256, 96
"""Pixels of a strip: half a tall field, and a wide tray."""
SCALE: Final = 560.0
"""Pixels per field width, as in a board that fills half the picture: a second layer of checkers
leans a few pixels aside of the first."""
BEFORE: Final = 12
"""Pixels of a strip before the rail."""
WITHIN: Final = 7
"""... and of the field beside it."""


def tray_pixels(pose: Pose, shift: int = 0) -> Floats:
    """(4, 256, 96, 2) camera pixels of the four strips, at the height of a checker's top.

    `shift`: pixels of the strip by which it begins earlier.
    """
    out = np.empty((len(CORNERS), LENGTH, WIDTH, 2))
    along = (np.arange(LENGTH) - BEFORE - shift + 0.5) / SCALE / pose.aspect
    beyond = (WIDTH - WITHIN - np.arange(WIDTH) - 0.5) / SCALE
    for index, (right, far) in enumerate(CORNERS):
        out[index, ..., 0] = (1 + beyond if right else -beyond)[None]
        out[index, ..., 1] = (1 - along if far else along)[:, None]
    return pose.project(out.reshape(-1, 2), THICKNESS).reshape(out.shape)


def shares_in_picture(pose: Pose) -> Floats:
    """(4,) share of each strip that the camera's picture shows."""
    return shares_shown(tray_pixels(pose), pose.size)


def tray_lifts(pose: Pose) -> Floats:
    """(4, 2) pixels across and along each strip by which a checker's thickness moves things."""
    y = 0.15 / pose.aspect
    places = np.array([(1.07 if right else -0.07, 1 - y if far else y) for right, far in CORNERS])
    raised = pose.locate(pose.project(places, 2 * THICKNESS), THICKNESS) - places
    way = np.array([(-1 if right else 1, -1 if far else 1) for right, far in CORNERS])
    return np.asarray(raised * way * (SCALE, SCALE * pose.aspect))
