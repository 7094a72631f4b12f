"""Thrown dice, cubes and what resembles them lie where their labels say."""

import numpy as np
import pytest

from vision.training.render import raycast as rc
from vision.training.scenes.cube_faces import CUBE_VALUES, cube_faces
from vision.training.scenes.dice import FACE_NORMALS, random_orientation
from vision.training.scenes.scenes import make_scene

SEEDS = range(12)


@pytest.mark.parametrize("tilt", [0.0, 2.0, 7.5, 14.0, 40.0])
def test_a_die_leans_by_as_much_as_it_was_tipped(tilt):
    rng = np.random.default_rng(3)
    for leans in (None, 0.7):
        turn, value, leaning = random_orientation(rng, tilt, leans, 0.4)
        assert leaning == pytest.approx(tilt, abs=1e-6)
        up = turn.T @ FACE_NORMALS[value]
        assert up[2] == pytest.approx(np.cos(np.radians(tilt)))


def test_half_of_what_leans_leans_by_less_than_fifteen_degrees():
    scenes = [make_scene(np.random.default_rng(seed), pairs=4, tipped=True) for seed in SEEDS]
    tilts = np.array([die.tilt_deg for scene in scenes for die in scene.dice])
    leaning = tilts[tilts > 1]
    assert 0.3 < np.mean(leaning < 15) < 0.8
    assert leaning.min() > 1.9


def test_a_die_is_in_the_scene_where_its_label_says():
    for seed in SEEDS:
        scene = make_scene(np.random.default_rng(seed), pairs=2)
        boxes = scene.world.objects[scene.world.objects[:, rc.TYPE] == rc.BOX]
        for die in scene.dice:
            far = np.linalg.norm(boxes[:, rc.CENTRE : rc.CENTRE + 3] - die.top, axis=1)
            assert np.abs(far - die.side / 2).min() < 1e-9


def test_dice_may_touch_but_do_not_overlap():
    nearest = []
    for seed in range(12):
        scene = make_scene(np.random.default_rng(seed), pairs=4)
        flat = [die for die in scene.dice if die.tilt_deg < 1]
        nearest += [
            np.linalg.norm(np.subtract(one.top, other.top)) * 2 / (one.side + other.side)
            for k, one in enumerate(flat)
            for other in flat[:k]
        ]
    assert min(nearest) > 0.99
    assert min(nearest) < 1.3


@pytest.mark.slow
def test_nothing_that_resembles_a_die_lies_on_a_die():
    count = 0
    for seed in range(30):
        scene = make_scene(np.random.default_rng(seed), pairs=2)
        count += len(scene.lures)
        real = [(die.top, die.side) for die in scene.dice]
        real += [(cube.top, cube.side) for cube in scene.cubes]
        for lure in scene.lures:
            for top, side in real:
                assert np.hypot(lure[0] - top[0], lure[1] - top[1]) > side / 2
    assert count > 5


def test_a_mark_instead_of_64_changes_nothing_else(monkeypatch):
    def drawn(share):
        monkeypatch.setattr("vision.training.scenes.cube_faces.LOGO_SHARE", share)
        rng = np.random.default_rng(8)
        return cube_faces(rng), rng.random()

    (plain, following), (marked, after_mark) = drawn(0), drawn(1)
    assert following == after_mark
    changed = [not np.array_equal(*faces) for faces in zip(plain, marked, strict=True)]
    assert changed == [value == 64 for value in CUBE_VALUES]


def test_printed_numbers_are_not_those_made_of_strokes(monkeypatch):
    def drawn(share, seed):
        monkeypatch.setattr("vision.training.scenes.cube_faces.PRINTED_SHARE", share)
        monkeypatch.setattr("vision.training.scenes.cube_faces.LOGO_SHARE", 0)
        return cube_faces(np.random.default_rng(seed))

    for seed in range(8):
        assert not np.array_equal(drawn(0, seed), drawn(1, seed))


def test_every_number_of_every_cube_can_be_seen():
    rng = np.random.default_rng(5)
    for _ in range(60):
        faces = cube_faces(rng)
        assert faces.shape == (len(CUBE_VALUES), 96, 96, 3)
        assert 0 <= faces.min() <= faces.max() <= 1
        assert (faces.std(axis=(1, 2)).max(axis=1) > 0.02).all()
        assert not any(np.array_equal(faces[k], faces[j]) for k in range(6) for j in range(k))
