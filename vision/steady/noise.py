"""How noisy each part of a stream is, measured from the stream itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats32, Image

BEGIN: Final = 1.0
"""Mean absolute difference in gray levels assumed before any was measured."""
RATE: Final = 0.08
"""Weight of each new measurement in the running mean: about a dozen frames count."""
OUTLIER: Final = 4.0
"""Multiple of the mean above which a difference is an event, not noise."""
STILL_SHARE: Final = 25
"""Percentage of the picture that is still whatever moves."""
MEAN_OF_QUARTILE: Final = 2.5
"""Mean absolute difference of normal noise, relative to that of its lowest quarter."""
NEAR: Final = 5
"""Side in pixels of the square that shares the noise of its worst pixel: the effect of a
registration error at an edge wanders by a pixel."""


class NoiseMap:
    """Mean absolute difference of two pictures between which nothing moved, per pixel."""

    def __init__(self, size: tuple[int, int]) -> None:
        """`size`: width and height of the pictures, in pixels."""
        self._mean: Floats32 = np.full(size[::-1], BEGIN, np.float32)

    def learn(self, step: Image) -> None:
        """Update with (h, w) absolute differences in gray levels; outliers hardly count."""
        change = OUTLIER * self._mean
        change += 1
        np.minimum(step, change, out=change, dtype=np.float32)
        change -= self._mean
        change *= RATE
        self._mean += change

    def learn_moving(self, step: Image) -> None:
        """The same during motion: only the noise that even the stillest quarter has.

        Without it, a stream that begins noisy would never be seen at rest.
        """
        least = MEAN_OF_QUARTILE * float(np.percentile(step, STILL_SHARE))
        self._mean += RATE * np.maximum(least - self._mean, 0)

    def limits(self, times: float, *least: float) -> Iterator[Image]:
        """(h, w) gray levels that noise does not reach: `times` its mean, but at least each."""
        # Whole levels before the maximum, which is then much faster.
        here = np.minimum(times * self._mean, 255).astype(np.uint8)
        worst = cv2.dilate(here, np.ones((NEAR, NEAR), np.uint8))
        return (np.asarray(np.maximum(worst, np.uint8(level))) for level in least)
