"""Drawn stills are labeled like rendered ones."""

import json

import cv2
import numpy as np
import pytest

from vision.benchmark.truth import load_truths
from vision.training.render.raycast import CENTRE, CYLINDER, MATERIAL, TYPE
from vision.training.scenes.scenes import make_scene
from vision.training.scenes.stills import label_of, make_still


def test_a_drawn_still_can_be_scored(tmp_path):
    label = make_still(3, tmp_path)
    (truth,) = load_truths(tmp_path)

    picture = cv2.imread(str(truth.image))
    high, wide = picture.shape[:2]
    assert truth.image == label.with_suffix(".jpg")
    assert (truth.corners > 0).all()
    assert (truth.corners < (wide, high)).all()
    assert len(truth.counts) == len(truth.bases) == 24
    assert all(die.state in {"valid", "cocked", "on_checker", "off_board"} for die in truth.dice)


@pytest.mark.slow
def test_the_same_number_draws_the_same_still(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        make_still(5, folder)

    first, second = ((at / "drawn_00005.jpg").read_bytes() for at in (one, other))
    assert first == second
    assert len({(at / "drawn_00005.json").read_text() for at in (one, other)}) == 1


def test_checkers_lie_beside_the_labels_of_their_points():
    scene = make_scene(np.random.default_rng(7))
    label = label_of(scene, scene.pose)
    bases, tips = np.array(label["point_axes_px"]).transpose(1, 0, 2)
    objects = scene.world.objects
    flat = objects[(objects[:, TYPE] == CYLINDER) & np.isin(objects[:, MATERIAL], scene.paints)]
    inside = [row for row in flat if 0 < row[CENTRE] < 1 and 0 < row[CENTRE + 1] < scene.pose.aspect
              and abs(row[CENTRE] - 0.5) > scene.layout.bar / 2]  # fmt: skip
    counted = np.zeros(12, int)  # a long row may reach the opposite point's line
    for row in inside:
        x, y = row[CENTRE : CENTRE + 2]
        at = scene.pose.project(np.array([(x, y / scene.pose.aspect)]), 0.0)[0]
        along = np.linspace(0, 1.3, 60)[:, None, None]
        lines = bases + along * (tips - bases)
        near = np.linalg.norm(lines - at, axis=2).min(axis=0).argmin()
        counted[min(near, 23 - near)] += 1 if row[MATERIAL] == scene.paints[0] else -1

    points = np.array(label["points"])
    assert counted.tolist() == (points[:12] + points[:11:-1]).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_a_die_is_labelled_by_how_it_lies(seed):
    scene = make_scene(np.random.default_rng(seed), pairs=4)
    label = label_of(scene, scene.pose)

    assert json.loads(json.dumps(label)) == label
    for die, labelled in zip(scene.dice, label["dice"], strict=True):
        assert labelled["value"] == die.value
        if labelled["state"] == "flat":
            assert die.tilt_deg <= 3
            assert die.top[2] == pytest.approx(die.side, abs=die.side / 4)
        elif labelled["state"] == "on_checker":
            assert die.top[2] > die.side * 1.2
