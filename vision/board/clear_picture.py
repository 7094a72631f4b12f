"""A dark or noisy picture made fit for the search of a board.

The finder's net learns from dark pictures as they are after this; and edges drown in the noise that
comes with a lack of light.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Image
from vision.picture_diff import blur_against

DARK_LEVEL: Final = 128.0
"""Level of the brightest pixels, of 255, below which a picture is brightened."""
BRIGHTEST: Final = 99.5
"""Percentile of the brightest pixels: a few may be glints."""
BRIGHTENED_LEVEL: Final = 235.0
KNOWN_NOISE: Final = 2.0
"""Standard deviation of noise, in gray levels, that does no harm."""
MIN_BLUR, MAX_BLUR = 0.6, 3.0
"""Standard deviations, in pixels, of the blur against noise: less is not worth it, more blurs away
the tips."""
GRAIN: Final = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
"""Immerkaer 1996: blind to planes and straight edges; it multiplies white noise by 6."""


def clear_picture(image: Image) -> Image:
    """An (H, W, 3) BGR picture as if by a longer exposure, and without strong noise."""
    image = brightened(image)
    blur = blur_against(noise_in(image), KNOWN_NOISE)
    if blur < MIN_BLUR:
        return image
    return np.asarray(cv2.GaussianBlur(image, (0, 0), min(blur, MAX_BLUR)), np.uint8)


def brightened(image: Image) -> Image:
    """An (H, W, 3) picture; a dark one with its brightest parts as bright as they should be."""
    brightest = float(np.percentile(image[::4, ::4].max(axis=2), BRIGHTEST))
    if brightest >= DARK_LEVEL:
        return image
    gain = BRIGHTENED_LEVEL / max(brightest, 1.0)
    return np.asarray(cv2.convertScaleAbs(image, alpha=gain), np.uint8)


def noise_in(image: Image) -> float:
    """Standard deviation in gray levels of the noise in an (H, W, 3) BGR picture."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    grain = np.abs(cv2.filter2D(grey, cv2.CV_32F, GRAIN))
    # The median, unlike the mean, is not raised by corners and texture.
    return float(np.median(grain)) / 0.6745 / 6
