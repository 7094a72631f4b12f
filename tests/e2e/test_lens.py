"""A wide-angle camera: photos of the printed sheet teach its lens, and the board is found then."""

import cv2
import numpy as np
import pytest

from calibration.profile import Profile
from calibration.sheet import Lens, estimate_lens
from engine.rules import SHORT
from tests.calibration.drawn_board import drawn_board, drawn_pose, pixel, with_checkers
from tests.calibration.test_sheet import looking, photo, sheet_photos
from tests.e2e.conftest import run
from tests.vision.conftest import corner_error
from vision.board.locate import locate_board, locate_from_corners
from vision.errors import BoardNotFound

WIDE = Lens(0.9, -0.3)
SIZE = (1280, 720)
DRAWN = (1920, 1512)  # pixels: a field of the usual proportions
SIDES = (20, 110, 250)
POINTED = np.array([(4, -3), (-5, 2), (3, 5), (-2, -4)])  # offsets of the clicks from the corners


def seen_from(toward, tilt=30):
    """The starting position under a wide-angle camera, and that camera."""
    camera = looking(WIDE, tilt, toward, 1.45, 3, aspect=drawn_pose(DRAWN).aspect, size=SIZE)
    flat = with_checkers(drawn_board(DRAWN), SHORT.opening().signed())
    return photo(flat, np.array([pixel(DRAWN, (0, 0)), pixel(DRAWN, (1, 1))]), camera), camera


@pytest.fixture(scope="module")
def camera():
    return seen_from(SIDES[0])[1]


@pytest.fixture(scope="module")
def board():
    return seen_from(SIDES[0])[0]


@pytest.fixture(scope="module")
def photos():
    return sheet_photos(WIDE)


@pytest.fixture(scope="module")
def files(board, photos, tmp_path_factory):
    """The board's picture and the photos of the sheet."""
    folder = tmp_path_factory.mktemp("wide")
    cv2.imwrite(str(folder / "board.png"), board)
    for name, image in photos.items():
        cv2.imwrite(str(folder / name), image)
    return folder / "board.png", [folder / name for name in photos]


def error(pose, camera):
    return corner_error(pose, {"inner_corners_px": camera.corners()})


def error_of_find(image, camera, lens):
    try:
        return error(locate_board(image, lens).pose, camera)
    except BoardNotFound:
        return 1.0


@pytest.mark.slow
def test_corners_are_found_better_when_the_lens_is_known(photos):
    lens = estimate_lens(photos)
    views = [seen_from(toward) for toward in SIDES]
    known = [error_of_find(image, camera, lens) for image, camera in views]
    unknown = [error_of_find(image, camera, None) for image, camera in views]
    assert max(known) < 0.015
    assert np.mean(known) < 0.75 * np.mean(unknown)


def test_the_lens_is_held_while_the_board_is_located(board, photos):
    lens = estimate_lens(photos)
    pose = locate_board(board, lens).pose
    assert pose.focal / SIZE[0] == pytest.approx(lens.focal_widths)
    assert pose.radial == pytest.approx(lens.radial)


def test_corners_pointed_at_make_a_better_board_through_the_lens(board, camera):
    pointed = camera.corners() + POINTED
    known, unknown = (locate_from_corners(board, pointed, lens) for lens in (WIDE, None))
    assert error(known.pose, camera) < 0.008
    assert known.score > max(0.7, unknown.score)
    assert error(unknown.pose, camera) > error(known.pose, camera)
    assert known.pose.radial == WIDE.radial


def test_a_poor_start_does_not_leave_the_lens():
    # Pulled toward the lens by a narrow prior, the fit ended 4 % away from it, at a score of 0.07.
    image, camera = seen_from(250, tilt=20)
    assert locate_from_corners(image, camera.corners() + POINTED, WIDE).score > 0.7


def test_the_sheet_is_written_and_photos_of_it_teach_a_board(files, camera, tmp_path):
    sheet = tmp_path / "out" / "sheet.png"
    code, out, lines = run("calibrate", "--lens-sheet", sheet)
    assert (code, lines) == (0, [])
    assert str(sheet) in out
    assert cv2.imread(str(sheet)).shape == (3508, 2480, 3)

    picture, taken = files
    profile = tmp_path / "club.json"
    args = ("calibrate", "--image", picture, "--profile", profile)
    code, out, lines = run(*args, "--lens", *taken)
    assert code == 0
    assert "through a lens of focal length 0.90" in out
    learnt = Profile.load(profile)
    assert error(learnt.pose, camera) < 0.015
    assert learnt.pose.radial == pytest.approx(WIDE.radial, abs=0.01)


def test_photos_of_another_camera_mode_are_refused(files, tmp_path):
    picture, (first, *_) = files
    narrow = tmp_path / "narrow.jpg"
    cv2.imwrite(str(narrow), cv2.imread(str(first))[:, 120:840])
    code, out, (line,) = run(
        "calibrate", "--image", picture, "--profile", tmp_path / "club.json", "--lens", narrow
    )
    assert (code, out) == (1, "")
    assert "narrow.jpg has 720x540 pixels, the photo of the board 1280x720" in line


def test_a_photo_without_a_sheet_is_one_line(files, tmp_path):
    picture, _ = files
    profile = tmp_path / "club.json"
    code, out, (line,) = run(
        "calibrate", "--image", picture, "--profile", profile, "--lens", picture
    )
    assert (code, out) == (1, "")
    assert "no sheet found in" in line
    assert not profile.exists()


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--image", "a.jpg"),
        ("--profile", "b.json"),
        ("--lens-sheet", "sheet.png", "--image", "a.jpg"),
        ("--lens-sheet", "sheet.pdf"),
    ],
    ids=" ".join,
)
def test_options_that_exclude_each_other_are_wrong_usage(args):
    code, out, (line,) = run("calibrate", *args)
    assert (code, out) == (2, "")
    assert "--lens-sheet" in line
