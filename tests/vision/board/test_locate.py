"""The board is found where it is, and not where there is none."""

import json
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.layout import Layout
from tests.calibration.drawn_board import drawn_board, pixel
from tests.paths import STILLS
from tests.vision.conftest import corner_error
from vision.benchmark.degradations import Degradation, Degrader
from vision.board.clear_picture import clear_picture, noise_in
from vision.board.edge_fit import plausible
from vision.board.locate import locate_board, locate_from_corners
from vision.errors import BoardNotFound


def test_the_corners_are_found_within_two_hundredths_of_the_diagonal(located, clip_setup):
    assert corner_error(located.pose, clip_setup) < 0.02


@pytest.mark.parametrize("turn", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180])
def test_a_turned_camera_finds_the_same_board(opening_image, clip_setup, turn):
    turned = cv2.rotate(opening_image, turn)
    height, width = opening_image.shape[:2]
    true = np.array(clip_setup["inner_corners_px"])
    if turn == cv2.ROTATE_180:
        corners = (width - 1, height - 1) - true
    else:
        corners = np.column_stack([height - 1 - true[:, 1], true[:, 0]])

    found = locate_board(turned)

    assert corner_error(found.pose, {"inner_corners_px": corners}) < 0.03


@pytest.mark.parametrize("bend", [0.1, 0.2, 0.3])
def test_a_board_is_found_through_a_wide_lens(opening_image, clip_setup, bend):
    height, width = opening_image.shape[:2]
    bent = Degrader(Degradation(bend=bend), (width, height), "lens").degraded(opening_image, 0)

    found = locate_board(bent)

    half, middle = width / 2, np.array((width / 2, height / 2))
    straight = (np.array(clip_setup["inner_corners_px"]) - middle) / half
    away = straight
    for _ in range(20):  # where the degrader shows them
        away = straight * (1 + 0.3 * bend) / (1 + bend * (away**2).sum(axis=1, keepdims=True))
    assert corner_error(found.pose, {"inner_corners_px": away * half + middle}) < 0.02


@pytest.mark.parametrize("place", [(0, 0), (512, 288)], ids=["beside", "opposite"])
def test_a_board_that_fills_little_of_the_picture_is_found_as_exactly(
    opening_image, located, clip_setup, place
):
    (height, width), (x, y) = opening_image.shape[:2], place
    small = cv2.resize(opening_image, (768, 432), interpolation=cv2.INTER_AREA)
    edges = y, height - y - 432, x, width - x - 768
    image = cv2.copyMakeBorder(small, *edges, cv2.BORDER_REPLICATE)

    found = locate_board(image)

    corners = np.array(clip_setup["inner_corners_px"]) * 0.6 + place
    assert corner_error(found.pose, {"inner_corners_px": corners}) < 0.02
    assert found.pose.aspect == pytest.approx(located.pose.aspect, rel=0.08)


@pytest.mark.parametrize("bar", [0.0, 0.03, 0.11], ids=["only a line", "narrow", "wide"])
def test_a_bar_of_any_width_divides_the_board_where_it_is(bar):
    size = (640, 520)
    image = drawn_board(size, Layout(bar, 0.46, 1.0))
    corners = np.array([pixel(size, place) for place in ((0, 0), (1, 0), (1, 1), (0, 1))])

    found = locate_board(image)

    assert corner_error(found.pose, {"inner_corners_px": corners}) < 0.02
    assert found.layout.bar == pytest.approx(bar, abs=0.015)


def printed_sheet():
    """A sheet without a bar, in a black border, and (4, 2) the corners of its field."""
    width, height, border = 960, 800, 33
    sheet = np.full((height + 4 * border, width + 4 * border, 3), 235, np.uint8)
    left, right, top, bottom = 2 * border, 2 * border + width, 2 * border, 2 * border + height
    cv2.rectangle(sheet, (border, border), (right + border, bottom + border), (30, 30, 30), -1)
    cv2.rectangle(sheet, (left, top), (right, bottom), (225, 225, 230), -1)
    for number in range(24):
        x = left + number // 2 * width // 12
        base, way = (top, 1) if number % 2 else (bottom, -1)
        tip = x + width // 24, base + way * int(0.41 * width)
        point = np.array([(x, base), (x + width // 12, base), tip], np.int32)
        if (number // 2 + number) % 2:
            cv2.fillPoly(sheet, [point], (95, 95, 95), cv2.LINE_AA)
        else:
            cv2.polylines(sheet, [point], True, (60, 60, 60), 2, cv2.LINE_AA)
    return sheet, np.array([(left, top), (right, top), (right, bottom), (left, bottom)], float)


@pytest.mark.parametrize(
    ("seed", "middle", "reach", "distance"),
    [(13, 640, (150, 60), 1700), (3, 880, (0, 0), 1500), (18, 400, (0, 0), 1500)],
    ids=["whole", "the left cut off", "the right cut off"],
)
def test_a_border_around_the_points_is_not_part_of_the_field(seed, middle, reach, distance):
    rng = np.random.default_rng(seed)
    sheet, corners = printed_sheet()
    spin, tilt, way = rng.uniform(0, 2 * np.pi), rng.uniform(10, 30), rng.uniform(0, 2 * np.pi)
    aside = np.radians(tilt) * np.array([np.cos(way), np.sin(way), 0])
    turn = cv2.Rodrigues(aside)[0] @ cv2.Rodrigues(np.array([0, 0, spin]))[0]
    shift = [rng.uniform(-x, x) for x in reach]
    camera = np.array([[900, 0, middle], [0, 900, 360], [0, 0, 1]])
    centered = np.array([[1, 0, -corners[:, 0].mean()], [0, 1, -corners[:, 1].mean()], [0, 0, 1]])
    seen = camera @ np.column_stack([turn[:, :2], [*shift, distance]]) @ centered
    image = cv2.warpPerspective(sheet, seen, (1280, 720), flags=cv2.INTER_AREA,
                                borderValue=(50, 60, 70))  # fmt: skip
    blurred = cv2.GaussianBlur(image, (0, 0), 0.8)
    noisy = np.clip(blurred * 0.5 + rng.normal(0, 4, image.shape), 0, 255).astype(np.uint8)

    found = locate_board(noisy)

    there = cv2.perspectiveTransform(corners[None], seen)[0]
    assert corner_error(found.pose, {"inner_corners_px": there}) < 0.02


def chess_board():
    squares = np.indices((8, 8)).sum(axis=0) % 2 * 200 + 30
    board = cv2.resize(squares.astype(np.uint8), (600, 600), interpolation=cv2.INTER_NEAREST)
    return cv2.cvtColor(
        cv2.copyMakeBorder(board, 60, 60, 340, 340, 0, value=90), cv2.COLOR_GRAY2BGR
    )


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((720, 1280, 3), np.uint8),
        np.full((1, 1, 3), 80, np.uint8),
        np.random.default_rng(0).integers(0, 255, (720, 1280, 3), dtype=np.uint8),
        chess_board(),
    ],
    ids=["black", "one pixel", "noise", "chess board"],
)
def test_no_board_is_found_where_there_is_none(image):
    with pytest.raises(BoardNotFound, match="show the whole board"):
        locate_board(image)


@pytest.mark.parametrize(
    "corners",
    [
        [(10, 10)] * 4,
        [(10, 10), (200, 200), (300, 300), (400, 400)],
        [(10, 10), (10, 10), (500, 10), (500, 500)],
        [(100, 100), (104, 100), (104, 104), (100, 104)],
    ],
    ids=["one place", "in a line", "three", "tiny"],
)
def test_corners_pointed_at_that_are_no_boards_are_refused(opening_image, corners):
    with pytest.raises(BoardNotFound, match="these cannot be the corners"):
        locate_from_corners(opening_image, np.array(corners, float))


def with_an_arm(image, corner, middle):
    """The picture with a sleeve and a hand that reach in from outside and hide one corner."""
    arm, start = image.copy(), np.rint(2 * corner - middle).astype(int)
    for end, width, colour in (
        (corner, 190, (95, 60, 45)),
        (corner + 0.2 * (middle - corner), 140, (120, 150, 205)),
    ):
        cv2.line(arm, start, np.rint(end).astype(int), colour, width, cv2.LINE_AA)
    return arm


@pytest.mark.parametrize("corner", range(4))
def test_a_board_is_found_though_an_arm_hides_a_corner(opening_image, clip_setup, corner):
    corners = np.array(clip_setup["inner_corners_px"])

    found = locate_board(with_an_arm(opening_image, corners[corner], corners.mean(axis=0)))

    assert corner_error(found.pose, clip_setup) < 0.02


@pytest.mark.skipif(not STILLS.is_dir(), reason="the rendered stills are not here")
@pytest.mark.parametrize("name", ["dev_0076", "dev_0090"])
def test_a_board_is_found_though_hands_hide_a_corner_and_look_like_one(name):
    truth = json.loads((STILLS / f"{name}.json").read_text())

    picture: Any = cv2.imread(str(STILLS / f"{name}.jpg"))
    found = locate_board(picture)

    assert corner_error(found.pose, truth) < 0.03


@pytest.mark.parametrize("light", [0.3, 0.12])
def test_a_board_in_the_dark_is_found_where_it_is(opening_image, clip_setup, light):
    noise = np.random.default_rng(1).normal(0, 2, opening_image.shape)
    dark = np.clip(opening_image * light + noise, 0, 255).astype(np.uint8)
    assert corner_error(locate_board(dark).pose, clip_setup) < 0.02


@pytest.mark.parametrize(("gray_levels", "light"), [(14, 1.0), (25, 1.0), (5, 0.2)])
def test_a_board_in_noise_is_found_where_it_is(opening_image, clip_setup, gray_levels, light):
    noise = np.random.default_rng(2).normal(0, gray_levels, opening_image.shape)
    noisy = np.clip(opening_image * light + noise, 0, 255).astype(np.uint8)
    assert corner_error(locate_board(noisy).pose, clip_setup) < 0.02


def test_noise_is_measured_beside_edges_and_a_clean_picture_stays_as_it_is(opening_image):
    noise = np.random.default_rng(3).normal(0, 12, (*opening_image.shape[:2], 1))
    noisy = np.clip(opening_image + noise, 0, 255).astype(np.uint8)
    assert noise_in(noisy) == pytest.approx(12, rel=0.1)
    assert noise_in(clear_picture(noisy)) < 4
    assert clear_picture(opening_image) is opening_image


def test_corners_at_the_horizon_are_no_field():
    """As a wrong candidate's neighbors may have them: their field's aspect rounds to nothing."""
    quad = np.array([(3.7e23, 8.2e22), (509.0, 279.0), (547.0, 262.0), (-4.3e23, 7.0e23)])
    assert not list(plausible(quad, (640, 618), None, None))
