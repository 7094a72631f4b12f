"""Strips of a picture as nets see them that know the set's two colours and where height leans.

Beside the strip itself goes how unlike light's and dark's checkers each of its pixels is.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Image
from vision.checkers.side_colours import lab_of
from vision.checkers.strips import PARALLAX_SCALE

COLOUR_DISTANCE_SCALE: Final = 40.0
"""Difference in colour that a net is given as one, Lab."""
INPUT_CHANNELS: Final = 7


def coloured_input(strips: Image, colours: Floats, lifts: Floats) -> Floats32:
    """(N, 7, h, w) input of the nets of the trays, of the bar and of stacks.

    `strips`: (N, h, w, 3) BGR; `colours`: (N, 2, 3) BGR of light's and dark's checkers there;
    `lifts`: (N, 2) pixels across and along each strip by which a checker's thickness moves things.
    """
    count, length, width = strips.shape[:3]
    tensor = np.empty((count, INPUT_CHANNELS, length, width), np.float32)
    tensor[:, :3] = strips.transpose(0, 3, 1, 2) / np.float32(255) - np.float32(0.5)
    seen = cv2.split(lab_of(strips.reshape(-1, width, 3)))
    planes = [plane.reshape(count, length, width) for plane in seen]
    known = lab_of(np.clip(np.rint(colours), 0, 255))
    for side in (0, 1):
        far = np.zeros((count, length, width), np.float32)
        for plane, colour in zip(planes, known[:, side].T, strict=True):
            far += np.square(plane - colour[:, None, None])
        tensor[:, 3 + side] = np.minimum(np.sqrt(far) / np.float32(COLOUR_DISTANCE_SCALE), 2)
    tensor[:, 5:] = (lifts / PARALLAX_SCALE)[:, :, None, None]
    return tensor


def strips_at(image: Image, at: Floats) -> Image:
    """(N, h, w, 3) BGR of a (H, W, 3) picture at (N, h, w, 2) of its pixels, x and y.

    What lies beyond the picture is like its edge.
    """
    places = at.astype(np.float32)
    out = np.empty((*at.shape[:3], 3), np.uint8)
    for strip, pixels in zip(out, places, strict=True):
        cv2.remap(image, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, strip,
                  borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return out


def visible_shares(at: Floats, size: tuple[int, int]) -> Floats:
    """(N,) share of (N, h, w, 2) pixels that a picture of `size`, width and height, holds."""
    inside = ((at > 0) & (at < np.array(size) - 1)).all(axis=3)
    return np.asarray(inside.mean(axis=(1, 2)))
