"""Reads a board whose set and position are both unknown, to join a game under way."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.errors import CannotLearn
from calibration.grid import Grid
from calibration.known_position import absent_sides
from engine.arrays import Image, Ints
from engine.evidence.likelihood import position_of
from engine.evidence.observation import CELLS
from engine.evidence.whole_board import most_probable
from engine.position import CHECKERS
from engine.rules import find_rules
from vision.board.faults import blur_faults, glare_faults, view_faults
from vision.board.locate import Located
from vision.checkers.unknown_set import count_unknown_set
from vision.reading.learn_set import LearntSet, learn_set_in_orientation

MIN_LOOKS: Final = 2
"""Number of looks that must agree before a position is believed."""
LOOK_SECONDS: Final = 0.7
"""Seconds between two looks: long enough for a moving hand to uncover what it covered."""
MAX_LOOK_HIDDEN_SHARE: Final = 0.3
"""Share of a place's pixels that may be neither board nor checker, or under a hand."""
MIN_COUNT_LOG_P: Final = -2.5
"""Log-probability below which the position that one look shows is only a guess."""


def read_blindly(image: Image, found: Located) -> Ints | None:
    """Return the (28,) signed counts, 15 checkers a side, of the board in an (H, W, 3) picture.

    Cells are numbered in the orientation of the board's grid. Returns None where hands cover the
    board or the picture is unclear: even the owner of an overexposed checker may be misread, and
    in the same way at every look.
    """
    grid = Grid(found.pose, found.layout)
    if view_faults(grid) or blur_faults(image, grid) or glare_faults(image, grid):
        return None
    counted = count_unknown_set(image, grid)
    if (counted.hidden[:24] > MAX_LOOK_HIDDEN_SHARE).any():
        return None
    cells = most_probable(counted.counts.astype(np.float64))
    log_p = counted.counts[np.arange(CELLS), cells + CHECKERS].sum()
    return cells if log_p > MIN_COUNT_LOG_P else None


def learn_joined(image: Image, found: Located, cells: Ints, variant: str) -> LearntSet | None:
    """Learn the set of a board that holds `cells` (28,); None if they are too few to learn from."""
    position = position_of(cells, find_rules(variant).course)
    if absent_sides(position):
        return None
    try:
        return learn_set_in_orientation(image, Grid(found.pose, found.layout), position, variant)
    except CannotLearn:
        return None
