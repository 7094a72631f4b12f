"""Points with both colors are found where there are two colors, not where the count is wrong."""

import numpy as np
import pytest

from calibration.grid import Grid
from engine.position import CHECKERS
from tests.calibration.drawn_board import LAYOUT, drawn_board, drawn_pose, with_checkers
from vision.checkers.side_colours import mixed_points

COUNTS = np.array([-2, 0, 0, 0, 0, 4, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -4, 0, 0, 0, 0, 2])
CREAM, BLACK = (205, 228, 238), (20, 20, 20)  # a pale point resembles neither, but cream most


@pytest.fixture(scope="module")
def grid():
    return Grid(drawn_pose(), LAYOUT)


def unsure_of(cell, count, counts=COUNTS):
    """Certain counts, except for one point, whose count is given and whose owner is uncertain."""
    chances = np.zeros((26, 31))
    chances[:24][np.arange(24), CHECKERS + counts] = 1.0
    chances[24:, CHECKERS] = 1.0
    chances[cell] = 0.0
    chances[cell, [CHECKERS + count, CHECKERS - count]] = 0.6, 0.4
    return chances


def test_the_board_beside_a_row_is_no_checker_of_the_other_side(grid):
    picture = grid.rectify(with_checkers(drawn_board(), COUNTS, CREAM, BLACK))

    assert mixed_points(picture, grid, unsure_of(0, 3)) == {}


def test_checkers_of_both_sides_on_one_point_are_recognised(grid):
    below = COUNTS.copy()
    below[5] = -1  # a dark one at the rail, with three light ones in front of it
    board = with_checkers(with_checkers(drawn_board(), COUNTS, CREAM, BLACK), below, CREAM, BLACK)

    assert mixed_points(grid.rectify(board), grid, unsure_of(5, 4)) == {5: (3, 1)}
