"""A camera and a board's proportions follow from where the field's corners are seen."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.pose import Pose
from calibration.shape import shape_from_corners
from calibration.sheet import Lens

SIZE = (640, 480)


def over_a_board(aspect, tilt, way, focal):
    """A camera that looks at the middle of a board from `tilt` degrees off straight down."""
    down = np.radians(tilt)
    toward = np.array([np.cos(way) * np.sin(down), np.sin(way) * np.sin(down), np.cos(down)])
    right = np.cross((0.0, 1.0, 0.0), toward)
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(right, toward), -toward])
    eye = np.array([0.5, aspect / 2, 0.0]) + 2.2 * toward
    rotation = np.asarray(cv2.Rodrigues(turn)[0]).ravel()
    return Pose(SIZE, focal * SIZE[0], 0.0, tuple(rotation), tuple(-turn @ eye), aspect)


@given(st.floats(0.65, 1.1), st.floats(0, 45), st.floats(0, 6.28), st.floats(0.9, 1.6))
def test_a_board_of_any_proportions_starts_from_where_it_is_seen(aspect, tilt, way, focal):
    corners = over_a_board(aspect, tilt, way, focal).corners()

    shape = shape_from_corners(corners, SIZE)

    assert np.abs(shape.pose.corners() - corners).max() < 8.0


def test_a_board_seen_through_its_own_lens_is_found_to_the_pixel():
    pose = over_a_board(0.97, 5, 1.0, 1.3)

    shape = shape_from_corners(pose.corners(), SIZE, Lens(1.3, 0.0))

    assert shape.pose.corners() == pytest.approx(pose.corners(), abs=0.5)
    assert shape.pose.aspect == pytest.approx(0.97, abs=0.01)
