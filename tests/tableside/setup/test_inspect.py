"""What is said of a picture while a board is being set up."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

import samples
from engine.rules import SHORT
from tableside.setup.inspect import InspectionRequest, inspect_picture, vectors
from vision.sources.files import VideoFile

ASKED = InspectionRequest(SHORT.opening(), "short")


@pytest.fixture(scope="module")
def opening():
    return next(iter(VideoFile(samples.CLIP))).image


@pytest.fixture(scope="module")
def later():
    return next(frame.image for frame in VideoFile(samples.CLIP) if frame.index == 150)


@pytest.fixture(scope="module")
def seen(opening):
    return inspect_picture(opening, ASKED)


def test_the_opening_is_read_and_learnt(seen):
    assert (seen.faults, seen.differences, seen.is_ready) == ((), (), True)
    light, dark = vectors(seen.counted, SHORT.course)
    assert (light, dark) == (list(SHORT.opening().light), list(SHORT.opening().dark))


def test_a_camera_straight_above_is_advised_to_be_tilted(seen):
    assert any("at 25 to 30" in str(warning) for warning in seen.warnings)


def test_another_position_is_listed_point_by_point_and_teaches_nothing(later, seen):
    inspected = inspect_picture(later, ASKED, seen.located)
    assert not inspected.is_ready
    assert "the 13 point shows 4 light, expected 5 light" in map(str, inspected.differences)
    assert 13 in inspected.differing


def test_where_the_board_was_in_a_picture_of_another_size_does_not_count(opening, seen):
    larger = cv2.resize(opening, (1284, 722), interpolation=cv2.INTER_LINEAR)
    inspected = inspect_picture(larger, ASKED, seen.located)
    assert inspected.is_ready
    assert inspected.located.pose.size == (1284, 722)


def test_the_opening_of_another_game_is_not_taken_for_that_game(opening, seen):
    from engine.rules import find_rules

    narde = find_rules("narde")
    inspected = inspect_picture(
        opening, InspectionRequest(narde.opening(), narde.name), seen.located
    )
    assert not inspected.is_ready
    assert len(inspected.differences) >= 4


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda image: (image * 0.1).astype(np.uint8), "too dark"),
        (lambda image: np.clip(image.astype(int) + 90, 0, 255).astype(np.uint8), "glare"),
        (lambda image: cv2.GaussianBlur(image, (0, 0), 6), "blurred"),
        (lambda image: cv2.resize(image, (240, 135)), "closer or use one with a higher resolution"),
        (lambda image: image[:, 350:], "show the whole board"),
    ],
)
def test_a_fault_of_a_picture_comes_with_what_to_do(opening, spoil, message):
    inspected = inspect_picture(np.ascontiguousarray(spoil(opening)), ASKED)
    assert any(message in str(fault) for fault in inspected.faults)
    assert not inspected.is_ready


def test_corners_near_the_board_are_drawn_to_it(opening, seen):
    corners = seen.profile.pose.corners() + 3
    inspected = inspect_picture(opening, replace(ASKED, corners=corners))
    assert inspected.is_ready
    assert np.abs(inspected.profile.pose.corners() - seen.profile.pose.corners()).max() < 4


@pytest.mark.parametrize(
    "corners",
    [
        [(100, 100), (500, 100), (500, 400), (100, 400)],
        [(100, 100), (200, 200), (300, 300), (400, 400)],
    ],
)
def test_corners_without_a_board_are_refused(opening, corners):
    inspected = inspect_picture(opening, replace(ASKED, corners=np.array(corners, float)))
    assert "corners" in str(inspected.faults[0])
    assert not inspected.is_ready


def test_a_board_called_the_other_way_round_does_not_make_dark_light(opening, seen):
    home = tuple(seen.profile.pose.corners()[2])
    inspected = inspect_picture(opening, replace(ASKED, home=home), seen.located)
    assert "dark checkers are where light's should" in str(inspected.differences[0])
    assert not inspected.is_ready


def test_the_previous_board_is_recognised_in_any_position(later, seen):
    inspected = inspect_picture(later, replace(ASKED, known_profile=seen.profile))
    assert inspected.is_ready
    assert inspected.differences


def test_another_board_is_not_taken_for_the_last_one(later, seen):
    other = cv2.cvtColor(255 - later, cv2.COLOR_BGR2RGB)
    inspected = inspect_picture(other, replace(ASKED, known_profile=seen.profile))
    assert not inspected.is_ready
    assert inspected.faults
