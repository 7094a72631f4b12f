"""What has changed between two pictures of one still view: pixel by pixel and place by place.

Nothing is recognised here. What stands where nothing changed need not be read again; and changed
places are evidence beside the counts that knows no colours, so that it errs on other things than
they do: on a shadow or a moved cup, not on a checker that looks like its point.
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
"""Distance of colours that noise, compression and mild shadows do not reach."""
MAX_UNTOUCHED_DISCS: Final = 0.12
"""Discs of changed pixels in a strip where nothing was moved, at most."""
MIN_CHANGED_DISCS: Final = 0.33
"""The same where a checker came or went, at least: little where the point has its colour."""
MAX_CHANGE_LOG_RATIO: Final = 4.0
"""Log-likelihood ratio at both ends."""
USUAL_SPREADS: Final = 2.0
"""Standard deviations above the median place up to which a place differs as untouched ones do."""
_SUMMED: Final = np.ones((1, 3), np.float32)
BLUR_PIXELS: Final = 3
"""Pixels of the square over which noise is averaged."""
NOISE_LEVEL: Final = 8
"""Grey levels, in any colour of such a mean, that noise and compression do not reach: the noise of
a camera in the dark, 4 levels, gives 2; dice and checkers like what they lie on differ by more."""


def place_changes(
    before: Colours, after: Colours, ignored: Mask, grid: Grid, diameter: float
) -> Floats32:
    """(28,) log-likelihood ratio `changed : untouched` of each cell.

    No turn touches half of the points: what the median one shows is noise, flicker, or an error of
    the registration, and no place is called changed for it. Where these alone change as much as a
    checker does, the comparison says nothing.

    `before` and `after` (h, w, 3) rectified colours; `ignored` (h, w) marks dice and hands.
    """
    step = np.asarray(cv2.blur(after - before, (BLUR_PIXELS, BLUR_PIXELS)), np.float32)
    # The lamp or the exposure, the same everywhere: every fourth pixel tells it as well as all.
    lamp = np.median(step[::2, ::2].reshape(-1, 3), axis=0)
    # By OpenCV, for numpy is slow along an axis of three.
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
    scores[LIGHT_BAR] = scores[DARK_BAR] = min(0.0, ratios[24])  # whose checker is unknown
    return scores


def _log_ratios(discs: Floats) -> Floats:
    """(25,) of the points and the bar, by how many discs of each have changed."""
    usual = float(np.median(discs[:24]))
    spread = 1.4826 * float(np.median(np.abs(discs[:24] - usual)))
    noise = usual + USUAL_SPREADS * spread
    share = (discs - noise - MAX_UNTOUCHED_DISCS) / (MIN_CHANGED_DISCS - MAX_UNTOUCHED_DISCS)
    certainty = max(0.0, 1 - noise / MIN_CHANGED_DISCS)
    return np.asarray(np.clip(2 * share - 1, -1, 1) * MAX_CHANGE_LOG_RATIO * certainty)


def denoise(picture: Image) -> Image:
    """The (h, w, 3) picture without its noise, as `changed_pixels` wants it."""
    return np.asarray(cv2.blur(picture, (BLUR_PIXELS, BLUR_PIXELS)), np.uint8)


def changed_pixels(before: Image, after: Image) -> Mask:
    """(h, w) where two smoothed (h, w, 3) pictures differ."""
    is_like = cv2.inRange(
        cv2.absdiff(before, after), (0, 0, 0), (NOISE_LEVEL, NOISE_LEVEL, NOISE_LEVEL)
    )
    return np.asarray(np.asarray(is_like) == 0)
