"""A profile keeps its throw zone, and one of an earlier version is still read."""

import base64
import json
import struct
import zlib
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.errors import BadProfile
from calibration.grid import Grid
from calibration.known_position import orientation_score
from calibration.profile import Profile
from engine import Side
from engine.evidence.orientation import ORIENTATIONS
from engine.rules import find_rules
from tests.calibration.drawn_board import LAYOUT, drawn_board, drawn_pose, with_checkers

ZONE = np.array([(1.05, 0.1), (1.4, 0.1), (1.4, 0.9), (1.05, 0.9)])


@pytest.fixture(scope="module")
def profile():
    opening = find_rules("short").opening()
    image = with_checkers(drawn_board(), opening.signed())
    centers = {side: np.array([[40.5, 60.0], [40.5, 90.0]]) for side in Side}
    picture = Grid(drawn_pose(), LAYOUT).rectify(image)
    return Profile(drawn_pose(), LAYOUT, picture, opening, centers, diameter=25.0)


def changed(path, **fields):
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_a_throw_zone_beside_the_board_survives_the_disk(profile, tmp_path):
    path = tmp_path / "club.json"
    replace(profile, throw_zone=ZONE).save(path)
    assert (Profile.load(path).throw_zone == ZONE).all()


def test_without_a_throw_zone_dice_are_thrown_on_the_field(profile, tmp_path):
    profile.save(tmp_path / "club.json")
    assert Profile.load(tmp_path / "club.json").throw_zone is None


def test_a_lens_aimed_beside_the_middle_survives_the_disk(profile, tmp_path):
    pose = replace(profile.pose, off_middle=(0.2, -0.1))
    replace(profile, pose=pose).save(tmp_path / "club.json")
    assert Profile.load(tmp_path / "club.json").pose == pose


def test_a_profile_of_version_1_is_read(profile, tmp_path):
    path = tmp_path / "club.json"
    profile.save(path)
    value = json.loads(path.read_text())
    del value["throw_zone"], value["camera"]["off_middle_widths"]
    path.write_text(json.dumps({**value, "version": 1}))
    assert Profile.load(path).position == profile.position


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"version": 9}, "profile version 9"),
        ({"throw_zone": [[0, 0], [1, 1]]}, "three corners"),
        ({"throw_zone": "the tray"}, "damaged"),
    ],
)
def test_a_wrong_profile_is_refused_with_the_fault(profile, tmp_path, fields, says):
    path = tmp_path / "club.json"
    profile.save(path)
    changed(path, **fields)
    with pytest.raises(BadProfile, match=says):
        Profile.load(path)


def test_a_profile_of_nothing_but_brackets_is_refused(tmp_path):
    path = tmp_path / "club.json"
    path.write_text("[" * 100_000)
    with pytest.raises(BadProfile, match="not a readable profile"):
        Profile.load(path)


def with_long_chunk(png):
    at = png.index(b"IDAT") - 4
    return png[:at] + struct.pack(">I", 2**31 - 1) + png[at + 4 :]


def with_many_pixels(png):
    header = b"IHDR" + struct.pack(">II", 40_000, 40_000) + png[24:29]
    return png[:12] + header + struct.pack(">I", zlib.crc32(header)) + png[33:]


@pytest.mark.parametrize(
    ("fake", "says"), [(with_long_chunk, "cannot be read"), (with_many_pixels, "does not fit")]
)
def test_a_picture_that_promises_gigabytes_is_not_decoded(
    profile, tmp_path, monkeypatch, fake, says
):
    path = tmp_path / "club.json"
    profile.save(path)
    png = base64.b64decode(json.loads(path.read_text())["picture_png"])
    changed(path, picture_png=base64.b64encode(fake(png)).decode())
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("it was decoded"))
    with pytest.raises(BadProfile, match=f"its picture {says}"):
        Profile.load(path)


@pytest.mark.parametrize("way", ORIENTATIONS)
def test_a_board_numbered_from_another_corner_is_the_same_board(profile, way):
    image = with_checkers(drawn_board(), profile.position.signed())
    other = replace(profile, throw_zone=ZONE).renumbered(way)
    seen = other.grid.rectify(image).astype(int)
    assert np.abs(seen - other.picture).mean() < 1.0
    for side in Side:
        before = profile.grid.pose.project(profile.grid.to_field(profile.centers[side]))
        after = other.grid.pose.project(other.grid.to_field(other.centers[side]))
        assert np.abs(before - after).max() < 0.1
    fits = [orientation_score(one.picture, one.grid, one.position) for one in (profile, other)]
    assert fits[1] == pytest.approx(fits[0], rel=0.05)
    again = other.renumbered(way)
    assert again.position == profile.position
    assert (again.picture == profile.picture).all()
    assert again.throw_zone == pytest.approx(ZONE)
