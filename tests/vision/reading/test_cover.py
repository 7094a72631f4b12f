"""A board with something over part of it is told from one that is no longer there."""

import cv2
import numpy as np
import pytest

from calibration.pose import Pose
from engine.evidence.observation import CELLS
from vision.checkers.disc_model import HIDDEN_SHARE, SIDES_SHARE, UNREADABLE_SHARE, DiscCounts
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


def counted(readable, covered=0.0):
    """Counts where so much of the board was readable, and was under a sheet of paper."""
    lost = UNREADABLE_SHARE * (1 - readable)
    share = SIDES_SHARE + HIDDEN_SHARE * lost
    hidden, under = np.full((2, CELLS), [[share], [covered]], np.float32)
    return DiscCounts(np.zeros((CELLS, 31), np.float32), hidden, {}, covered=under)


class Watched:
    """A `CoverWatch` that is shown a picture every tenth of a second."""

    def __init__(self):
        above = Pose((320, 180), 2560.0, 0.0, (np.pi, 0.0, 0.0), (-0.5, 0.289, 10.0), 0.578)
        self.watch, self.seconds = CoverWatch(above), 0.0
        self.watch.read(BEFORE, counted(1.0), 0.0)

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
    watched.watch.read(HALF_COVERED, counted(0.2), watched.seconds)
    assert watched.show(HALF_COVERED, 1.0), "and whatever is read of the rest"
    assert not watched.show(BEFORE, 0.1, is_moving=True), "something moves: it is taken away"
    assert not watched.show(BEFORE, 0.4, has_hand=False)


def test_a_count_that_finds_neither_board_nor_checkers_is_enough():
    watched = Watched()
    aside = np.concatenate([view(2)[:, :104], BEFORE[:, 104:]], axis=1)
    watched.watch.counted(aside, counted(0.7), watched.seconds)
    assert not watched.show(aside, 0.8), "a hand may rest there"
    assert watched.show(aside, 0.4)
    watched.watch.read(BEFORE, counted(0.9), watched.seconds)
    assert not watched.watch.is_covered


def test_light_that_looks_like_a_cover_does_not_end_the_match():
    watched = Watched()
    aside = np.concatenate([view(2)[:, :104], BEFORE[:, 104:]], axis=1)
    for _ in range(7):
        watched.watch.read(aside, counted(0.7), watched.seconds)
        watched.show(aside, 10.0, has_hand=False)
    assert not watched.watch.is_hidden
    watched.show(aside, 0.1, is_moving=True)
    watched.watch.read(aside, counted(0.7), watched.seconds)
    assert not watched.watch.is_hidden


def test_a_sheet_that_looks_like_checkers_is_enough():
    watched = Watched()
    aside = np.concatenate([view(2)[:, :72], BEFORE[:, 72:]], axis=1)
    watched.watch.read(aside, counted(0.7, covered=0.15), watched.seconds)
    assert watched.show(aside, 1.2, has_hand=False)


def test_a_board_in_light_in_which_its_colors_are_strange_is_not_covered():
    watched = Watched()
    dim = cv2.convertScaleAbs(BEFORE, alpha=0.6)
    watched.watch.read(dim, counted(0.3), watched.seconds)
    assert not watched.show(dim, 2.0)
    watched.watch.read(HALF_COVERED, counted(0.3), watched.seconds)
    assert not watched.watch.is_hidden, "checkers have been moved since the last clear view"


def test_a_board_that_can_be_read_is_not_covered_whatever_has_changed():
    watched = Watched()
    assert watched.show(HALF_COVERED, 2.0)
    watched.watch.read(HALF_COVERED, counted(0.95), watched.seconds)
    assert not watched.watch.is_covered
    assert not watched.show(HALF_COVERED, 2.0)


def test_other_light_and_a_hand_are_no_cover():
    watched = Watched()
    assert not watched.show(cv2.convertScaleAbs(BEFORE, alpha=0.6), 3.0)
    hand = BEFORE.copy()
    hand[100:, 120:180] = 120
    assert not watched.show(hand, 3.0)
