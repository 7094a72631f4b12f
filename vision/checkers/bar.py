"""Checkers on the bar, counted over its whole length by a net that is given the set's colors.

A checker can be anywhere on the bar, even across its middle, and both colors side by side; so the
net reads one strip of the rectified picture, centered on the middle of the bar.
`vision/training/train/bar.py` trains it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.grid import Grid
from engine.arrays import Floats, Image, Ints
from engine.position import CHECKERS
from vision.checkers.strips import NEAR_HALF, coloured_input, strip_parallaxes
from vision.nets import load_net, mean_probabilities

BAR_STRIP_LENGTH, BAR_STRIP_WIDTH = 384, 48
"""Size of the strip in pixels: the tallest usual field, and a checker with its surroundings."""
MAX_ON_BAR: Final = 6
"""Maximum number of checkers of one side that the net counts; games do not have more."""


def bar_pixels(grid: Grid) -> Ints:
    """(384, 48, 2) rectified pixels x, y of the strip, clamped to the picture."""
    middle = np.rint(grid.to_pixels(np.array([(0.5, 0.5)]))[0]).astype(int)
    across = middle[0] + np.arange(BAR_STRIP_WIDTH) - BAR_STRIP_WIDTH // 2
    along = middle[1] + np.arange(BAR_STRIP_LENGTH) - BAR_STRIP_LENGTH // 2
    x, y = np.meshgrid(across, along)
    last = np.array(grid.size) - 1
    return np.asarray(np.clip(np.stack([x, y], axis=2), 0, last))


def bar_parallax(grid: Grid) -> Floats:
    """(2,) shift on the bar due to one checker's thickness, in rectified pixels."""
    return np.asarray(strip_parallaxes(grid)[NEAR_HALF:].mean(axis=0))


def bar_probabilities(
    picture: Image, grid: Grid, colours: Floats, *, augmented: bool = False
) -> Floats:
    """(2, 16) probabilities of 0..15 light and of 0..15 dark checkers on the bar.

    `picture`: (h, w, 3) uint8 BGR as rectified by `grid`; `colours`: (2, 3) BGR of light's and
    dark's checkers in it; `augmented`: average two log-probabilities, from both ends of the bar.
    """
    places, lift = bar_pixels(grid), bar_parallax(grid)
    strip = picture[places[..., 1], places[..., 0]]
    strips, lifts = [strip], [lift]
    if augmented:
        strips, lifts = [strip, strip[::-1, ::-1]], [lift, -lift]
    known = np.repeat(colours[None], len(strips), axis=0)
    given = coloured_input(np.stack(strips), known, np.stack(lifts))
    logits = load_net("bar")(given).reshape(len(strips), 2, MAX_ON_BAR + 1)
    counts = np.zeros((2, CHECKERS + 1))
    counts[:, : MAX_ON_BAR + 1] = mean_probabilities([*logits])
    return counts
