"""The comparison of two pictures tells a moved checker from changes to the whole picture."""

import cv2
import numpy as np
import pytest

from calibration.appearance import disc_mask, to_perceptual
from engine.evidence.observation import LIGHT_BAR
from vision.picture_diff import MAX_CHANGE_LOG_RATIO, place_changes

MOVED = (4, 9, 17)
"""Points, from 1, from which a checker was taken or to which one was added."""


@pytest.fixture(scope="module")
def board(adapted, opening_image):
    """The grid, the checkers' diameter in pixels, and the rectified first picture."""
    grid = adapted.profile.grid
    return grid, adapted.profile.appearance().diameter, grid.rectify(opening_image)


def with_discs(board, points=MOVED):
    """The picture with a disc painted in the middle of each of these points."""
    grid, _, picture = board
    painted = picture.copy()
    for point in points:
        y = 0.25 if point <= 12 else 0.75
        pixels = grid.to_pixels(np.array([[grid.layout.point_x(point), y]]))
        here = disc_mask(picture.shape[:2], pixels, board[1] / 2)
        painted[here] = 255 - painted[here] // 2
    return painted


def noisy(picture, levels, seed):
    noise = np.random.default_rng(seed).normal(0, levels, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def shaken(picture, pixels):
    matrix = np.array([[1, 0, pixels], [0, 1, pixels]], float)
    return cv2.warpAffine(picture, matrix, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)


def changes(board, before, after):
    nothing = np.zeros(before.shape[:2], bool)
    return place_changes(to_perceptual(before), to_perceptual(after), nothing, board[0], board[1])


def changed_points(board, before, after):
    return {int(cell) + 1 for cell in np.flatnonzero(changes(board, before, after)[:24] > 0)}


def test_what_moved_is_told_from_what_did_not(board):
    found = changes(board, board[2], with_discs(board))
    moved = np.isin(np.arange(1, 25), MOVED)
    assert (found[:24][moved] == MAX_CHANGE_LOG_RATIO).all()
    assert (found[:24][~moved] == -MAX_CHANGE_LOG_RATIO).all()
    assert found[LIGHT_BAR] < 0


@pytest.mark.parametrize("levels", [0, 8, 14, 25, 60])
def test_noise_makes_no_place_change(board, levels):
    before, after = (noisy(board[2], levels, seed) for seed in (1, 2))
    assert changed_points(board, before, after) == set()


@pytest.mark.parametrize("pixels", [0.5, 1.0, 2.0, 4.0])
def test_a_picture_that_is_badly_registered_makes_few_places_change(board, pixels):
    found = changes(board, board[2], shaken(board[2], pixels))
    assert (found[:24] > 0).sum() <= 1


@pytest.mark.parametrize("levels", [8, 14])
def test_what_moved_is_found_in_noise(board, levels):
    before, after = noisy(board[2], levels, 1), noisy(with_discs(board), levels, 2)
    assert changed_points(board, before, after) == set(MOVED)


def test_where_noise_changes_as_much_as_a_checker_nothing_is_said(board):
    before, after = noisy(board[2], 90, 1), noisy(with_discs(board), 90, 2)
    assert np.abs(changes(board, before, after)).max() < 1
