"""A still view as the mean of its frames, if the frames themselves are noisy.

A sensor's noise in low light differs in every frame: the mean of N has 1 / sqrt(N) of it. What is
left above the noise that the nets know is smoothed away, at the cost of fine detail.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats32, Image
from vision.picture_diff import blur_against
from vision.steady.steadier import SteadyView

MAX_FRAMES: Final = 8
"""Maximum number of frames averaged: later ones add little."""
MIN_TRIMMED: Final = 5
"""Number of frames from which each pixel's brightest and darkest value are left out."""
NOISY: Final = 3.0
"""Standard deviation of the noise, in gray levels, from which one frame is not enough."""
QUIET: Final = 1.5
"""Standard deviation of the noise up to which no mean will soon be needed, so that two frames are
kept: eight 1080p pictures take 50 MB."""
KNOWN_NOISE: Final = 6.0
"""Gray levels of noise that the nets saw in training: more is smoothed."""
SAMPLING: Final = 4
"""One pixel in this many is compared, in each direction, to measure the noise."""
MAX_SMOOTHING: Final = 1.2
"""Standard deviation of the widest blur, in pixels."""


class StillMean:
    """Collects the frames of a still view."""

    def __init__(self) -> None:
        self._frames: deque[tuple[Image, SteadyView | None]] = deque()
        self._most = MAX_FRAMES
        self.noise = 0.0
        """Standard deviation of one frame's noise when a picture was last made, in gray levels."""

    @property
    def is_noisy(self) -> bool:
        """Whether a picture made of more frames would be better."""
        return self.noise >= NOISY

    def add(self, image: Image, steady: SteadyView | None = None) -> None:
        """Add one more (H, W, 3) frame of the view, and where its board is, if it moves."""
        if self._frames and self._frames[-1][0].shape != image.shape:
            self._frames.clear()
        self._frames.append((image, steady))
        while len(self._frames) > self._most:
            self._frames.popleft()

    def clear(self) -> None:
        """Forget the frames: something moved, and what follows is another view."""
        self._frames.clear()

    def picture(self) -> Image:
        """(H, W, 3) the newest frame, steadied; in a noisy stream, the mean of all frames."""
        newest = _steady(*self._frames[-1])
        if len(self._frames) < 2:
            return newest
        before = _steady(*self._frames[-2])
        self.noise = noise_between(before, newest)
        self._most = 2 if self.noise <= QUIET else MAX_FRAMES
        if not self.is_noisy:
            return newest
        earlier = (_steady(*frame) for frame in list(self._frames)[:-2])
        return mean_of([newest, before, *earlier], self.noise)


def _steady(image: Image, view: SteadyView | None) -> Image:
    return image if view is None else view.frame(image)


def noise_between(one: Image, other: Image) -> float:
    """Standard deviation in gray levels of the noise in two (H, W, 3) pictures of the same view."""
    parts = (each[::SAMPLING, ::SAMPLING, 1] for each in (one, other))
    step = cv2.absdiff(*(np.ascontiguousarray(part) for part in parts))
    typical = float(np.median(step))
    inliers = step[step <= 3 * typical + 2]
    return float(np.sqrt(np.mean(inliers.astype(np.float64) ** 2) / 2))


def mean_of(pictures: list[Image], noise: float) -> Image:
    """The robust mean of (H, W, 3) pictures of `noise`, without noise that no net can tolerate."""
    total = np.zeros(pictures[0].shape, np.float32)
    for picture in pictures:
        cv2.accumulate(picture, total)
    count = len(pictures)
    if count >= MIN_TRIMMED:
        for extreme in (cv2.min, cv2.max):
            most = pictures[0]
            for picture in pictures[1:]:
                most = np.asarray(extreme(most, picture), np.uint8)
            total -= most
        count -= 2
    mean = np.asarray(total / count, np.float32)
    return np.asarray(np.rint(_smoothed(mean, noise / np.sqrt(count))), np.uint8)


def _smoothed(picture: Floats32, noise: float) -> Floats32:
    """The picture with no more than `KNOWN_NOISE`, if a mild blur achieves that."""
    if noise <= KNOWN_NOISE:
        return picture
    width = min(blur_against(noise, KNOWN_NOISE), MAX_SMOOTHING)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), max(width, 0.5)), np.float32)
