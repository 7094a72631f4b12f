"""A board with something over part of it is told from one that is no longer there."""

import cv2
import numpy as np
import pytest

from vision.reading.cover import is_partly_there


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
