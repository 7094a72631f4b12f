"""`read` and `calibrate` on pictures good and bad."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from calibration.profile import Profile
from engine import position_json
from engine.rules import SHORT
from tests.calibration.drawn_board import drawn_board
from tests.e2e.conftest import CLIP, run
from tests.vision.board.test_faults import chess_board
from tests.vision.sources.test_files import png_of

FIELDS = {"image", "ok", "error", "board", "points", "bar", "off", "dice", "cube", "occluded"}


@pytest.fixture(scope="module")
def opening(clip_start):
    return cv2.imread(str(clip_start))


@pytest.fixture
def picture(tmp_path):
    def write(image, name="board.png"):
        cv2.imwrite(str(tmp_path / name), image)
        return tmp_path / name

    return write


def read(*args):
    code, out, lines = run("read", "--json", *args)
    return code, [json.loads(line) for line in out.splitlines()], lines


def test_a_profile_lies_beside_a_picture_of_what_was_learnt(profile):
    assert Profile.load(profile).position == SHORT.opening()
    assert cv2.imread(str(profile.with_suffix(".png"))).shape == (720, 1280, 3)


def test_a_known_board_is_read_with_its_numbers(profile, clip_start, tmp_path):
    _, (answer,), _ = read(clip_start, "--profile", profile, "--overlay", tmp_path)
    assert FIELDS | {"timing_ms"} <= answer.keys()
    assert [point["number"] for point in answer["points"]] == list(range(1, 25))
    assert [point["light"] - point["dark"] for point in answer["points"]] == list(
        SHORT.opening().signed()
    )
    assert (tmp_path / f"{clip_start.stem}.png").exists()


def test_a_known_board_is_found_again_after_the_camera_was_moved(profile, opening, picture):
    moved = cv2.warpAffine(
        opening, np.array([[1, 0.02, 25], [-0.02, 1, 12]]), (1280, 720),
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    _, (answer,), _ = read(picture(moved), "--profile", profile)
    counts = [point["light"] - point["dark"] for point in answer["points"]]
    assert counts == list(SHORT.opening().signed())


def test_an_unknown_board_is_read_without_numbers(clip_start):
    code, (answer,), _ = read(clip_start)
    assert code == 0
    assert {point["number"] for point in answer["points"]} == {None}
    right = sorted(point["light"] - point["dark"] for point in answer["points"])
    assert sum(a == b for a, b in zip(right, sorted(SHORT.opening().signed()), strict=True)) >= 20


def test_pictures_that_cannot_be_read_are_reported_in_their_place(clip_start, picture, tmp_path):
    grey = picture(np.full((360, 640, 3), 90, np.uint8), "grey.png")
    text = tmp_path / "notes.jpg"
    text.write_text("not a picture")
    code, answers, _ = read(grey, text, tmp_path / "gone.png", clip_start)
    assert code == 1
    assert [one["ok"] for one in answers] == [False, False, False, True]
    assert "no board found" in answers[0]["error"]
    assert "not a picture" in answers[1]["error"]
    assert "there is no file" in answers[2]["error"]


def test_another_board_than_that_of_the_profile_is_read_without_numbers(profile, opening, picture):
    other = picture(cv2.cvtColor(255 - opening, cv2.COLOR_BGR2RGB))
    code, (answer,), _ = read(other, "--profile", profile)
    assert code == 0
    assert {point["number"] for point in answer["points"]} == {None}
    assert "differs from the profile" in answer["note"]


def test_without_json_the_reading_is_printed_as_text(profile, clip_start):
    code, out, _ = run("read", clip_start, "--profile", profile)
    assert code == 0
    assert "light 15 on 4 points (6: 5, 8: 3, 13: 5, 24: 2)" in out


def blurred(image, pixels=4):
    return cv2.GaussianBlur(image, (0, 0), pixels)


def dark(image):
    return (image * 0.08).astype(np.uint8)


def glaring(image):
    return cv2.convertScaleAbs(image, alpha=1.6, beta=60)


@pytest.mark.parametrize(
    ("degrade", "reason"), [(blurred, "blurred"), (dark, "too dark"), (glaring, "glare")]
)
def test_a_picture_that_cannot_be_trusted_teaches_nothing(
    opening, picture, tmp_path, degrade, reason
):
    profile = tmp_path / "club.json"
    code, out, (line,) = run(
        "calibrate", "--image", picture(degrade(opening)), "--profile", profile
    )
    assert (code, out) == (1, "")
    assert reason in line
    assert not profile.exists()


@pytest.fixture
def one_checker_short(opening, picture):
    """The starting position without the outer checker on light's ace point, which is dark's."""
    changed = opening.copy()
    x, y = 968, 612  # a piece of felt over it
    changed[y - 32 : y + 32, x - 32 : x + 32] = changed[y - 96 : y - 32, x - 96 : x - 32]
    return picture(changed)


def test_a_position_that_differs_is_reported_point_by_point(one_checker_short, tmp_path):
    code, _, (line,) = run(
        "calibrate", "--image", one_checker_short, "--profile", tmp_path / "club.json"
    )
    assert code == 1
    assert "of 24 points match: the 1 point shows" in line
    assert "--position" in line


def test_a_given_position_is_learnt_with_a_warning_where_it_differs(one_checker_short, tmp_path):
    given = json.dumps(position_json(SHORT.opening()))
    profile = tmp_path / "club.json"
    code, _, lines = run(
        "calibrate", "--image", one_checker_short, "--profile", profile, "--position", given
    )
    assert code == 0
    assert lines[0].startswith("tableside: learned as given, although it looks different: the 1 po")
    assert Profile.load(profile).position == SHORT.opening()


def test_a_position_that_most_points_contradict_teaches_nothing(clip_start, tmp_path):
    profile = tmp_path / "club.json"
    given = "light 22:3 17:3 11:4 9:3 2:2 | dark 22:3 17:3 11:4 9:3 2:2"
    code, _, (line,) = run(
        "calibrate", "--image", clip_start, "--profile", profile, "--position", given
    )
    assert code == 1
    assert "of 24 points match" in line
    assert not profile.exists()


def test_a_throw_zone_given_in_pixels_is_kept_in_the_boards_own_coordinates(clip_start, tmp_path):
    zone = ["20,20", "160,20", "160,300", "20,300"]
    out = tmp_path / "club.json"
    code, _, lines = run(
        "calibrate", "--image", clip_start, "--profile", out, "--throw-zone", *zone
    )
    kept = Profile.load(out)
    assert code == 0
    assert kept.throw_zone is not None
    assert kept.pose.project(kept.throw_zone) == pytest.approx(
        np.array([(20, 20), (160, 20), (160, 300), (20, 300)], float), abs=0.01
    )
    assert any("it counts tall stacks better at" in line for line in lines)
    code, _, (line,) = run(
        "calibrate", "--image", clip_start, "--profile", out, "--throw-zone", *zone[:2]
    )
    assert code == 2
    assert "three corners" in line


def sixteen_bit(image):
    return image.astype(np.uint16) * 257


def last_frame():
    capture = cv2.VideoCapture(str(CLIP))
    capture.set(cv2.CAP_PROP_POS_FRAMES, capture.get(cv2.CAP_PROP_FRAME_COUNT) - 1)
    image = capture.read()[1]
    capture.release()
    return image


@pytest.fixture(scope="module")
def answers(opening, tmp_path_factory):
    """The output of one `read` of all of them, by the name of the picture."""
    last = last_frame()
    pictures = {
        "upright": opening,
        "upside down": opening[::-1, ::-1],
        "grey": cv2.cvtColor(opening, cv2.COLOR_BGR2GRAY),
        "16 bits": sixteen_bit(opening),
        "dark": dark(opening),
        "soft": blurred(opening),
        "blurred": blurred(opening, 10),
        "overexposed": cv2.convertScaleAbs(opening, alpha=4, beta=120),
        "left half": opening[:, :640],
        "lower half": opening[360:],
        "a rail outside": opening[:548],
        "empty board": drawn_board(),
        "last": last,
        "two boards": np.hstack([opening, last]),
        "table": np.full((360, 640, 3), 90, np.uint8),
        "chess board": chess_board(),
        "one pixel": np.full((1, 1, 3), 80, np.uint8),
    }
    folder = tmp_path_factory.mktemp("pictures")
    for name, image in pictures.items():
        cv2.imwrite(str(folder / f"{name}.png"), image)
    (folder / "huge.png").write_bytes(png_of(30_000, 30_000))
    names = [*pictures, "huge"]
    code, outputs, lines = read(*(folder / f"{name}.png" for name in names))
    assert (code, lines) == (1, [])
    return dict(zip(names, outputs, strict=True))


def counts_of(answer):
    assert answer["ok"], answer["error"]
    return sorted(point["light"] - point["dark"] for point in answer["points"])


@pytest.mark.parametrize("name", ["upright", "upside down", "grey", "16 bits", "soft"])
def test_a_picture_in_another_format_shows_the_same_position(answers, name):
    assert counts_of(answers[name]) == sorted(SHORT.opening().signed())


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("dark", "too dark: turn on a lamp"),
        ("blurred", "blurred: keep the camera still"),
        ("overexposed", "overexposed: dim the lamp"),
        ("left half", "show the whole board"),
        ("lower half", "show the whole board"),
        ("a rail outside", "show the whole board"),
        ("table", "no board found"),
        ("chess board", "no board found"),
        ("one pixel", "only 1x1 pixels: at least 640x360 are needed"),
        ("huge", "30000 x 30000 pixels: reduce it to under 64 megapixels"),
    ],
)
def test_a_picture_without_a_whole_board_is_refused_with_advice(answers, name, reason):
    assert (answers[name]["ok"], "points" in answers[name]) == (False, False)
    assert reason in answers[name]["error"]
    assert "\n" not in answers[name]["error"]


def test_an_empty_board_holds_nothing(answers):
    assert counts_of(answers["empty board"]) == [0] * 24
    assert answers["empty board"]["bar"] == {"light": 0, "dark": 0}


def test_two_boards_are_not_mixed_one_is_read_or_none(answers):
    alone = [counts_of(answers[name]) for name in ("upright", "last")]
    assert alone[0] != alone[1]
    both = answers["two boards"]
    assert counts_of(both) in alone if both["ok"] else "no board found" in both["error"]
