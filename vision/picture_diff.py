"""What has changed between two pictures of one still view, but for noise: nothing is recognised.

What stands where nothing changed was read already, and reading it again gives the same answer.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Image, Mask

GRAIN: Final = 3
"""Pixels of the square over which noise is averaged."""
NOTICED: Final = 8
"""Grey levels, in any colour of such a mean, that noise and compression do not reach: the noise of
a camera in the dark, 4 levels, gives 2; dice and checkers like what they lie on differ by more."""


def smoothed(picture: Image) -> Image:
    """The (h, w, 3) picture without its noise, as `changes` wants it."""
    return np.asarray(cv2.blur(picture, (GRAIN, GRAIN)), np.uint8)


def changes(before: Image, after: Image) -> Mask:
    """(h, w) where two smoothed (h, w, 3) pictures differ."""
    is_like = cv2.inRange(cv2.absdiff(before, after), (0, 0, 0), (NOTICED, NOTICED, NOTICED))
    return np.asarray(np.asarray(is_like) == 0)
