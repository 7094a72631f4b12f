"""Field coordinates and pixels convert into each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.layout import Layout
from calibration.pose import Pose

places = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5)


def overhead(**changes):
    """A camera 2.5 field widths above the field, looking straight down, then tilted a little."""
    values = {
        "size": (1280, 720),
        "focal": 1500.0,
        "radial": -0.04,
        "rotation": (np.pi - 0.3, 0.0, 0.0),
        "translation": (-0.5, 0.1, 2.5),
        "aspect": 0.84,
    }
    return Pose(**{**values, **changes})


@given(places, st.floats(0, 0.1), st.booleans())
def test_locate_undoes_project(field, height, mirrored):
    pose = overhead(mirrored=mirrored)
    back = pose.locate(pose.project(np.array(field), height), height)

    assert back == pytest.approx(np.array(field), abs=1e-6)


@given(places, st.floats(0, 0.1))
def test_a_picture_shows_what_the_part_cut_out_of_it_shows(field, height):
    part, first = overhead(size=(400, 300), focal=800.0), (120, 310)
    whole = part.within((1280, 720), first)
    places = np.array(field)

    assert whole.project(places, height) == pytest.approx(
        part.project(places, height) + np.array(first), abs=1e-6
    )
    half = whole.resized((640, 360)).project(places, height)
    assert half + 0.5 == pytest.approx((whole.project(places, height) + 0.5) / 2, abs=0.3)


@given(places)
def test_a_half_turn_names_every_place_by_its_opposite(field):
    pose, field = overhead(), np.array(field)

    assert pose.half_turned().project(1 - field) == pytest.approx(pose.project(field), abs=1e-6)


@given(st.floats(-0.05, 0.05), st.floats(-0.05, 0.05), st.floats(-0.1, 0.1), st.booleans())
def test_a_camera_is_found_where_it_was_moved_to(right, back, turn, mirrored):
    before = overhead(mirrored=mirrored)
    after = overhead(
        mirrored=mirrored,
        rotation=(np.pi - 0.3, 0.0, turn),
        translation=(-0.5 + right, 0.1 + back, 2.4),
    )
    places = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0.3, 0.6)], float)

    moved = before.moved_to(places, after.project(places))
    assert moved.project(places, 0.02) == pytest.approx(after.project(places, 0.02), abs=1e-2)


def test_what_is_upright_leans_away_from_the_camera():
    pose = overhead()
    foot = np.array([(0.5, 0.9)])
    eye = pose.eye[:2] / (1, pose.aspect)

    top = pose.locate(pose.project(foot, 0.02))

    assert np.linalg.norm(top - eye) > np.linalg.norm(foot - eye)


def test_points_run_round_the_board_in_order():
    layout = Layout(bar=0.08)

    assert layout.point_x(1) > layout.point_x(6) > 0.54
    assert layout.point_x(7) < 0.46
    assert layout.point_x(12) == pytest.approx(layout.point_x(13))
    assert layout.point_x(1) == pytest.approx(layout.point_x(24))


@given(st.booleans(), st.floats(0, 0.1))
def test_a_map_of_a_plane_leads_where_its_places_are_seen(mirrored, height):
    pose, box = overhead(mirrored=mirrored), np.array([(-0.1, -0.2), (1.1, 1.3)])

    whole, parts = pose.plane_maps((30, 20), box, height)

    xs = box[0, 0] + (np.arange(30) + 0.5) / 30 * (box[1, 0] - box[0, 0])
    ys = box[1, 1] - (np.arange(20) + 0.5) / 20 * (box[1, 1] - box[0, 1])
    seen = pose.project(np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2), height)
    mapped = whole + np.stack([parts % 32, parts // 32], axis=-1) / 32
    assert mapped.reshape(-1, 2) == pytest.approx(seen, abs=1 / 64 + 1e-3)


@pytest.mark.parametrize(
    ("size", "shape"),
    [
        ((1280, 720), "same"),
        ((640, 360), "scaled"),
        ((1366, 768), "scaled"),
        ((854, 480), "scaled"),
        ((640, 480), "other"),
        ((1280, 800), "other"),
        ((720, 1280), "other"),
    ],
)
def test_a_pose_knows_pictures_of_its_size_and_of_its_shape(size, shape):
    image, pose = np.zeros((size[1], size[0], 3), np.uint8), overhead()

    assert pose.fits(image) == (shape == "same")
    assert pose.is_shaped_like(image) == (shape != "other")
