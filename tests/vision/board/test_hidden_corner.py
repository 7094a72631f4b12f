"""The place of a corner that nothing shows follows from the other corners and the bar's ends."""

import cv2
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from vision.board.keypoints import complete_quads

FIELD = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
BAR = np.array([(0.5, 0), (0.5, 1)], float)
SQUARE = np.array([(60, 40), (260, 40), (260, 160), (60, 160)], float)
moves = st.lists(st.floats(-30, 30), min_size=8, max_size=8)


@given(moves, st.integers(0, 3))
def test_the_fourth_corner_is_where_the_camera_would_see_it(moved, hidden):
    corners = SQUARE + np.reshape(moved, (4, 2))
    assume(cv2.isContourConvex(corners.astype(np.float32)))
    camera = cv2.getPerspectiveTransform(FIELD.astype(np.float32), corners.astype(np.float32))
    ends = cv2.perspectiveTransform(BAR[None], camera.astype(float))[0]
    shares = np.linalg.norm(ends - corners[[0, 3]], axis=1) / np.linalg.norm(
        corners[[1, 2]] - corners[[0, 3]], axis=1
    )
    assume(np.all(np.abs(shares - 0.5) < 0.19))

    found = complete_quads([*np.delete(corners, hidden, axis=0)], [*ends])

    away = [np.abs(np.roll(one, turn, axis=0)[::way] - corners).max()
            for one in found for turn in range(4) for way in (1, -1)]  # fmt: skip
    assert min(away) < 0.05


def test_nothing_is_made_up_of_two_corners_or_one_end_of_a_bar():
    corners, ends = [*SQUARE], [np.array([160.0, 40.0]), np.array([160.0, 160.0])]

    assert len(complete_quads(corners[:2], ends)) == 0
    assert len(complete_quads(corners[:3], ends[:1])) == 0
    assert len(complete_quads([SQUARE[0]] * 3, ends)) == 0
