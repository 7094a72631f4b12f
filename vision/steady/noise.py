"""How noisy each part of a stream is, measured from the stream itself."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats32, Image

BEGIN: Final = 1.0
"""Grey levels of mean absolute difference that are taken before any was measured."""
RATE: Final = 0.08
"""Share of each new measurement in the running mean: about a dozen frames count."""
OUTLIER: Final = 4.0
"""Times the mean beyond which a difference is something that happened, not noise."""
STILL_SHARE: Final = 25
"""Per cent of the picture that stands still whatever moves."""
MEAN_OF_QUARTILE: Final = 2.5
"""Mean absolute difference of normal noise over the quarter of it that is least."""
NEAR: Final = 5
"""Pixels of the square that shares the noise of its worst pixel: what an error of the
registration does to an edge wanders by a pixel."""


class NoiseMap:
    """Mean absolute difference of two pictures between which nothing moved, pixel by pixel."""

    def __init__(self, size: tuple[int, int]) -> None:
        """`size`: width and height of the pictures, pixels."""
        self._mean: Floats32 = np.full(size[::-1], BEGIN, np.float32)

    def learn(self, step: Image) -> None:
        """Take in (h, w) absolute differences, grey levels; outliers hardly count."""
        bounded = np.minimum(step, OUTLIER * self._mean + 1, dtype=np.float32)
        self._mean += RATE * (bounded - self._mean)

    def learn_moving(self, step: Image) -> None:
        """The same while something moves: only what noise even the stillest quarter has.

        Without it a stream that begins noisy would never be seen to rest.
        """
        least = MEAN_OF_QUARTILE * float(np.percentile(step, STILL_SHARE))
        self._mean += RATE * np.maximum(least - self._mean, 0)

    def limit(self, times: float, least: float) -> Image:
        """(h, w) grey levels that noise does not reach: so many `times` its mean, at `least`."""
        worst = cv2.dilate(self._mean, np.ones((NEAR, NEAR), np.uint8))
        return np.asarray(np.clip(times * worst, least, 255), np.uint8)
