"""The cube is recognized by its number and its place; it is offered only on the felt."""

import numpy as np
import pytest

from calibration.layout import Layout
from engine import CubePlace
from tests.calibration.drawn_board import drawn_pose
from vision.dice.candidates import DieCandidate
from vision.dice.classify import CLASS_COUNT, CUBE_CLASSES, CUBE_NUMBERS, FACE_CLASSES
from vision.dice.selection import select_cube

LAYOUT = Layout(bar=0.08)


def spot(place, number, share=0.9, cube=0.95):
    """Something at `place` that is a cube of `number` with probability `share` of `cube`."""
    kinds = np.zeros(CLASS_COUNT)
    kinds[CUBE_CLASSES] = cube * (1 - share) / (len(CUBE_NUMBERS) - 1)
    kinds[CUBE_CLASSES.start + CUBE_NUMBERS.index(number)] = cube * share
    kinds[0] = 1 - cube
    return DieCandidate(place, kinds, 0.0)


@pytest.mark.parametrize(
    ("place", "number", "lies", "value"),
    [
        ((0.5, 0.5), 64, CubePlace.CENTRE, 1),
        ((-0.05, 0.5), 64, CubePlace.CENTRE, 1),
        ((0.5, 0.04), 2, CubePlace.LIGHT, 2),
        ((1.06, 0.9), 4, CubePlace.DARK, 4),
        ((0.75, 0.5), 2, CubePlace.OFFERED, 2),
        ((0.3, 0.3), 64, CubePlace.OFFERED, 64),
    ],
)
def test_where_it_lies_shows_whose_it_is(place, number, lies, value):
    found = select_cube((spot(place, number),), drawn_pose(), LAYOUT)

    assert (found.place, found.value) == (lies, value)
    assert found.seen.places[list(CubePlace).index(lies)] > 0.9


def test_doubt_that_it_is_a_cube_is_doubt_of_its_value():
    sure, doubtful = (
        select_cube((spot((0.5, 0.04), 2, cube=chance),), drawn_pose(), LAYOUT)
        for chance in (0.99, 0.6)
    )

    assert sum(doubtful.seen.values) == pytest.approx(1)
    assert max(doubtful.seen.values) < max(sure.seen.values)


@pytest.mark.parametrize("place", [(0.5, 0.5), (0.5, 0.04), (0.3, 0.3)])
def test_a_spot_that_is_hardly_a_cube_is_none(place):
    assert select_cube((spot(place, 64, cube=0.02),), drawn_pose(), LAYOUT) is None


@pytest.mark.parametrize(
    ("place", "is_found"),
    [((0.5, 0.5), True), ((-0.05, 0.5), True), ((0.5, 0.04), False), ((0.3, 0.3), False)],
)
def test_a_doubtful_cube_is_believed_where_cubes_begin(place, is_found):
    found = select_cube((spot(place, 64, cube=0.15),), drawn_pose(), LAYOUT)
    assert (found is not None) is is_found


def test_a_die_in_the_middle_is_no_cube():
    candidate = spot((0.5, 0.5), 64, cube=0.1)
    candidate.class_probabilities[FACE_CLASSES] = 0.8 / 6
    candidate.class_probabilities[0] = 0.1
    assert select_cube((candidate,), drawn_pose(), LAYOUT) is None
