"""Frames against the reference, whichever way the picture lies."""

from typing import Any

import cv2
import numpy as np
import pytest

from vision.board.locate import locate_board
from vision.steady.steadier import Steadier


@pytest.mark.parametrize(
    ("turn", "shape"),
    [(None, (180, 320)), (cv2.ROTATE_90_CLOCKWISE, (320, 180))],
    ids=["landscape", "portrait"],
)
def test_a_shake_is_cancelled_in_a_small_picture_of_either_side(opening_image, turn, shape):
    picture: Any = opening_image if turn is None else cv2.rotate(opening_image, turn)
    height, width = picture.shape[:2]
    shaken: Any = cv2.warpAffine(
        picture,
        np.array([[1, 0, 3], [0, 1, -2]], np.float32),
        (width, height),
        borderMode=cv2.BORDER_REPLICATE,
    )
    steadier = Steadier(locate_board(picture).pose)
    before, after = steadier.process(picture), steadier.process(shaken)
    assert before.picture.shape == after.picture.shape == shape
    assert after.shift == pytest.approx(np.hypot(3, 2) / 2, abs=0.1)
    inside = np.s_[40:-40, 40:-40]
    difference = cv2.absdiff(before.picture, after.picture)[inside]
    assert difference.mean() < 1
    assert cv2.absdiff(after.frame(shaken), picture)[80:-80, 80:-80].mean() < 3


def test_a_board_that_was_knocked_is_seen_in_the_light_it_was_learnt_in(opening_image):
    height, width = opening_image.shape[:2]
    move = np.array([[1, 0, 25], [0, 1, -15]], np.float32)
    knocked: Any = cv2.warpAffine(
        opening_image, move, (width, height), borderMode=cv2.BORDER_REPLICATE
    )
    dim = (0.75 * knocked).astype(np.uint8)
    pose = locate_board(opening_image).pose
    before = Steadier(pose)
    first = before.process(opening_image)
    after = Steadier(locate_board(knocked).pose, before)
    seen, alone = after.process(dim), Steadier(locate_board(knocked).pose).process(dim)

    inside = np.s_[50:-50, 80:-80]
    there = first.picture[inside].mean()
    assert seen.picture[inside].mean() == pytest.approx(there, rel=0.03)
    assert alone.picture[inside].mean() < 0.8 * there
    assert cv2.absdiff(seen.frame(dim), knocked)[90:-90, 160:-160].mean() < 6
