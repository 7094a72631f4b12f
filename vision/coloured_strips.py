"""Strips of a picture as nets see them that know the set's two colours and where height leans.

Beside the strip itself goes how unlike light's and dark's checkers each of its pixels is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.board_strips import LIFT_SCALE
from vision.two_colours import lab_of

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Tensor = NDArray[np.float32]

UNLIKE: Final = 40.0
"""Difference in colour that a net is given as one, Lab."""
CHANNELS: Final = 7


def coloured_input(strips: Image, colours: Floats, lifts: Floats) -> Tensor:
    """(N, 7, h, w) input of the trays' and of the bar's net.

    `strips`: (N, h, w, 3) BGR; `colours`: (N, 2, 3) BGR of light's and dark's checkers there;
    `lifts`: (N, 2) pixels across and along each strip by which a checker's thickness moves things.
    """
    count, length, width = strips.shape[:3]
    tensor = np.empty((count, CHANNELS, length, width), np.float32)
    tensor[:, :3] = strips.transpose(0, 3, 1, 2) / np.float32(255) - np.float32(0.5)
    seen = lab_of(strips.reshape(-1, width, 3)).reshape(strips.shape)
    known = lab_of(np.clip(np.rint(colours), 0, 255))
    for side in (0, 1):
        far = np.linalg.norm(seen - known[:, side, None, None], axis=3)
        tensor[:, 3 + side] = np.minimum(far / UNLIKE, 2)
    tensor[:, 5:] = (lifts / LIFT_SCALE)[:, :, None, None]
    return tensor
