"""A board with something over part of it is told from one that is no longer there."""

import cv2
import numpy as np
import pytest

from calibration.pose import Pose
from vision.reading.cover import CoverWatch, is_partly_there
from vision.reading.motion import MotionState


def view(seed):
    """A (180, 320) gray picture full of detail."""
    patches = np.random.default_rng(seed).integers(30, 220, (45, 80), dtype=np.uint8)
    return cv2.resize(patches, (320, 180))


BOARD = np.zeros((180, 320), np.bool_)
BOARD[16:164, 32:288] = True
BEFORE = view(1)
HALF_COVERED = np.concatenate([view(2)[:, :160], BEFORE[:, 160:]], axis=1)
DIMMED = cv2.convertScaleAbs(HALF_COVERED, alpha=0.6)
FLAT = np.full_like(BEFORE, 90)


@pytest.mark.parametrize("now", [HALF_COVERED, DIMMED])
def test_a_board_of_which_a_part_is_as_it_was_is_there(now):
    assert is_partly_there(BEFORE, now, BOARD)


@pytest.mark.parametrize("now", [view(2), np.roll(BEFORE, 40, axis=1), FLAT])
def test_a_board_that_was_moved_or_is_covered_is_not(now):
    assert not is_partly_there(BEFORE, now, BOARD)


def test_a_view_without_detail_tells_nothing():
    assert not is_partly_there(FLAT, FLAT, BOARD)


class Watched:
    """A `CoverWatch` that is shown a picture every tenth of a second."""

    def __init__(self):
        above = Pose((320, 180), 2560.0, 0.0, (np.pi, 0.0, 0.0), (-0.5, 0.289, 10.0), 0.578)
        self.watch, self.seconds = CoverWatch(above), 0.0
        self.watch.read(BEFORE, 1.0, 0.0)

    def show(self, now, seconds, *, has_hand=True, is_moving=False):
        for _ in range(round(10 * seconds)):
            self.seconds += 0.1
            self.watch.update(now, MotionState(is_moving, has_hand), self.seconds)
        return self.watch.is_covered


def test_half_a_board_under_something_is_covered_within_two_seconds():
    watched = Watched()
    assert not watched.show(HALF_COVERED, 0.8), "a hand may be as large, but is gone soon"
    assert watched.show(HALF_COVERED, 1.0)
    assert watched.show(HALF_COVERED, 10.0, has_hand=False), "also if it passes for furniture"
    watched.watch.read(HALF_COVERED, 0.2, watched.seconds)
    assert watched.show(HALF_COVERED, 1.0), "and whatever is read of the rest"
    assert not watched.show(BEFORE, 0.1, is_moving=True), "something moves: it is taken away"
    assert not watched.show(BEFORE, 0.4, has_hand=False)


def test_a_count_that_finds_no_board_under_something_is_enough():
    watched = Watched()
    watched.watch.counted(0.7, watched.seconds)
    assert not watched.show(BEFORE, 0.8), "a hand may rest there"
    assert watched.show(BEFORE, 0.4)
    watched.watch.read(BEFORE, 0.9, watched.seconds)
    assert not watched.watch.is_covered


def test_a_board_that_can_be_read_is_not_covered_whatever_has_changed():
    watched = Watched()
    assert watched.show(HALF_COVERED, 2.0)
    watched.watch.read(HALF_COVERED, 0.95, watched.seconds)
    assert not watched.watch.is_covered
    assert not watched.show(HALF_COVERED, 2.0)


def test_other_light_and_a_hand_are_no_cover():
    watched = Watched()
    assert not watched.show(cv2.convertScaleAbs(BEFORE, alpha=0.6), 3.0)
    hand = BEFORE.copy()
    hand[100:, 120:180] = 120
    assert not watched.show(hand, 3.0)
