"""A camera and a board's proportions follow from where the field's corners are seen."""

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.layout import LayoutPlaces
from calibration.pose import Pose
from calibration.shape import BAR_WIDTH_INDEX, BoardCamera, FitTerms, shape_from_corners
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
    rotation: Any = np.asarray(cv2.Rodrigues(turn)[0]).ravel()
    shift: Any = -turn @ eye
    return Pose(SIZE, focal * SIZE[0], 0.0, tuple(rotation), tuple(shift), aspect)


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


@pytest.mark.parametrize("bar", [0.075, -0.02])
@pytest.mark.parametrize("radial", [0.0, -0.1])
def test_a_fit_knows_what_each_number_of_a_shape_changes(bar, radial):
    rng = np.random.default_rng(3)
    shape = shape_from_corners(over_a_board(0.85, 30, 1.0, 1.2).corners(), SIZE)
    vector = shape.vector + rng.normal(0, 0.01, 13)
    vector[1], vector[BAR_WIDTH_INDEX] = radial, bar
    shape = replace(shape, vector=vector)
    count = shape.layout.edges().size // 2
    edges = LayoutPlaces.of(lambda layout: layout.edges().reshape(-1, 2))
    along = rng.normal(size=(2, count))
    pulls = FitTerms(edges, along, np.zeros(count))

    def pixels(step):
        moved = replace(shape, vector=shape.vector + step)
        seen = moved.pose.project(moved.layout.edges().reshape(-1, 2))
        return (seen.T * along).sum(axis=0)

    steps = 1e-6 * np.eye(13)
    differences = np.stack([(pixels(step) - pixels(-step)) / 2e-6 for step in steps])
    residuals, slopes = pulls.linearised(shape)
    assert residuals == pytest.approx(pixels(np.zeros(13)))
    assert slopes == pytest.approx(differences, rel=1e-5, abs=1e-3)


def test_the_strain_of_a_shape_changes_as_its_slopes_say():
    shape = shape_from_corners(over_a_board(0.85, 30, 1.0, 1.2).corners(), SIZE, Lens(1.3, 0.0))
    step = np.random.default_rng(4).normal(size=13)

    moved = BoardCamera(shape.vector + step, SIZE, shape.lens)

    assert moved.prior_residuals - shape.prior_residuals == pytest.approx(
        shape.prior_jacobian @ step
    )
