"""Makes pictures of a dim scene as bright as those on which the nets were trained.

The gain is chosen once and kept as long as it suits, because frames of the stream are compared.
Noise is amplified as well; `still_mean.py` beside it takes care of that.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Image

HIGHLIGHTS: Final = 99
"""Percentile of the gray levels that is brought to `BRIGHT`: light checkers, glints, dice."""
DIM: Final = 100.0
"""Gray level of the highlights below which a picture is too dark."""
BRIGHT: Final = 180.0
MAX_GAIN: Final = 6.0
DRIFT: Final = 1.5
"""Factor by which the brightness may change before another gain is chosen."""
EVERY: Final = 25
"""Frames between two measurements of the brightness."""
BLOCK: Final = 16
"""Side in pixels of the blocks whose means are measured: noise must not count as brightness."""
SAMPLING: Final = 4
"""One row in this many is measured."""
FEW: Final = 4
"""One row of blocks in this many is measured first: most pictures show enough contrast there."""
MIN_BLOCKS: Final = 4
"""Blocks per side from which a picture may be called blank."""
MIN_CONTRAST: Final = 6.0
"""Gray levels between the brightest and darkest parts of a picture that shows anything."""


class Exposure:
    """Brightens the frames of one stream."""

    def __init__(self, learnt_from: Image | None = None) -> None:
        """`learnt_from`: (h, w, 3) picture from which the set was learned.

        If that is itself dim, frames are left as they are, because they are compared with it.
        """
        self._is_kept = learnt_from is not None and highlights(learnt_from) < DIM
        self._level = 1.0
        self._table: Image | None = None
        self._until_measured = 0

    def lit(self, image: Image) -> Image:
        """The (H, W, 3) frame, brightened if the stream is dim; otherwise the same object."""
        if self._is_kept:
            return image
        if self._until_measured == 0:
            self._until_measured = EVERY
            self._measure(image)
        self._until_measured -= 1
        return image if self._table is None else np.asarray(cv2.LUT(image, self._table), np.uint8)

    def _measure(self, image: Image) -> None:
        level = highlights(image)
        if 1 / DRIFT < level / self._level < DRIFT:
            return
        self._level = max(level, 1.0)
        gain = min(BRIGHT / self._level, MAX_GAIN) if level < DIM else 1.0
        levels = np.clip(np.rint(gain * np.arange(256)), 0, 255).astype(np.uint8)
        self._table = None if gain == 1.0 else levels


def highlights(image: Image) -> float:
    """Gray level of the brightest parts of an (H, W, 3) picture, other than mere glints."""
    return _extremes(image, 1)[1]


def is_blank(image: Image) -> bool:
    """Whether an (H, W, 3) picture shows nothing: a covered lens, a dark room.

    A picture of only a few blocks is too small to tell.
    """
    if min(image.shape[:2]) < MIN_BLOCKS * BLOCK:
        return False
    return all(np.subtract(*_extremes(image, every)) > -MIN_CONTRAST for every in (FEW, 1))


def _extremes(image: Image, every: int) -> tuple[float, float]:
    """Gray levels of the picture's darkest and brightest parts, in one row of blocks in `every`.

    As many blocks are left out at both ends as in the whole picture: fewer rows never differ more.
    """
    height, width = max(1, image.shape[0] // BLOCK), max(1, image.shape[1] // BLOCK)
    rows = image[: height * BLOCK].reshape(height, -1, *image.shape[1:])[::every, ::SAMPLING]
    grey = cv2.cvtColor(rows.reshape(-1, *image.shape[1:]), cv2.COLOR_BGR2GRAY)
    levels = np.sort(cv2.resize(grey, (width, len(rows)), interpolation=cv2.INTER_AREA), axis=None)
    outliers = height * width - 1 - round((height * width - 1) * HIGHLIGHTS / 100)
    return float(levels[outliers]), float(levels[-1 - outliers])
