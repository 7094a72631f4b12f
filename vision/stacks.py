"""Points that hold several checkers, counted once more: close up, by a net that knows the set.

`vision/training/train_stacks.py` made it. Whose they are and whether there are any is not asked.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from calibration.grid import Grid
from engine.position import CHECKERS
from vision.coloured_strips import coloured_input, shares_shown, strips_at
from vision.nets import load_net
from vision.stack_strips import IN_PICTURE, stack_lifts, stack_pixels
from vision.two_colours import set_colours

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

POINTS: Final = 24
TALL: Final = 4
"""Checkers that a look is worth: fewer are read well as it is."""
SUSPECTED: Final = 0.02
"""Probability of as many from which it is taken."""
MOST: Final = 9
"""Checkers up to which this net is asked: it takes more, three and two deep, for a first row at
times, which the checkers' net does not."""
WEIGHT: Final = 0.7
"""Of this net beside the checkers' net."""
BESIDE_LESSON: Final = 0.4
"""The same where the checkers' net was taught the set: this one was not."""
ALONG: Final = 4
"""Pixels of a strip by which looks differ: as far as a pose may err."""
LEAST: Final = 1e-6
"""Probability that either net is believed to give a count at least."""
OF_LIGHT: Final = slice(CHECKERS + 1, CHECKERS + 1 + MOST)
OF_DARK: Final = slice(CHECKERS - 1, CHECKERS - 1 - MOST, -1)
"""1..`MOST` checkers in a row of signed counts."""


def with_stacks(
    image: Image, picture: Image, grid: Grid, chances: Floats, *, is_taught: bool = False
) -> Floats:
    """(26, 31) probabilities of signed counts in which tall points were counted close up too.

    `image`: (H, W, 3) uint8 BGR of the pose's size; `picture`: the same as `grid` rectifies it;
    `chances`: (26, 31) of the checkers' net, which was perhaps taught the set. Unchanged where a
    side's colour does not show.
    """
    cells = _tall(chances)
    points = (cells + 1).tolist()
    shown = shares_shown(stack_pixels(grid, points), grid.pose.size) > IN_PICTURE
    cells, points = cells[shown], np.array(points)[shown].tolist()
    colours = set_colours(picture, grid, chances[:POINTS].argmax(axis=1) - CHECKERS)
    if colours is None or not len(cells):
        return chances
    held = np.stack([chances[cells, side].sum(axis=1) for side in (OF_LIGHT, OF_DARK)], axis=1)
    own_first = colours[np.argsort(-held, axis=1)]
    seen = stack_chances(image, grid, points, own_first)
    weight = BESIDE_LESSON if is_taught else WEIGHT
    out = chances.copy()
    for cell, row in zip(cells, seen, strict=True):
        for side in (OF_LIGHT, OF_DARK):
            own = chances[cell, side]
            share = max(float(own.sum()), LEAST)
            logs = weight * _logs(row[1 : MOST + 1]) + (1 - weight) * _logs(own / share)
            out[cell, side] = share * softmax(logs)
    return out


def stack_chances(image: Image, grid: Grid, points: list[int], colours: Floats) -> Floats:
    """(N, 16) probabilities of 0..15 checkers on each of N points.

    The mean of several looks: mirrored, nearer to the rail and further off. `colours`: (N, 2, 3)
    BGR of the checkers that are counted there and of the other side's.
    """
    net, lifts = load_net("stacks"), stack_lifts(grid, points)
    looks = []
    for shift in (0, -ALONG, ALONG):
        strips = strips_at(image, stack_pixels(grid, points, shift))
        for cut, ways in ((strips, lifts), (strips[:, :, ::-1], lifts * (-1, 1))):
            told = net(coloured_input(cut, colours, ways)).astype(np.float64)
            looks.append(log_softmax(told, axis=1))
    return np.asarray(softmax(np.mean(looks, axis=0), axis=1))


def _tall(chances: Floats) -> NDArray[np.intp]:
    """The cells of points that may hold `TALL` and more."""
    sizes = np.abs(np.arange(chances.shape[1]) - CHECKERS)
    return np.flatnonzero(chances[:POINTS, sizes >= TALL].sum(axis=1) > SUSPECTED)


def _logs(chances: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(chances, LEAST)))
