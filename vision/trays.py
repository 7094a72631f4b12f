"""Checkers borne off, in the trays beside the field: what they say of how many are left.

They lie flat or stand on edge, in rows or heaps, and not every board has trays; so this is
evidence about a side's total, weighed in `vision/conservation.py`, and never a count by itself.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from calibration.grid import Grid
from calibration.pose import Pose
from engine.position import CHECKERS
from vision.coloured_strips import coloured_input, strips_at
from vision.nets import load_net
from vision.strip_counts import by_side
from vision.tray_strips import shares_in_picture, tray_lifts, tray_pixels
from vision.two_colours import set_colours

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

IN_PICTURE: Final = 0.8
"""Share of a strip that the picture shows at least."""
PARTLY: Final = 0.05
"""Chance that not all that a side has borne off lie there."""


def tray_counts(image: Image, pose: Pose, colours: Floats) -> Floats:
    """(2, 16) probabilities of 0..15 light and of 0..15 dark checkers in all trays.

    `image`: (H, W, 3) uint8 BGR of the pose's size; `colours`: (2, 3) BGR of the set's checkers.
    Trays that are not in the picture count as empty.
    """
    none = np.eye(1, CHECKERS + 1)[0]
    shown = np.flatnonzero(shares_in_picture(pose) > IN_PICTURE)
    if not len(shown):
        return np.stack([none, none])
    strips = strips_at(image, tray_pixels(pose)[shown])
    known = np.repeat(colours[None], len(shown), axis=0)
    given = coloured_input(strips, known, tray_lifts(pose)[shown])
    chances = softmax(load_net("trays")(given).astype(np.float64), axis=1)
    sides = zip(*(by_side(row) for row in chances), strict=True)
    return np.stack([reduce(_sum, side, none) for side in sides])


def borne_off(image: Image, picture: Image, grid: Grid, counts: NDArray[np.int64]) -> Floats:
    """(2, 16) likelihoods that light and dark have borne off 0..15, by what lies in the trays.

    `picture`: the image as `grid` rectifies it; `counts`: the 24 points' signed counts. All
    alike where a side has no checker on the points by which to know its colour.
    """
    colours = set_colours(picture, grid, counts)
    if colours is None:
        return np.ones((2, CHECKERS + 1))
    return np.stack([_likelihood(row) for row in tray_counts(image, grid.pose, colours)])


def _likelihood(seen: Floats) -> Floats:
    """(16,) likelihoods of 0..15 borne off, of the chances of 0..15 in the trays.

    Empty trays tell nothing: many sets have none, and checkers are put anywhere.
    """
    held = seen.copy()
    held[0] = 0.0
    partly = np.cumsum(held) / np.arange(1, len(held) + 1)
    return np.asarray(seen[0] + (1 - PARTLY) * held + PARTLY * partly)


def _sum(one: Floats, two: Floats) -> Floats:
    """(16,) chances of a sum of two counts; beyond fifteen it is fifteen."""
    both = np.convolve(one, two)
    return np.append(both[:CHECKERS], both[CHECKERS:].sum())
