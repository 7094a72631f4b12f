"""Checkers on the bar: counted on all of it at once, by a net that knows the set's colours.

`vision/training/train/bar.py` made it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import log_softmax, softmax

from calibration.grid import Grid
from engine.arrays import Floats, Image
from engine.position import CHECKERS
from vision.checkers.bar_strip import bar_lift, bar_places
from vision.checkers.coloured_strips import coloured_input
from vision.nets import load_net

MOST: Final = 6
"""Checkers of one side that the net tells apart; more than that happen in no game."""


def bar_chances(picture: Image, grid: Grid, colours: Floats, *, carefully: bool = False) -> Floats:
    """(2, 16) probabilities of 0..15 light and of 0..15 dark checkers on the bar.

    `picture`: (h, w, 3) uint8 BGR as `grid` rectifies it; `colours`: (2, 3) BGR of light's and
    dark's checkers in it; `carefully`: the mean of two looks, from both ends of the bar.
    """
    places, lift = bar_places(grid), bar_lift(grid)
    strip = picture[places[..., 1], places[..., 0]]
    strips, ways = [strip], [lift]
    if carefully:
        strips, ways = [strip, strip[::-1, ::-1]], [lift, -lift]
    known = np.repeat(colours[None], len(strips), axis=0)
    given = coloured_input(np.stack(strips), known, np.stack(ways))
    seen = load_net("bar")(given).astype(np.float64).reshape(len(strips), 2, MOST + 1)
    looks = log_softmax(seen, axis=2)
    told = np.zeros((2, CHECKERS + 1))
    told[:, : MOST + 1] = softmax(looks.mean(axis=0), axis=1)
    return told
