"""Learn a set from one picture of a position that is known: pose, numbering, colours, size.

The result gates itself: what was learnt must read its own picture exactly, or the reason why
it does not is the error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import Appearance
from calibration.grid import PITCH, Grid
from calibration.layout import Layout
from calibration.opening import (
    USUAL_DIAMETER,
    four_ways,
    learn_appearance,
    standing,
    way_score,
)
from calibration.pose import Pose
from engine import Position, Side, cell_counts
from engine.evidence import DARK_BAR, LIGHT_BAR
from engine.position import CHECKERS
from vision.checkers import Counted, count_checkers

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

ROUNDS: Final = 2  # colours from where checkers should stand, then from where they do
DIAMETERS: Final = tuple(np.arange(0.83, 1.01, 0.015) * PITCH)  # tried; sets run 0.85 to 0.97
ENOUGH: Final = 10.0  # margin in log-likelihood beyond which a point needs no better reading


@dataclass(frozen=True, slots=True, eq=False)
class Adapted:
    """What one picture of a known position taught."""

    grid: Grid
    appearance: Appearance
    counted: Counted
    """The same picture read with it."""
    differences: tuple[str, ...]
    """Where the reading differs from what is known, in words; empty when it can be trusted."""
    matching: int
    """How many of the 24 points read as known."""


def adapt(image: Image, pose: Pose, layout: Layout, position: Position) -> Adapted:
    """What `image` (H, W, 3) BGR teaches when it shows `position`, whichever way round."""
    grids = [Grid(way, layout) for way in four_ways(pose)]
    grid = max(grids, key=lambda each: way_score(each.rectify(image), each, position))
    return adapt_known_way(image, grid, position)


def adapt_known_way(image: Image, grid: Grid, position: Position) -> Adapted:
    """As `adapt`, with the numbering already settled."""
    picture = grid.rectify(image)
    centers = standing(position, grid, USUAL_DIAMETER)
    appearance = learn_appearance(picture, grid, position, centers, USUAL_DIAMETER)
    for _ in range(ROUNDS):
        appearance = _best_diameter(picture, grid, appearance, position)
        centers = _found_centers(count_checkers(picture, grid, appearance), position)
        appearance = learn_appearance(picture, grid, position, centers, appearance.diameter)
    appearance = _best_diameter(picture, grid, appearance, position)
    counted = count_checkers(picture, grid, appearance)
    differences = tuple(_differences(counted, position))
    wrong = sum(text.startswith("the ") and "point" in text for text in differences)
    return Adapted(grid, appearance, counted, differences, 24 - wrong)


def _best_diameter(
    picture: Image, grid: Grid, appearance: Appearance, position: Position
) -> Appearance:
    """The appearance with the diameter that tells the known counts best from any other."""
    known = cell_counts(position)[:24] + CHECKERS
    cells = np.arange(24)

    def margin(diameter: float) -> float:
        trial = replace(appearance, diameter=diameter)
        rows = count_checkers(picture, grid, trial).counts[:24].copy()
        own = rows[cells, known]
        rows[cells, known] = -np.inf
        return float(np.minimum(own - rows.max(axis=1), ENOUGH).mean())

    return replace(appearance, diameter=max(DIAMETERS, key=margin))


def _found_centers(counted: Counted, position: Position) -> dict[Side, Floats]:
    """Where the known number of checkers of each point is seen."""
    found: dict[Side, list[Floats]] = {Side.LIGHT: [], Side.DARK: []}
    for cell, count in enumerate(position.signed()):
        side = Side.LIGHT if count > 0 else Side.DARK
        found[side].append(counted.centers(cell, count))
    return {side: np.concatenate(each) for side, each in found.items()}


def _differences(counted: Counted, position: Position) -> list[str]:
    known = cell_counts(position)
    read = counted.counts.argmax(axis=1) - CHECKERS
    words = [
        f"the {cell + 1}-point shows {_side_count(read[cell])}, expected {_side_count(known[cell])}"
        for cell in range(24)
        if read[cell] != known[cell]
    ]
    bar = [read[cell] for cell in (LIGHT_BAR, DARK_BAR) if read[cell] != known[cell]]
    return words + [f"the bar shows {_side_count(count)}, expected none" for count in bar]


def _side_count(count: int) -> str:
    if not count:
        return "none"
    return f"{abs(count)} {'light' if count > 0 else 'dark'}"
