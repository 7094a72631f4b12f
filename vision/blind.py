"""Read a board of which nothing is known: the set is learnt from the picture that is read.

A first, honest version: what is round and stands on a point is a checker, two groups of colours
are two sides, and what the others do not cover is felt. No numbering follows from that.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import Colours, perceptual
from calibration.grid import Grid
from calibration.opening import appearance_of
from engine import Side
from vision.checkers import Counted, count_checkers
from vision.errors import BoardNotFound
from vision.rings import find_rings

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

ROUNDS: Final = 3  # colours from the rings, then from what is read with them
GROUPING: Final = 12
FEWEST: Final = 4  # rings from which two groups can be told
CORE: Final = 0.3  # radius over diameter of the part of a disc that is surely checker


def count_blind(image: Image, grid: Grid) -> Counted:
    """What stands on the board in a (H, W, 3) BGR picture; cells are numbered as the grid lies.

    `BoardNotFound` where the field shows no two colours of checkers on points.
    """
    picture = grid.rectify(image)
    colours = perceptual(picture)
    rings, _, diameter = find_rings(colours, grid)
    if len(rings) < FEWEST:
        raise BoardNotFound(
            "no checkers were told apart on the board: learn it with `tableside calibrate` and "
            "give its --profile"
        )
    centers = _two_sides(colours, rings, diameter)
    counts = _occupied(grid, centers)
    for _ in range(ROUNDS):
        appearance = appearance_of(picture, grid, counts, centers, diameter)
        counted = count_checkers(colours, grid, appearance)
        counts, centers = _found(counted)
        if min(len(each) for each in centers.values()) == 0 or 0 not in counts:
            break
    return counted


def _two_sides(colours: Colours, rings: Floats, diameter: float) -> dict[Side, Floats]:
    """The rings by the two groups of colours of their middles; the lighter group is light."""
    middles = np.array([_middle(colours, ring, diameter) for ring in rings])
    means = middles[[middles[:, 0].argmin(), middles[:, 0].argmax()]]
    for _ in range(GROUPING):
        nearest = np.linalg.norm(middles[:, None] - means[None], axis=2).argmin(axis=1)
        means = np.array([np.median(middles[nearest == group], axis=0) for group in (0, 1)])
    return {Side.DARK: rings[nearest == 0], Side.LIGHT: rings[nearest == 1]}


def _middle(colours: Colours, ring: Floats, diameter: float) -> Floats:
    reach = round(CORE * diameter)
    x, y = np.rint(ring).astype(int)
    patch = colours[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1]
    return np.asarray(np.median(patch.reshape(-1, 3), axis=0), float)


def _occupied(grid: Grid, centers: dict[Side, Floats]) -> list[int]:
    """(24,) how many rings stand on each point, dark ones negative; the emptiest has none."""
    counts = [0] * 24
    for side, found in centers.items():
        for x, y in found:
            counts[_point_at(grid, x, y) - 1] += 1 if side is Side.LIGHT else -1
    if 0 not in counts:
        counts[int(np.abs(counts).argmin())] = 0
    return counts


def _point_at(grid: Grid, x: float, y: float) -> int:
    row = range(13, 25) if y < grid.size[1] / 2 else range(1, 13)
    places = np.array([(grid.layout.point_x(point), 0.0) for point in row])
    return row[int(np.abs(grid.to_pixels(places)[:, 0] - x).argmin())]


def _found(counted: Counted) -> tuple[list[int], dict[Side, Floats]]:
    counts: list[int] = counted.most_likely[:24].tolist()
    found: dict[Side, list[Floats]] = {side: [np.zeros((0, 2))] for side in Side}
    for cell, count in enumerate(counts):
        side = Side.LIGHT if count > 0 else Side.DARK
        found[side].append(counted.centers(cell, count))
    return counts, {side: np.concatenate(each) for side, each in found.items()}
