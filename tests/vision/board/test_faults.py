"""A picture that cannot be read has a one-line message, and is never read as a board."""

import re

import cv2
import numpy as np
import pytest

from calibration.grid import Grid
from calibration.layout import Layout
from calibration.pose import Pose
from tests.calibration.drawn_board import drawn_board
from vision.board.faults import (
    blur_faults,
    dice_faults,
    field_faults,
    picture_faults,
    view_advice,
    view_faults,
)
from vision.errors import VisionError
from vision.reading.single_image import read_still
from vision.sources.frame import MAX_PIXELS, read_image


def chess_board():
    squares = np.indices((8, 8)).sum(axis=0) % 2 * 200 + 20
    grey = np.kron(squares, np.ones((45, 45))).astype(np.uint8)
    return cv2.cvtColor(cv2.copyMakeBorder(grey, 20, 20, 140, 140, 0, value=90), cv2.COLOR_GRAY2BGR)


def noise():
    return np.random.default_rng(7).integers(0, 255, (360, 640, 3), np.uint8)


BAD = {
    "one pixel": np.full((1, 1, 3), 80, np.uint8),
    "one row": np.full((1, 900, 3), 80, np.uint8),
    "one grey": np.full((360, 640, 3), 90, np.uint8),
    "black": np.zeros((360, 640, 3), np.uint8),
    "white": np.full((360, 640, 3), 255, np.uint8),
    "noise": noise(),
    "chess": chess_board(),
    "empty board": drawn_board(),
    "dark board": (drawn_board() * 0.1).astype(np.uint8),
    "half a board": drawn_board()[:, :300],
    "two empty boards": np.hstack([drawn_board((480, 360)), drawn_board((480, 360))]),
}


@pytest.mark.parametrize("name", BAD)
def test_a_picture_without_a_game_is_refused_or_read_as_nothing_certain(name):
    try:
        still = read_still(BAD[name], None)
    except VisionError:
        return
    held = np.delete(still.chances[:24], 15, axis=1).max(axis=1)
    assert held.max() < 0.95


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (np.zeros((1, 1, 3), np.uint8), "only 1x1 pixels"),
        (np.zeros((360, 640, 3), np.uint8), "too dark"),
        (np.full((360, 640, 3), 255, np.uint8), "overexposed"),
    ],
)
def test_a_fault_of_a_picture_has_its_message(image, expected):
    (fault,) = picture_faults(image)
    assert expected in str(fault)


def test_a_huge_picture_is_refused_before_anything_is_computed():
    huge = np.broadcast_to(np.zeros(3, np.uint8), (15_000, 20_000, 3))  # takes no memory
    (fault,) = picture_faults(huge)
    assert f"20000x15000 pixels, more than the limit of {MAX_PIXELS // 10**6} million" in str(fault)


def test_the_faults_of_a_board_far_away_name_their_figures(located):
    near = Grid(located.pose, located.layout)
    far = Grid(located.pose.resized((240, 135)), located.layout)
    tiny = np.zeros((135, 240, 3), np.uint8)

    assert dice_faults(near) == ()
    (dice,) = dice_faults(far)
    assert "a die on the far side is 3 pixels wide, but 13 are needed" in str(dice)
    assert re.search(
        r"points are only \d+ pixels wide, but 12 are needed", str(field_faults(tiny, far)[0])
    )


def test_a_picture_in_focus_is_not_blurred_and_a_blurred_one_is(opening_image, located):
    grid = Grid(located.pose, located.layout)
    assert blur_faults(opening_image, grid) == ()
    assert blur_faults(cv2.GaussianBlur(opening_image, (0, 0), 9), grid) != ()


def test_a_softer_picture_is_read_than_a_set_is_learnt_from(opening_image, located):
    grid = Grid(located.pose, located.layout)
    soft = cv2.GaussianBlur(opening_image, (0, 0), 4.5)
    assert blur_faults(soft, grid) == ()
    assert "the picture is blurred" in str(field_faults(soft, grid)[-1])


def test_light_that_is_dim_is_not_taken_for_blur(opening_image, located):
    grid = Grid(located.pose, located.layout)
    assert blur_faults((opening_image // 3 + 60).astype(np.uint8), grid) == ()


def seen_from(tilt, down=0.4, away=2.5):
    pose = Pose((1280, 720), 1500, 0, (np.pi - np.radians(tilt), 0, 0), (-0.5, down, away), 0.85)
    return Grid(pose, Layout(0.075, 0.4, 0.93))


def test_more_pixels_are_advised_only_where_a_picture_has_few():
    (large,), (small,) = (
        dice_faults(Grid(pose, Layout(0.075, 0.4, 0.93)))
        for pose in (seen_from(20, away=6).pose, seen_from(20, away=6).pose.resized((640, 360)))
    )
    assert str(large).endswith("move the camera closer or zoom in")
    assert str(small).endswith("or use one with a higher resolution")


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        (seen_from(20), None),
        (seen_from(52), None),  # as a wide field appears from 36 degrees
        (seen_from(20, down=0.7), "is outside the picture"),
        (seen_from(20, down=0.0), "is outside the picture"),
        (seen_from(60), "the whole board is not visible"),
    ],
)
def test_a_board_that_is_not_whole_in_the_picture_is_a_fault(grid, expected):
    faults = view_faults(grid)
    assert (expected is None and not faults) or expected in str(faults[0])


@pytest.mark.parametrize("flag", ["16-bit", "grey"])
def test_other_depths_of_pixels_are_read_as_usual_ones(flag, tmp_path):
    board = drawn_board((160, 100))
    path = tmp_path / "board.png"
    wide = board.astype(np.uint16) * 257
    cv2.imwrite(str(path), wide if flag == "16-bit" else cv2.cvtColor(board, cv2.COLOR_BGR2GRAY))
    read = read_image(path)
    assert (read.dtype, read.shape) == (np.uint8, board.shape)
    if flag == "16-bit":
        assert (read == board).all()


@pytest.mark.parametrize(("tilt", "advice"), [(3, "to the side"), (27, None), (48, "overhead")])
def test_the_advice_is_an_angle_from_which_stacks_are_seen(tilt, advice):
    faults = view_advice(seen_from(tilt))
    assert (advice is None and not faults) or advice in str(faults[0])
