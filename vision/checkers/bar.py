"""Checkers on the bar, counted on all of it at once by a net that is given the set's colours.

A checker lies anywhere on the bar, across its middle too, and both colours side by side; so the
net reads one strip of the rectified picture with the middle of the bar in its middle.
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
"""Pixels of the strip: the tallest usual field, and a checker with what lies beside it."""
MAX_ON_BAR: Final = 6
"""Most checkers of one side that the net counts; more happen in no game."""


def bar_pixels(grid: Grid) -> Ints:
    """(384, 48, 2) rectified pixels x, y of the strip; beyond the picture those at its edge."""
    middle = np.rint(grid.to_pixels(np.array([(0.5, 0.5)]))[0]).astype(int)
    across = middle[0] + np.arange(BAR_STRIP_WIDTH) - BAR_STRIP_WIDTH // 2
    along = middle[1] + np.arange(BAR_STRIP_LENGTH) - BAR_STRIP_LENGTH // 2
    x, y = np.meshgrid(across, along)
    last = np.array(grid.size) - 1
    return np.asarray(np.clip(np.stack([x, y], axis=2), 0, last))


def bar_parallax(grid: Grid) -> Floats:
    """(2,) rectified pixels by which one checker's thickness moves what lies on the bar."""
    return np.asarray(strip_parallaxes(grid)[NEAR_HALF:].mean(axis=0))


def bar_probabilities(
    picture: Image, grid: Grid, colours: Floats, *, augmented: bool = False
) -> Floats:
    """(2, 16) probabilities of 0..15 light and of 0..15 dark checkers on the bar.

    `picture`: (h, w, 3) uint8 BGR as `grid` rectifies it; `colours`: (2, 3) BGR of light's and
    dark's checkers in it; `augmented`: the mean of two logs, from both ends of the bar.
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
