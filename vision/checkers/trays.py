"""Checkers borne off, as seen in the trays beside the field: evidence of how many are in play.

They lie flat or stand on edge, in rows or heaps, and not every board has trays; so they are
evidence about a side's total, weighed in `vision/checkers/conservation.py`, and never a count by
themselves. The net (`vision/training/train/trays.py` trains it) reads four strips, one beside each
quarter of the board, with the rail first and the field's edge last.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

import numpy as np
from scipy.special import expit

from calibration.grid import CHECKER_THICKNESS, Grid
from calibration.pose import Pose
from engine.arrays import Floats, Image, Ints
from engine.position import CHECKERS
from vision.checkers.side_colours import side_colours_bgr
from vision.checkers.strips import (
    OTHER_SIDES_CHANNELS,
    augmented_input,
    coloured_input,
    margin_of,
    raised_places,
    strips_at,
    visible_shares,
)
from vision.nets import load_net, mean_probabilities

TRAY_CORNERS: Final = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Field x and y of the corner at which each strip begins."""
TRAY_LENGTH, TRAY_WIDTH = 256, 96
"""Size of a strip in pixels: half a tall field, and a wide tray."""
TRAY_SCALE: Final = 560.0
"""Pixels per field width, as for a board that fills half the picture: a second layer of checkers is
displaced by a few pixels from the first."""
TRAY_RAIL_MARGIN: Final = 12
"""Pixels of a strip in front of the rail."""
TRAY_FIELD_MARGIN: Final = 7
"""Pixels of a strip that show the field beside the tray."""
MIN_VISIBLE_TRAY: Final = 0.8
"""Minimum fraction of a strip that the picture must show."""
TRAY_AUGMENTATIONS: Final = ((0, 1), (-4, 1), (4, 1))
"""For each augmented strip, pixels by which it begins earlier, up to the possible error of a pose;
none is mirrored."""
PARTIAL_TRAY_PROBABILITY: Final = 0.05
"""Probability that not all of a side's borne-off checkers are there."""
UNUSED_TRAY_PROBABILITY: Final = 0.1
"""Probability that none are there even though there are trays: they may be in a hand or on the
table."""


def tray_pixels(pose: Pose, margin: int = 0) -> Floats:
    """(4, 256, 96, 2) camera pixels of the four strips, at the height of a checker's top.

    `margin`: pixels by which each strip begins earlier and ends later.
    """
    rows = np.arange(TRAY_LENGTH + 2 * margin) - TRAY_RAIL_MARGIN - margin + 0.5
    along = np.asarray(rows / TRAY_SCALE / pose.aspect, np.float64)
    columns = TRAY_WIDTH - TRAY_FIELD_MARGIN - np.arange(TRAY_WIDTH) - 0.5
    beyond = np.asarray(columns / TRAY_SCALE, np.float64)
    out = np.empty((len(TRAY_CORNERS), len(along), TRAY_WIDTH, 2))
    for strip, (right, far) in zip(out, TRAY_CORNERS, strict=True):
        x, y = 1 + beyond if right else -beyond, 1 - along if far else along
        strip[..., 0], strip[..., 1] = pose.project_grid(x, y, CHECKER_THICKNESS)
    return out


def shares_in_picture(pose: Pose) -> Floats:
    """(4,) fraction of each strip inside the camera's picture."""
    return visible_shares(tray_pixels(pose), pose.size)


def tray_parallaxes(pose: Pose) -> Floats:
    """(4, 2) shift across and along each strip due to a checker's thickness, in its pixels."""
    y = 0.15 / pose.aspect
    places = np.array(
        [(1.07 if right else -0.07, 1 - y if far else y) for right, far in TRAY_CORNERS]
    )
    way = np.array([(-1 if right else 1, -1 if far else 1) for right, far in TRAY_CORNERS])
    shift = raised_places(pose, places) - places
    return np.asarray(shift * way * (TRAY_SCALE, TRAY_SCALE * pose.aspect))


def tray_counts(image: Image, pose: Pose, colours: Floats) -> tuple[Floats, float]:
    """(2, 16) probabilities of 0..15 light and of 0..15 dark checkers in all trays.

    Also the probability that the picture shows trays. `image`: (H, W, 3) uint8 BGR of the pose's
    size; `colours`: (2, 3) BGR of the set's checkers. Trays outside the picture count as empty.
    """
    none = np.eye(1, CHECKERS + 1)[0]
    shown = np.flatnonzero(shares_in_picture(pose) > MIN_VISIBLE_TRAY)
    if not len(shown):
        return np.stack([none, none]), 0.0
    net, lifts = load_net("trays"), tray_parallaxes(pose)[shown]
    known = np.repeat(colours[None], len(shown), axis=0)
    strips = strips_at(image, tray_pixels(pose, margin_of(TRAY_AUGMENTATIONS))[shown])
    seen = coloured_input(strips, known, lifts)
    both = np.concatenate([seen, seen[:, OTHER_SIDES_CHANNELS]])
    outputs = [net(part).astype(np.float64) for part in augmented_input(both, TRAY_AUGMENTATIONS)]
    counts = mean_probabilities([logits[:, :-1] for logits in outputs])
    sides = counts.reshape(2, len(shown), -1)
    there = np.mean([logits[:, -1] for logits in outputs], axis=0).reshape(2, -1).mean(axis=0)
    share = len(shown) / len(TRAY_CORNERS)
    return np.stack([reduce(_sum_distribution, side, none) for side in sides]), share * float(
        expit(there.max())
    )


def borne_off_likelihoods(image: Image, picture: Image, grid: Grid, counts: Ints) -> Floats:
    """(2, 16) likelihoods that light and dark have borne off 0..15, given the trays' contents.

    `picture`: the image as rectified by `grid`; `counts`: the 24 points' signed counts. Uniform for
    a side that has no checker on the points to show its color.
    """
    colours = side_colours_bgr(picture, grid, counts)
    if colours is None:
        return np.ones((2, CHECKERS + 1))
    held, there = tray_counts(image, grid.pose, colours)
    return np.stack([likelihood(row, there) for row in held])


def likelihood(seen: Floats, there: float) -> Floats:
    """(16,) likelihoods of 0..15 borne off, given the probabilities of 0..15 in the trays.

    `there`: the probability that trays are in the picture; without trays, checkers are put
    anywhere, and an empty tray is no evidence.
    """
    held = seen.copy()
    held[0] = 0.0
    partly = np.cumsum(held) / np.arange(1, len(held) + 1)
    empty = np.full(len(seen), seen[0] * (1 - there * (1 - UNUSED_TRAY_PROBABILITY)))
    empty[0] = seen[0]
    return np.asarray(
        empty + (1 - PARTIAL_TRAY_PROBABILITY) * held + PARTIAL_TRAY_PROBABILITY * partly
    )


def _sum_distribution(one: Floats, two: Floats) -> Floats:
    """(16,) probabilities of the sum of two counts, at most fifteen."""
    both = np.convolve(one, two)
    return np.append(both[:CHECKERS], both[CHECKERS:].sum())
