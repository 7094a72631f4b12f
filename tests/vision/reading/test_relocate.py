"""Whether a board that was found again is seen from the other side of the table."""

import numpy as np
import pytest

from engine import cell_counts, find_rules
from engine.evidence.observation import CELLS, COUNTS
from engine.position import CHECKERS
from vision.checkers.disc_model import DiscCounts
from vision.reading.relocate import is_turned


def reading_of(cells):
    counts = np.full((CELLS, COUNTS), -20.0, np.float32)
    counts[np.arange(CELLS), cells + CHECKERS] = 0.0
    return DiscCounts(counts, np.zeros(CELLS, np.float32), {})


def test_from_the_other_side_the_13_point_lies_where_the_ace_point_lay():
    expected = cell_counts(find_rules("short").opening())
    turned = expected.copy()
    turned[:24] = [expected[(cell + 12) % 24] for cell in range(24)]
    assert is_turned(reading_of(turned), expected)
    assert not is_turned(reading_of(expected), expected)


@pytest.mark.parametrize("is_turned_too", [False, True])
def test_in_a_mirror_the_ace_point_lies_where_the_12_point_lay(is_turned_too):
    expected = cell_counts(find_rules("short").opening())
    mirrored = expected.copy()
    mirrored[:12], mirrored[12:24] = expected[:12][::-1], expected[12:24][::-1]
    if is_turned_too:
        mirrored[:24] = np.roll(mirrored[:24], 12)
    assert is_turned(reading_of(mirrored), expected)


def test_late_in_a_race_a_play_is_not_taken_for_its_mirror_image():
    expected = np.zeros(CELLS, np.int64)
    expected[[8, 5, 6, 17, 18]] = [1, 2, 2, -3, -3]
    played = expected.copy()
    played[[8, 3]] = [0, 1]
    assert not is_turned(reading_of(played), expected)


def test_a_double_that_moves_twenty_checkers_does_not_turn_the_board():
    """A play of giul, as it was read: half a turn would explain it a little better than none."""
    expected, played = np.zeros((2, CELLS), np.int64)
    expected[:24] = [-3, -1, 1, 0, 0, 0, 0, 0, 0, 2, 0, 1, 2, 0, 1, 1, 1, 1, 1, 1, 1, -4, 0, 2]
    played[:24] = [-3, -1, 1, 2, 1, 1, 2, 1, 1, 0, 0, 0, 1, 0, 2, 1, 0, 0, 1, 0, 0, 0, 0, 1]
    assert not is_turned(reading_of(played), expected)
