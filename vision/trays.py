"""Checkers borne off, in the trays beside the field: what they say of how many are left.

They lie flat or stand on edge, in rows or heaps, and not every board has trays; so this is
evidence about a side's total, weighed in `vision/conservation.py`, and never a count by itself.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from calibration.grid import Grid
from calibration.pose import Pose
from engine.position import CHECKERS
from vision.nets import load_net
from vision.tray_strips import tray_input, tray_lifts, tray_pixels
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
    at = tray_pixels(pose).astype(np.float32)
    inside = ((at > 0) & (at < np.array(pose.size) - 1)).all(axis=3)
    shown = np.flatnonzero(inside.mean(axis=(1, 2)) > IN_PICTURE)
    none = np.zeros(CHECKERS + 1)
    none[0] = 1.0
    if not len(shown):
        return np.stack([none, none])
    strips = np.stack([
        cv2.remap(image, at[k, ..., 0], at[k, ..., 1], cv2.INTER_LINEAR,
                  borderMode=cv2.BORDER_REPLICATE)
        for k in shown
    ])  # fmt: skip
    known = np.repeat(colours[None], len(shown), axis=0)
    given = tray_input(strips.astype(np.uint8), known, tray_lifts(pose)[shown])
    chances = softmax(load_net("trays")(given).astype(np.float64), axis=1)
    out = [none, none]
    for row in chances:
        light, dark = row[CHECKERS:].copy(), row[CHECKERS::-1].copy()
        light[0], dark[0] = row[: CHECKERS + 1].sum(), row[CHECKERS:].sum()
        out = [_sum(total, one) for total, one in zip(out, (light, dark), strict=True)]
    return np.stack(out)


def borne_off(image: Image, picture: Image, grid: Grid, counts: NDArray[np.int64]) -> Floats:
    """(2, 16) likelihoods that light and dark have borne off 0..15, by what lies in the trays.

    `picture`: the image as `grid` rectifies it; `counts`: the 24 points' signed counts. Even where
    a side has no checker on the field by which to know its colour.
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
