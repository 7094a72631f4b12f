"""What may be a cube is read by two nets, and each may outvote the other."""

import numpy as np
import pytest

from calibration.pose import Pose
from vision.dice import cubes
from vision.dice.classify import CUBE_CLASSES, CUBE_NUMBERS

ABOVE = Pose((160, 120), 150.0, 0.0, (np.pi, 0.0, 0.0), (-0.5, 0.42, 1.2), 0.84)
NO_CUBE = -1


def classes_of(cube=0.0, die=0.0, number=2):
    """(13,) probabilities by the die net."""
    row = np.zeros(13)
    row[CUBE_CLASSES] = 0.1 * cube / 5
    row[CUBE_CLASSES.start + CUBE_NUMBERS.index(number)] = 0.9 * cube
    row[3], row[0] = die, 1 - cube - die
    return row


@pytest.fixture
def read(monkeypatch):
    """Reads one place of which the cube net says that it shows `number`, or no cube."""

    def read(classes, number, log_odds=5.0):
        asked = []

        def net(crops):
            asked.append(len(crops))
            logits = np.zeros((len(crops), 7), np.float32)
            logits[:, 0 if number == NO_CUBE else 1 + CUBE_NUMBERS.index(number)] = log_odds
            return logits

        monkeypatch.setattr(cubes, "load_net", lambda name: net)
        image = np.zeros((*ABOVE.size[::-1], 3), np.uint8)
        (row,) = cubes.read_cubes(image, ABOVE, np.full((1, 2), 0.5), classes[None])
        assert row.sum() == pytest.approx(1)
        return row, sum(asked)

    return read


def number_of(row):
    return CUBE_NUMBERS[int(row[CUBE_CLASSES].argmax())]


def test_a_cube_that_the_die_net_hardly_saw_is_found(read):
    row, views = read(classes_of(cube=0.1), 16)
    assert row[CUBE_CLASSES].sum() > 0.5
    assert number_of(row) == 16
    assert views == 8


def test_what_only_the_die_net_takes_for_a_cube_is_none(read):
    row, _ = read(classes_of(cube=0.6), NO_CUBE)
    assert row[CUBE_CLASSES].sum() < 0.05


def test_a_die_stays_a_die_and_what_is_left_keeps_its_shares(read):
    row, _ = read(classes_of(cube=0.01, die=0.9), 2, log_odds=2.0)
    assert row[3] > 0.85
    assert row[3] / row[0] == pytest.approx(0.9 / 0.09)


def test_the_nets_number_outweighs_the_die_nets(read):
    assert number_of(read(classes_of(cube=0.9, number=8), 32)[0]) == 32


def test_a_cube_of_which_both_are_certain_stays_one(read):
    row, _ = read(classes_of(cube=np.nextafter(1, 2)), 2, log_odds=50.0)
    assert 0.99 < row[CUBE_CLASSES].sum() <= 1


def test_what_is_no_cube_for_certain_is_not_asked_about(read):
    classes = classes_of(cube=0.001, die=0.9)
    row, views = read(classes, 2)
    assert views == 0
    assert np.array_equal(row, classes)
