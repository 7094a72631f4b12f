"""What has changed between two pictures of one still view: pixel by pixel and place by place.

Nothing is recognized here. Unchanged places need not be read again. Changed places are evidence in
addition to the counts, and independent of colors, so it fails on other things: on a shadow or a
moved cup, but not on a checker that looks like its point.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from calibration.appearance import Colours
from calibration.grid import Grid
from calibration.strips import bar_strip, point_strip
from engine.arrays import Floats, Floats32, Image, Mask
from engine.evidence.observation import CELLS, DARK_BAR, LIGHT_BAR

MIN_COLOUR_STEP: Final = 28.0
"""Color distance above that of noise, compression and mild shadows."""
MAX_UNTOUCHED_DISCS: Final = 0.12
"""Maximum area of changed pixels, in discs, in a strip where nothing was moved."""
MIN_CHANGED_DISCS: Final = 0.33
"""Minimum area where a checker came or went; it is small if the point has its color."""
MAX_CHANGE_LOG_RATIO: Final = 4.0
"""Log-likelihood ratio at both extremes."""
USUAL_SPREADS: Final = 2.0
"""Standard deviations above the median place within which a place is still considered untouched."""
_SUMMED: Final = np.ones((1, 3), np.float32)
BLUR_PIXELS: Final = 3
"""Side in pixels of the square over which noise is averaged."""
NOISE_LEVEL: Final = 8
"""Gray levels, in any channel of such a mean, that noise and compression do not reach: a camera's
noise in the dark, 4 levels, becomes 2; dice and checkers similar to their background differ by
more."""


def place_changes(
    before: Colours, after: Colours, ignored: Mask, grid: Grid, diameter: float
) -> Floats32:
    """(28,) log-likelihood ratio `changed : untouched` of each cell.

    No turn touches half of the points: what the median point shows is noise, flicker, or a
    registration error, and no place is called changed because of it. If these alone cause as much
    change as a checker does, the comparison is uninformative.

    `before` and `after`: (h, w, 3) rectified colors; `ignored`: (h, w) marks dice and hands.
    """
    step = np.asarray(cv2.blur(after - before, (BLUR_PIXELS, BLUR_PIXELS)), np.float32)
    # The lamp or the exposure, the same everywhere: every fourth pixel suffices.
    lamp = np.median(step[::2, ::2].reshape(-1, 3), axis=0)
    # With OpenCV, because numpy is slow along an axis of three.
    moved = cv2.transform(step, np.column_stack([np.eye(3, dtype=np.float32), -lamp]))
    changed = (cv2.transform(moved * moved, _SUMMED) > MIN_COLOUR_STEP**2) & ~ignored
    disc = np.pi * (diameter / 2) ** 2
    strips = (
        *(point_strip(changed, grid, point) for point in range(1, 25)),
        bar_strip(changed, grid),
    )
    ratios = _log_ratios(np.array([strip[:, 6:-6].sum() for strip in strips]) / disc)
    scores = np.zeros(CELLS, np.float32)
    scores[:24] = ratios[:24]
    scores[LIGHT_BAR] = scores[DARK_BAR] = min(0.0, ratios[24])  # its owner is unknown
    return scores


def _log_ratios(discs: Floats) -> Floats:
    """(25,) for the points and the bar, by how many discs of each have changed."""
    usual = float(np.median(discs[:24]))
    spread = 1.4826 * float(np.median(np.abs(discs[:24] - usual)))
    noise = usual + USUAL_SPREADS * spread
    share = (discs - noise - MAX_UNTOUCHED_DISCS) / (MIN_CHANGED_DISCS - MAX_UNTOUCHED_DISCS)
    certainty = max(0.0, 1 - noise / MIN_CHANGED_DISCS)
    return np.asarray(np.clip(2 * share - 1, -1, 1) * MAX_CHANGE_LOG_RATIO * certainty)


def blur_against(noise: float, bearable: float) -> float:
    """Standard deviation in pixels of the Gaussian that leaves `bearable` of white `noise`.

    One with standard deviation s leaves 1 / (2 s sqrt(pi)) of it.
    """
    return float(noise / bearable / (2 * np.sqrt(np.pi)))


def denoise(picture: Image) -> Image:
    """The (h, w, 3) picture without its noise, as `changed_pixels` needs it."""
    return np.asarray(cv2.blur(picture, (BLUR_PIXELS, BLUR_PIXELS)), np.uint8)


def changed_pixels(before: Image, after: Image) -> Mask:
    """(h, w) mask of where two smoothed (h, w, 3) pictures differ."""
    is_like = cv2.inRange(
        cv2.absdiff(before, after), (0, 0, 0), (NOISE_LEVEL, NOISE_LEVEL, NOISE_LEVEL)
    )
    return np.asarray(np.asarray(is_like) == 0)
