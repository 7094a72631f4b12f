"""Read a board of which nothing is known: the trained net counts, no set is learnt first.

Where the counted checkers stand follows from this picture's own colours, learnt at the places
that the counts name. No numbering follows from that.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.appearance import perceptual
from calibration.grid import Grid
from calibration.opening import ROW, USUAL_DIAMETER, appearance_of, column
from engine import Side
from engine.evidence import CELLS, DARK_OFF, LIGHT_OFF
from engine.position import CHECKERS
from vision.checkers import Counted, count_checkers
from vision.conservation import ALL_IN_PLAY, as_in_play, conserved, may_be_off
from vision.lesson import Lesson
from vision.mixed_points import mixed_points
from vision.strip_counts import net_chances
from vision.trays import borne_off
from vision.two_colours import with_two_colours

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

DISCS: Final = 0.2
"""Weight of the discs beside the net, which sees the same pixels and knows more of stacks."""
LEAST_DISCS: Final = -12.0
"""Nats by which they make a count less likely than another at most."""
POINTS: Final = 24
LEAST: Final = 1e-9
"""Probability below which a count's is not told from another's."""


def count_blind(image: Image, grid: Grid, lesson: Lesson | None = None) -> Counted:
    """What stands on the board in a (H, W, 3) BGR picture; cells are numbered as the grid lies.

    `lesson`: what is known of the set all the same, from another picture.
    """
    picture = grid.rectify(image)
    by_net = net_chances(picture, grid, lesson, carefully=True)
    seen = with_two_colours(picture, grid, by_net, None if lesson is None else lesson.colours)
    placed = as_in_play(seen)
    discs = _discs(picture, grid, (placed[:POINTS].argmax(axis=1) - CHECKERS).tolist())
    placed[:POINTS] = _with_discs(placed[:POINTS], discs.counts[:POINTS])
    points = placed[:POINTS].argmax(axis=1) - CHECKERS
    off = borne_off(image, picture, grid, points) if may_be_off(placed) else None
    in_play = ALL_IN_PLAY if lesson is None else lesson.in_play
    chances, totals = conserved(placed, in_play, off)
    counts = np.full((CELLS, chances.shape[1]), np.log(LEAST), np.float32)
    counts[: len(chances)] = np.log(np.maximum(chances, LEAST))
    gone = CHECKERS - np.arange(CHECKERS + 1)
    for cell, way, left in zip((LIGHT_OFF, DARK_OFF), (1, -1), totals, strict=True):
        counts[cell, CHECKERS + way * gone] = np.log(np.maximum(left, LEAST))
    return Counted(counts, discs.hidden, discs.columns, mixed_points(picture, grid, by_net))


def _with_discs(chances: Floats, counts: NDArray[np.float32]) -> Floats:
    """(24, 31) probabilities, given the log-likelihoods of the discs that were found too."""
    least = np.maximum(counts - counts.max(axis=1, keepdims=True), LEAST_DISCS)
    weighed = np.maximum(chances, LEAST) * np.exp(DISCS * least.astype(np.float64))
    return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))


def _discs(picture: Image, grid: Grid, counts: list[int]) -> Counted:
    """The discs that this picture's own colours show, learnt where the counted points have them.

    Where these colours cannot be learnt it tells nothing but where the counted checkers stand.
    """
    rows = {
        cell: column(grid, cell + 1, min(abs(count), ROW), USUAL_DIAMETER)
        for cell, count in enumerate(counts)
        if count
    }
    centers = {
        side: np.concatenate(
            [np.zeros((0, 2))]
            + [row for cell, row in rows.items() if (counts[cell] > 0) == (side is Side.LIGHT)]
        )
        for side in Side
    }
    if min(len(each) for each in centers.values()) and 0 in counts:
        appearance = appearance_of(picture, grid, counts, centers, USUAL_DIAMETER)
        return count_checkers(perceptual(picture), grid, appearance)
    columns = {
        (cell, Side.LIGHT if counts[cell] > 0 else Side.DARK): [
            row[: shown + 1] for shown in range(len(row))
        ]
        for cell, row in rows.items()
    }
    blank = np.zeros((CELLS, 2 * CHECKERS + 1), np.float32)
    return Counted(blank, blank[:, 0], columns)
