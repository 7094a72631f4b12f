"""What `read --json` says of a reading: what is doubtful, hidden or unowned is told."""

import math

import cv2
import numpy as np
import pytest

from calibration.grid import Grid
from calibration.layout import Layout
from calibration.pose import Pose
from engine import CubePlace, DieSeen, Surface
from engine.evidence.observation import CELLS, COUNTS, cell_counts
from engine.position import CHECKERS
from engine.rules import SHORT
from vision.checkers.disc_model import DiscCounts
from vision.dice.selection import CubeFound
from vision.reading.image_json import image_json
from vision.reading.single_image import ImageReading

SIZE = (1280, 720)


def seen_from(turn):
    """A camera straight above the board, turned by `turn` quarters."""
    flip = np.array([[1, 0, 0], [0, -1, 0], [0, 0, -1.0]])
    c, s = round(math.cos(turn * math.pi / 2)), round(math.sin(turn * math.pi / 2))
    rotation = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]) @ flip
    shift = np.array([0, 0, 2.0]) - rotation @ np.array([0.5, 0.42, 0])
    vector = np.asarray(cv2.Rodrigues(rotation)[0]).ravel()
    return Pose(SIZE, 1280.0, 0.0, tuple(vector.tolist()), tuple(shift.tolist()), 0.84)


def reading(*, turn=0, dice=(), cube=None, is_numbered=True, **counted):
    counts = np.full((CELLS, COUNTS), -20.0, np.float32)
    counts[np.arange(CELLS), cell_counts(SHORT.opening()) + CHECKERS] = 0
    fields = {"hidden": np.zeros(CELLS, np.float32), "columns": {}, **counted}
    seen = DiscCounts(counts, **fields)
    grid = Grid(seen_from(turn), Layout())
    return ImageReading(grid, seen, seen.chances, dice, cube, is_numbered, {"locate": 1.0})


def test_both_colours_on_one_point_are_both_counted_and_not_certain():
    point = image_json(reading(mixed={4: (1, 2)}))["points"][4]
    assert (point["light"], point["dark"]) == (1, 2)
    assert point["confidence"] <= 0.9


def test_a_hidden_point_is_marked_and_the_board_is_occluded():
    hidden = np.zeros(CELLS, np.float32)
    hidden[7] = 1
    told = image_json(reading(hidden=hidden))
    assert told["occluded"]
    assert [point["number"] for point in told["points"] if point.get("hidden")] == [8]


def test_a_doubtful_count_lists_what_else_it_may_be():
    still = reading()
    still.chances[5] = 0
    still.chances[5, [CHECKERS + 4, CHECKERS + 5]] = 0.4, 0.6
    (point,) = (one for one in image_json(still)["points"] if "distribution" in one)
    assert (point["number"], point["distribution"]) == (6, {"4": 0.4, "5": 0.6})


@pytest.mark.parametrize(
    ("is_numbered", "place", "told"),
    [
        (True, CubePlace.LIGHT, "light"),
        (False, CubePlace.LIGHT, None),
        (False, CubePlace.CENTRE, "centre"),
    ],
)
def test_a_cube_has_an_owner_only_on_a_board_whose_sides_are_known(is_numbered, place, told):
    cube = CubeFound(np.eye(7)[2], place, (640.0, 20.0), 0.99)
    shown = image_json(reading(cube=cube, is_numbered=is_numbered))["cube"]
    assert (shown["value"], shown["place"]) == (4, told)


@pytest.mark.parametrize(
    ("turn", "halves"), [(0, ["left", "right"]), (1, ["top", "bottom"]), (2, ["right", "left"])]
)
def test_the_half_in_which_a_die_lies_is_named_as_the_image_shows_it(turn, halves):
    pose = seen_from(turn)
    places = [(0.2, 0.5), (0.8, 0.5)]
    dice = tuple(
        DieSeen((1.0, 0, 0, 0, 0, 0), tuple(pose.project(np.array([place]))[0]), place)
        for place in places
    )
    beside = DieSeen((1.0, 0, 0, 0, 0, 0), (5.0, 5.0), (-0.2, 0.5), surface=Surface.BOARD)
    told = image_json(reading(turn=turn, dice=(*dice, beside)))["dice"]
    assert [die["half"] for die in told] == [*halves, None]
