"""Read a board of which neither the set nor the position is known, to join a game under way."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.errors import CannotLearn
from calibration.grid import Grid
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
"""That must agree before a position is believed."""
LOOK_SECONDS: Final = 0.7
"""Between two of them: a hand that moves on has uncovered what it covered."""
MAX_LOOK_HIDDEN_SHARE: Final = 0.3
"""Of a place's pixels that are neither board nor checker; more is a hand."""
MIN_COUNT_LOG_P: Final = -2.5
"""Log-probability of the position that one look shows, below which it is a guess."""


def read_blindly(image: Image, found: Located) -> Ints | None:
    """(28,) signed counts, 15 checkers a side, of the board found in a (H, W, 3) picture.

    They are numbered as the board's grid lies; None where hands cover it, or it is not clear: of a
    burnt-out checker even whose it is may be read wrong, and alike in every look.
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
    """The set of a board on which `cells` (28,) stand; None where they do not suffice to learn."""
    position = position_of(cells, find_rules(variant).course)
    try:
        return learn_set_in_orientation(image, Grid(found.pose, found.layout), position, variant)
    except CannotLearn:
        return None
