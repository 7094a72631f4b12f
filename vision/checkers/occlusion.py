"""How much of each point and of the bar a hand, an arm or a cup hides.

A small net looks at the whole rectified board, since a hand is known by where it comes from.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from calibration.grid import PADDING, Grid
from calibration.layout import Layout
from engine.arrays import Floats, Floats32, Image
from engine.position import CHECKERS
from vision.board.heatmaps import STRIDE, sigmoid
from vision.checkers.strips import NEAR_HALF, POINTS, STRIP_COUNT
from vision.nets import as_tensor, load_net

NET_INPUT_SIZE: Final = (192, 160)
"""Width and height in pixels at which the net sees a rectified board of any shape."""
MISS_WEIGHT: Final = 0.88
MISS_POWER: Final = 1.35
"""Probability that a strip does not show its count: weight * share hidden ** power."""
UNSEEN_COUNTS: Final = np.array([0.52, 0.10, 0.11, 0.07, 0.045, 0.05, 0.03, 0.02, *[0.007] * 8])
"""Frequency of 0..15 checkers on a point in drawn scenes; `weigh_as_in_games` comes after it."""
MORE_UNSEEN: Final = 0.7
"""Frequency of each number of checkers above those that show, relative to one fewer."""
OTHER_UNSEEN: Final = 0.3
"""Probability that what shows there says nothing about what does not."""


def occluded_shares(picture: Image, grid: Grid) -> Floats:
    """(26,) fraction of each point 1..24 and of the bar's near and far half that is hidden.

    `picture`: (h, w, 3) uint8 BGR as rectified by `grid`.
    """
    heat = sigmoid(load_net("occlusion")(as_tensor(net_picture(picture)))[0, 0])
    return strip_means(heat, grid.layout, grid.field_size)


def allow_hidden(chances: Floats, shares: Floats) -> Floats:
    """(26, 31) probabilities of signed counts that allow for checkers which something hides.

    `chances`: by what shows, for points 1..24 and light's and dark's bar; the bar's are unchanged.
    `shares`: as from `occluded_shares`.
    """
    out = chances.copy()
    misses = (MISS_WEIGHT * shares[:POINTS] ** MISS_POWER)[:, None]
    out[:POINTS] = (1 - misses) * chances[:POINTS] + misses * (chances[:POINTS] @ _UNSEEN)
    return out


def _unseen() -> Floats:
    """(31, 31) probabilities of signed counts, given the counts that show."""
    alone = np.concatenate([UNSEEN_COUNTS[:0:-1] / 2, UNSEEN_COUNTS[:1], UNSEEN_COUNTS[1:] / 2])
    out = np.tile(alone / alone.sum(), (len(alone), 1))
    for shown in range(1, CHECKERS + 1):
        more = MORE_UNSEEN ** np.arange(CHECKERS + 1 - shown)
        for way in (1, -1):
            row = out[CHECKERS + way * shown]
            row *= OTHER_UNSEEN
            row[CHECKERS + way * np.arange(shown, CHECKERS + 1)] += (
                (1 - OTHER_UNSEEN) * more / more.sum()
            )
    return out


_UNSEEN: Final = _unseen()


def net_picture(picture: Image) -> Image:
    """(160, 192, 3) BGR of a rectified picture."""
    return np.asarray(cv2.resize(picture, NET_INPUT_SIZE, interpolation=cv2.INTER_AREA), np.uint8)


def strip_means(heat: Floats32, layout: Layout, field_size: tuple[int, int]) -> Floats:
    """(26,) mean over each strip of (40, 48) cells of the net."""
    along, across = strip_windows(layout, field_size)
    return np.asarray(np.einsum("sy,yx,sx->s", along, heat, across))


def strip_windows(layout: Layout, field_size: tuple[int, int]) -> tuple[Floats, Floats]:
    """(26, 40) and (26, 48) weights of the net's rows and columns in each strip; each adds to 1.

    `field_size`: of the rectified field, in pixels.
    """
    middles = np.array([layout.point_x(point) for point in range(1, POINTS + 1)] + [0.5, 0.5])
    halves = np.full(STRIP_COUNT, layout.point_width / 2)
    depths = np.full(STRIP_COUNT, layout.point_length)
    halves[NEAR_HALF:], depths[NEAR_HALF:] = layout.bar / 2, 0.5
    is_far = np.array([strip >= POINTS // 2 for strip in range(POINTS)] + [False, True])
    rows = np.where(is_far, [np.zeros(STRIP_COUNT), depths], [1 - depths, np.ones(STRIP_COUNT)])
    columns = np.array([middles - halves, middles + halves])
    (width, height), (wide, high) = field_size, NET_INPUT_SIZE
    return _overlaps(rows, height, high // STRIDE), _overlaps(columns, width, wide // STRIDE)


def _overlaps(ends: Floats, length: int, cells: int) -> Floats:
    """(26, cells) share of each strip in each cell, from (2, 26) ends in fractions of the field."""
    scale = cells / (length + 2 * PADDING)
    first, last = (ends * length + PADDING) * scale
    at = np.arange(cells)
    shares = np.minimum(last[:, None], at + 1) - np.maximum(first[:, None], at)
    shares = np.maximum(shares, 0)
    return np.asarray(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9))
