"""Both colours on one point: a hit that was forgotten, or a play put down wrong.

The checkers' net counts such a point rightly but calls all of it one side's; each checker's own
colour, held against the set's two colours as they show in the same picture, tells them apart.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.grid import Grid
from calibration.known_position import ROW
from engine.arrays import Floats, Image
from engine.position import CHECKERS
from vision.checkers.side_colours import disc_colours

CLEARLY: Final = 2.5
"""How many times nearer to one of the set's colours than to the other a checker's must be."""
NEAR: Final = 6.0
"""How unlike the likest of its side's a checker's colour may be, Lab with the lightness scaled: on
real boards nine in ten are no more. What is unlike either side's is no checker but the board beside
a row, or the sides are mistaken."""
SETTLED: Final = 0.98
"""Probability that a point is one side's from which the net is believed."""


def mixed_points(picture: Image, grid: Grid, chances: Floats) -> dict[int, tuple[int, int]]:
    """How many light and dark checkers stand on each cell of the 24 that holds both.

    `picture`: (h, w, 3) uint8 BGR as `grid` rectifies it; `chances`: (26, 31) of signed counts,
    as the net has them. Tall stacks hide who lies below: not told.
    """
    counts = chances[:24].argmax(axis=1) - CHECKERS
    light_share = chances[:, CHECKERS + 1 :].sum(axis=1)
    dark_share = chances[:, :CHECKERS].sum(axis=1)
    discs = {
        int(cell): disc_colours(picture, grid, int(cell) + 1, abs(int(counts[cell])))
        for cell in np.flatnonzero(counts)
    }
    found = {}
    for cell, colours in discs.items():
        settled = max(light_share[cell], dark_share[cell]) > SETTLED
        if not settled and len(colours) == abs(counts[cell]) <= ROW:
            others = {other: discs[other] for other in discs if other != cell}
            to_light = _apart(colours, [others[other] for other in others if counts[other] > 0])
            to_dark = _apart(colours, [others[other] for other in others if counts[other] < 0])
            is_light, is_dark = CLEARLY * to_light < to_dark, CLEARLY * to_dark < to_light
            known = (np.minimum(to_light, to_dark) < NEAR).all()
            if known and (is_light | is_dark).all() and is_light.any() and is_dark.any():
                found[cell] = (int(is_light.sum()), int(is_dark.sum()))
    return found


def _apart(colours: Floats, groups: list[Floats]) -> Floats:
    """(N,) distance of each colour to the nearest of one side's; endless where none is seen.

    The nearest, for one side's checkers shine differently from end to end of a board.
    """
    seen = np.concatenate([np.full((1, 3), np.inf), *groups])
    return np.asarray(np.linalg.norm(colours[:, None] - seen[None], axis=2).min(axis=1))
