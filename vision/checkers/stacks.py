"""Counts every point again, close up, with a net that is given the set's two colors.

The checkers' net sees the whole board at half the camera's resolution and must infer what the set
looks like. This one sees one point in the camera's own pixels, where a second layer is displaced by
a pixel or two from the first. It counts one side at a time. `vision/training/train/stacks.py`
trains it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.special import softmax

from calibration.grid import CHECKER_THICKNESS, Grid
from engine.arrays import Floats, Image, Mask
from engine.position import CHECKERS
from vision.checkers.side_colours import side_colours_bgr
from vision.checkers.strips import (
    OTHER_SIDES_CHANNELS,
    POINTS,
    Augmentations,
    augmented_input,
    coloured_input,
    margin_of,
    raised_places,
    strips_at,
    visible_shares,
)
from vision.nets import MIN_PROBABILITY, load_net, mean_probabilities, pool_probabilities

STACK_LENGTH, STACK_WIDTH = 312, 64
"""Size of a strip in pixels: the rail's edge and a row of seven; a point and half of each
neighbor."""
STACK_PITCH: Final = 42.0
"""Width of a point in a strip, in pixels: the native scale of a board that fills half the
picture."""
STACK_RAIL_MARGIN: Final = 12
"""Pixels of a strip in front of the rail."""
MIN_VISIBLE_POINT: Final = 0.9
"""Minimum fraction of a strip that the picture must show."""
PARALLAX_DISTANCE: Final = 0.2
"""Field widths from the rail at which the parallax of height is measured."""
STACK_NET_WEIGHT: Final = 0.7
"""Weight of this net relative to the checkers' net."""
STACK_AUGMENTATIONS: Final = ((0, 1), (0, -1), (-4, 1), (4, -1))
"""For each augmented strip, pixels by which it begins earlier, up to the possible error of a pose,
and -1 if it is mirrored."""
MIN_SIDE_PROBABILITY: Final = 1e-3
"""Probability, from the checkers' net, that a point holds a side's checkers, from which they are
counted close up: on 58 pictures, asking everywhere changed no count."""
SURE_COUNT_PROBABILITY: Final = 0.995
"""Probability from which a point's count is settled by one strip: on 80 stills, the others changed
none of these counts, nor their probability by more than 0.004."""


def stack_pixels(grid: Grid, points: Sequence[int], margin: int = 0) -> Floats:
    """(N, 312, 64, 2) camera pixels of the strips of N points, rail first, at a checker's top.

    `margin`: pixels by which each strip begins earlier and ends later.
    """
    rows = np.arange(STACK_LENGTH + 2 * margin) + 0.5 - STACK_RAIL_MARGIN - margin
    along = rows * _field_per_pixel(grid)[1]
    aside = (np.arange(STACK_WIDTH) + 0.5 - STACK_WIDTH / 2) * _field_per_pixel(grid)[0]
    out = np.empty((len(points), len(along), STACK_WIDTH, 2))
    for strip, point in zip(out, points, strict=True):
        x, y = grid.layout.point_x(point) + aside, along if _is_near(point) else 1 - along
        strip[..., 0], strip[..., 1] = grid.pose.project_grid(x, y, CHECKER_THICKNESS)
    return out


def stack_parallaxes(grid: Grid, points: Sequence[int]) -> Floats:
    """(N, 2) shift across and along each strip due to a checker's thickness, in its pixels."""
    y = PARALLAX_DISTANCE / grid.pose.aspect
    places = np.array(
        [(grid.layout.point_x(point), y if _is_near(point) else 1 - y) for point in points]
    )
    way = np.array([(1, 1 if _is_near(point) else -1) for point in points])
    shift = raised_places(grid.pose, places) - places
    return np.asarray(shift * way / _field_per_pixel(grid))


def _field_per_pixel(grid: Grid) -> Floats:
    """(2,) field coordinates x and y that one pixel of a strip spans."""
    pixel = grid.layout.point_width / STACK_PITCH
    return np.array([pixel, pixel / grid.pose.aspect])


def _is_near(point: int) -> bool:
    return point <= 12


def refine_with_stacks(
    image: Image, picture: Image, grid: Grid, chances: Floats, *, only: Mask | None = None
) -> Floats:
    """(26, 31) probabilities of signed counts, with the points also counted close up.

    `image`: (H, W, 3) uint8 BGR of the pose's size; `picture`: the same as rectified by `grid`;
    `chances`: (26, 31) from the checkers' net; `only`: (24,) mask of the points counted, None for
    all. Unchanged if a side's color does not show, and for points that are not completely in the
    picture.
    """
    if only is not None and not only.any():
        return chances
    colours = side_colours_bgr(picture, grid, chances[:POINTS].argmax(axis=1) - CHECKERS)
    if colours is None:
        return chances
    every = range(1, POINTS + 1)
    shown = visible_shares(stack_pixels(grid, every), grid.pose.size) > MIN_VISIBLE_POINT
    out, owned = chances.copy(), chances[:POINTS]
    light, dark = owned[:, CHECKERS + 1 :].sum(axis=1), owned[:, :CHECKERS].sum(axis=1)
    may_hold = np.stack([light, dark]) > MIN_SIDE_PROBABILITY
    asked = shown if only is None else shown & only
    left = np.flatnonzero(asked & may_hold.any(axis=0))
    for augmentations in (STACK_AUGMENTATIONS[:1], STACK_AUGMENTATIONS):
        if len(left):
            seen = signed_stack_probabilities(
                image, grid, (left + 1).tolist(), colours, augmentations, may_hold[:, left]
            )
            out[left] = pool_probabilities(seen, chances[left], STACK_NET_WEIGHT)
            left = left[out[left].max(axis=1) < SURE_COUNT_PROBABILITY]
    return out


def signed_stack_probabilities(
    image: Image,
    grid: Grid,
    points: list[int],
    colours: Floats,
    augmentations: Augmentations = STACK_AUGMENTATIONS,
    may_hold: Mask | None = None,
) -> Floats:
    """(N, 31) probabilities of -15..15 checkers on each of N points, dark negative.

    `colours`: (2, 3) BGR of light and dark; `may_hold`: as for `stack_probabilities`. On a point of
    one side, the other has none.
    """
    sides = np.repeat(colours[None], len(points), axis=0)
    light, dark = np.log(stack_probabilities(image, grid, points, sides, augmentations, may_hold))
    signed = np.concatenate([dark[:, :0:-1] + light[:, :1], light + dark[:, :1]], axis=1)
    return np.asarray(softmax(signed, axis=1))


def stack_probabilities(
    image: Image,
    grid: Grid,
    points: list[int],
    colours: Floats,
    augmentations: Augmentations = STACK_AUGMENTATIONS,
    may_hold: Mask | None = None,
) -> Floats:
    """(2, N, 16) probabilities of 0..15 checkers of either side on each of N points.

    `colours`: (N, 2, 3) BGR of the two sides; `may_hold`: (2, N) whether light, dark may be on each
    point; the net is asked only there. Averaged over augmented strips.
    """
    net, pixels = load_net("stacks"), stack_pixels(grid, points, margin_of(augmentations))
    seen = coloured_input(strips_at(image, pixels), colours, stack_parallaxes(grid, points))
    out = np.full((2, len(points), CHECKERS + 1), MIN_PROBABILITY)
    out[:, :, 0] = 1 - CHECKERS * MIN_PROBABILITY
    for side, inputs in enumerate((seen, seen[:, OTHER_SIDES_CHANNELS])):
        asked = np.arange(len(points)) if may_hold is None else np.flatnonzero(may_hold[side])
        if len(asked):
            views = inputs[asked]
            out[side, asked] = mean_probabilities(
                [net(view) for view in augmented_input(views, augmentations)]
            )
    return out
