"""The labels of drawn scenes agree with their pictures."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.pose import Pose
from vision.training.render import raycast as rc
from vision.training.scenes.dice import CUBE_NORMALS
from vision.training.scenes.scenes import make_scene

RED, GREY = (0.0, 0.0, 1.0), (0.2, 0.2, 0.2)
ABOVE = Pose((160, 120), 150.0, 0.0, (np.pi, 0.0, 0.0), (-0.5, 0.42, 1.2), 0.84)


def material(colour, kind=rc.PLAIN):
    row = np.zeros(rc.MATERIAL_COLUMNS)
    row[rc.KIND] = kind
    row[rc.FIRST : rc.FIRST + 3] = row[rc.SECOND : rc.SECOND + 3] = colour
    return row


def world(*objects, lamp=(0.5, 0.42, 2.0)):
    grey = np.full((8, 8, 3), 0.2, np.float32)
    return rc.RenderWorld(
        objects=np.array(objects).reshape(-1, rc.OBJECT_COLUMNS),
        materials=np.array([material(RED)]),
        noise=np.full((6, 256, 256), 0.5, np.float32),
        textures=np.zeros((1, 96, 96, 3), np.float32),
        field=grey,
        field_box=(0.0, 0.0, 1.0, 0.84),
        table=material(GREY),
        table_z=-0.02,
        lamps=np.array([[*lamp, 0.01, 4.0, 4.0, 4.0]]),
        room=np.full(3, 0.2),
    )


def thing(kind, centre, half):
    row = np.zeros(rc.OBJECT_COLUMNS)
    row[rc.TYPE] = kind
    row[rc.CENTRE : rc.CENTRE + 3], row[rc.HALF : rc.HALF + 3] = centre, half
    row[rc.TURN : rc.TURN + 9] = np.eye(3).ravel()
    row[rc.GAIN], row[rc.BOUND] = 1.0, np.linalg.norm(half)
    return row


def redness(picture):
    return picture[..., 2] / (picture.sum(axis=-1) + 1e-9)


@pytest.mark.parametrize(
    ("kind", "half"),
    [(rc.CYLINDER, (0.05, 0.05, 0.01)), (rc.BOX, (0.05, 0.05, 0.01))],
    ids=["checker", "box"],
)
def test_a_thing_is_seen_where_the_pose_projects_it(kind, half):
    picture = rc.render(world(thing(kind, (0.7, 0.3, 0.01), half)), ABOVE, (0, 0, 160, 120), 2, 1)

    rows, columns = np.nonzero(redness(picture) > 0.6)
    x, y = ABOVE.project(np.array([(0.7, 0.3 / 0.84)]), 0.02)[0]
    assert columns.mean() == pytest.approx(x, abs=0.6)
    assert rows.mean() == pytest.approx(y, abs=0.6)
    width = 0.1 * ABOVE.pixels_per_width((0.7, 0.3), 0.02)
    assert np.ptp(columns) + 1 == pytest.approx(width, abs=1.6)


def test_a_thing_keeps_the_lamp_off_what_lies_behind_it():
    tall = thing(rc.BOX, (0.7, 0.42, 0.1), (0.02, 0.1, 0.1))
    lit_from_the_left = world(tall, lamp=(-1.0, 0.42, 1.0))
    picture = rc.render(lit_from_the_left, ABOVE, (0, 0, 160, 120), 4, 1)

    before, behind = ABOVE.project(np.array([(0.6, 0.5), (0.85, 0.5)])).round().astype(int)
    assert picture[behind[1], behind[0]].mean() < 0.6 * picture[before[1], before[0]].mean()


def test_a_window_is_the_same_part_of_the_whole_picture():
    scene = world(thing(rc.CYLINDER, (0.3, 0.5, 0.01), (0.05, 0.05, 0.01)))
    whole = rc.render(scene, ABOVE, (0, 0, 160, 120), 16, 1)
    part = rc.render(scene, ABOVE, (40, 30, 90, 80), 16, 2)

    assert np.abs(whole[30:80, 40:90] - part).mean() < 0.01


def test_only_what_is_wanted_is_drawn():
    scene = world(thing(rc.BOX, (0.7, 0.3, 0.01), (0.02, 0.02, 0.01)))
    wanted = np.zeros((120, 160), np.bool_)
    wanted[30:60, 40:90] = True
    picture = rc.render(scene, ABOVE, (0, 0, 160, 120), 2, 1, wanted)
    assert (picture[wanted] > 0).all()
    assert not picture[~wanted].any()


@pytest.mark.parametrize("seed", range(6))
def test_a_scene_holds_what_it_says(seed):
    scene = make_scene(np.random.default_rng(seed))

    light, dark = (sum(c * sign for c in scene.points if c * sign > 0) for sign in (1, -1))
    assert light + scene.bar[0] <= 15
    assert dark + scene.bar[1] <= 15
    discs = scene.world.objects[scene.world.objects[:, rc.TYPE] == rc.CYLINDER]
    for point, count in enumerate(scene.points, start=1):
        x = scene.layout.point_x(point)
        near = np.abs(discs[:, 1] - x) < scene.layout.point_width / 2
        rows = discs[near, 2] / scene.pose.aspect
        on_field = (rows > -0.01) & (rows < 1.01)
        half = rows[on_field] < 0.5 if point <= 12 else rows[on_field] >= 0.5
        assert half.sum() >= abs(count)


def test_the_same_seed_makes_the_same_scene():
    one, two = (make_scene(np.random.default_rng(5)) for _ in range(2))

    assert np.array_equal(one.world.objects, two.world.objects)
    assert one.pose == two.pose


@pytest.mark.parametrize("face", range(6))
def test_no_face_of_a_cube_is_mirrored(face):
    """A bar along the top of the texture and a shorter one down its left side, as in a Gamma."""
    texture = np.full((96, 96, 3), 0.1, np.float32)
    texture[8:32, 8:88] = (0.0, 0.0, 1.0)
    texture[32:88, 8:32] = (1.0, 0.0, 0.0)
    cube = thing(rc.BOX, (0.5, 0.42, 0.1), (0.1, 0.1, 0.1))
    up = CUBE_NORMALS[face]
    beside = np.roll(np.abs(up), 1)
    cube[rc.TURN : rc.TURN + 9] = np.stack([beside, np.cross(up, beside), up]).T.ravel()
    scene = replace(
        world(cube),
        materials=np.array([material((1.0, 1.0, 1.0), rc.CUBE)]),
        textures=np.stack([texture if k == face else np.zeros_like(texture) for k in range(6)]),
    )
    scene.materials[0, rc.BEVEL] = 0.001
    picture = rc.render(scene, ABOVE, (0, 0, 160, 120), 2, 1)

    def middle(channel):
        rows, columns = np.nonzero(picture[..., channel] > 0.6 * picture.sum(axis=-1))
        return np.array([columns.mean(), rows.mean()])

    centre = ABOVE.project(np.array([(0.5, 0.5)]), 0.2)[0]
    long_bar, short_bar = middle(2) - centre, middle(0) - centre
    assert np.linalg.det(np.stack([long_bar, short_bar])) < 0  # counter-clockwise, as painted


def test_what_lies_behind_something_is_not_visible():
    wall = thing(rc.BOX, (0.5, 0.5, 0.2), (0.3, 0.01, 0.2))
    low = Pose((160, 120), 150.0, 0.0, (2.3, 0.0, 0.0), (-0.5, 0.35, 1.0), 0.84)
    scene = world(wall, thing(rc.BOX, (0.5, 0.52, 0.01), (0.01, 0.01, 0.01)))
    eye_side = np.sign(low.eye[1] - 0.5)
    places = np.array([(0.5, 0.5 + 0.03 * eye_side, 0.02), (0.5, 0.5 - 0.03 * eye_side, 0.02)])
    assert rc.are_visible(scene, low, places, 0.015).tolist() == [True, False]


def test_a_box_in_a_ball_has_round_corners():
    cube = thing(rc.BOX, (0.5, 0.42, 0.1), (0.1, 0.1, 0.1))
    whole = rc.render(world(cube), ABOVE, (0, 0, 160, 120), 2, 1)
    cube[rc.BOUND] = 0.13
    rounded = rc.render(world(cube), ABOVE, (0, 0, 160, 120), 2, 1)
    inside, corner = ABOVE.project(np.array([(0.5, 0.5), (0.592, 0.5 + 0.092 / 0.84)]), 0.2).astype(
        int
    )
    for picture, is_there in ((whole, True), (rounded, False)):
        red = redness(picture)
        assert red[inside[1], inside[0]] > 0.6
        assert (red[corner[1], corner[0]] > 0.6) == is_there
