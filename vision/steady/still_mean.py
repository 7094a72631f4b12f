"""A still view as the mean of its frames, where the frames themselves are noisy.

The noise of a sensor in little light is new in every frame: the mean of N has 1 / sqrt(N) of it.
What is left above the noise that the nets know is smoothed away, at the cost of fine detail.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats32, Image
from vision.steady.steadier import SteadyView

MAX_FRAMES: Final = 8
"""Frames of which the mean is taken: later ones gain little."""
MIN_TRIMMED: Final = 5
"""Frames from which the brightest and the darkest value of each pixel are left out."""
NOISY: Final = 3.0
"""Grey levels of noise, one standard deviation, from which one frame is not enough."""
QUIET: Final = 1.5
"""Grey levels of noise up to which no mean is soon needed, so that two frames are kept: of 1080p
pictures eight are 50 MB."""
KNOWN_NOISE: Final = 6.0
"""Grey levels that the nets saw in training: more is smoothed."""
SAMPLING: Final = 4
"""Of so many pixels one is compared, each way, to measure the noise."""
MAX_SMOOTHING: Final = 1.2
"""Pixels: the standard deviation of the widest blur."""


class StillMean:
    """Collects the frames of one still view."""

    def __init__(self) -> None:
        self._frames: deque[tuple[Image, SteadyView | None]] = deque()
        self._most = MAX_FRAMES
        self.noise = 0.0
        """Standard deviation of one frame's noise when a picture was made last, grey levels."""

    @property
    def is_noisy(self) -> bool:
        """Whether a picture is worth more when it is made of more frames."""
        return self.noise >= NOISY

    def add(self, image: Image, steady: SteadyView | None = None) -> None:
        """Take in one more (H, W, 3) frame of the view, and where its board lies, if it moves."""
        if self._frames and self._frames[-1][0].shape != image.shape:
            self._frames.clear()
        self._frames.append((image, steady))
        while len(self._frames) > self._most:
            self._frames.popleft()

    def clear(self) -> None:
        """Something moved: what follows is another view."""
        self._frames.clear()

    def picture(self) -> Image:
        """(H, W, 3) the newest frame, steady; in a noisy stream the mean of all frames."""
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
    """Standard deviation of the noise of two (H, W, 3) pictures that show the same, grey levels."""
    parts = (each[::SAMPLING, ::SAMPLING, 1] for each in (one, other))
    step = cv2.absdiff(*(np.ascontiguousarray(part) for part in parts))
    typical = float(np.median(step))
    inliers = step[step <= 3 * typical + 2]
    return float(np.sqrt(np.mean(inliers.astype(np.float64) ** 2) / 2))


def mean_of(pictures: list[Image], noise: float) -> Image:
    """The robust mean of (H, W, 3) pictures of `noise`, without what no net has learnt to bear."""
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
    """The picture with no more than `KNOWN_NOISE`, if a mild blur does it."""
    if noise <= KNOWN_NOISE:
        return picture
    # A Gaussian of standard deviation s leaves 1 / (2 s sqrt(pi)) of the noise.
    width = min(noise / KNOWN_NOISE / (2 * np.sqrt(np.pi)), MAX_SMOOTHING)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), max(width, 0.5)), np.float32)
