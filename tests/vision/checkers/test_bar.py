"""Checkers on the bar are counted wherever they lie on it."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.grid import Grid
from vision.checkers.bar import (
    BAR_STRIP_LENGTH,
    BAR_STRIP_WIDTH,
    MAX_ON_BAR,
    bar_pixels,
    bar_probabilities,
)
from vision.checkers.net_counts import net_probabilities
from vision.checkers.side_colours import side_colours_bgr
from vision.checkers.strips import INPUT_CHANNELS, coloured_input
from vision.nets import load_net
from vision.training.samples.bar_crops import make_crops

OPENING = np.array([5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5])
"""The orientation in the sample, whose player sits at the side."""
LIGHT, DARK = 0, 1
CUBE, BARE = 0.5, 0.35
"""Places on the bar: the sample's cube, and nothing."""


@pytest.fixture(scope="module")
def grid(located):
    return Grid(located.pose, located.layout)


@pytest.fixture(scope="module")
def picture(opening_image, grid):
    """Without the cube."""
    out = grid.rectify(opening_image)
    for at in (CUBE, CUBE - 0.06, CUBE + 0.06):
        out[patch(grid, at)] = out[patch(grid, BARE)]
    return out


def patch(grid, y):
    x0, y0 = np.rint(grid.to_pixels(np.array([(0.5, y)]))[0]).astype(int)
    return np.s_[y0 - 12 : y0 + 13, x0 - 14 : x0 + 14]


@pytest.fixture(scope="module")
def colours(picture, grid):
    return side_colours_bgr(picture, grid, OPENING)


def with_checkers(picture, grid, colours, places):
    """The rectified picture with discs in the set's colors on the bar; `places`: (side, y)."""
    out = picture.copy()
    for side, y in places:
        middle = np.rint(grid.to_pixels(np.array([(0.5, y)]))[0]).astype(int).tolist()
        for radius, shade in ((13, 0.75), (12, 1.0), (8, 0.9), (7, 1.0)):
            colour = (colours[side] * shade).tolist()
            cv2.circle(out, middle, radius, colour, -1, cv2.LINE_AA)
    return out


def test_the_strip_has_the_bars_middle_in_its_middle(grid):
    places = bar_pixels(grid)

    assert places.shape == (BAR_STRIP_LENGTH, BAR_STRIP_WIDTH, 2)
    middle = grid.to_pixels(np.array([(0.5, 0.5)]))[0]
    assert places[BAR_STRIP_LENGTH // 2, BAR_STRIP_WIDTH // 2] == pytest.approx(middle, abs=0.51)
    assert (places >= 0).all()
    assert (places < grid.size).all()


@pytest.mark.parametrize("augmented", [False, True])
@pytest.mark.parametrize(
    "places",
    [
        [],
        [(LIGHT, 0.5)],
        [(DARK, 0.5)],
        [(DARK, 0.57)],
        [(LIGHT, 0.44)],
        [(LIGHT, 0.2)],
        [(LIGHT, 0.65), (DARK, 0.75)],
        [(LIGHT, 0.45), (DARK, 0.55)],
        [(DARK, 0.42), (DARK, 0.54)],
        [(DARK, 0.3), (DARK, 0.46)],
        [(LIGHT, 0.25), (LIGHT, 0.39)],
    ],
)
def test_checkers_count_wherever_they_lie_on_the_bar(picture, grid, colours, places, augmented):
    seen = with_checkers(picture, grid, colours, places)

    predicted = bar_probabilities(seen, grid, colours, augmented=augmented)

    assert predicted.sum(axis=1) == pytest.approx([1, 1])
    sides = [side for side, _ in places]
    assert predicted.argmax(axis=1).tolist() == [sides.count(LIGHT), sides.count(DARK)]


def random_places(rng):
    """One to four checkers anywhere on the bar, beside its fittings and one another."""
    while True:
        at = np.sort(rng.uniform(0.1, 0.9, rng.integers(1, 5)))
        if not len(at[1:]) or np.diff(at).min() > 0.088:
            return [
                (int(side), float(y)) for side, y in zip(rng.integers(0, 2, 4), at, strict=False)
            ]


def test_it_is_sure_of_nothing_wrong_however_the_checkers_lie(picture, grid, colours):
    rng, sure = np.random.default_rng(3), []
    for _ in range(100):
        places = random_places(rng)
        predicted = bar_probabilities(
            with_checkers(picture, grid, colours, places), grid, colours, augmented=True
        )
        sides = [side for side, _ in places]
        if predicted.max(axis=1).min() > 0.95:
            sure.append(predicted.argmax(axis=1).tolist() == [sides.count(0), sides.count(1)])

    assert len(sure) > 30
    assert all(sure)


@pytest.mark.parametrize("y", [0.46, 0.5, 0.54])
@pytest.mark.parametrize("side", [LIGHT, DARK])
@pytest.mark.parametrize("augmented", [False, True])
def test_one_across_the_middle_is_surely_one(picture, grid, colours, side, y, augmented):
    predicted = net_probabilities(
        with_checkers(picture, grid, colours, [(side, y)]), grid, augmented=augmented
    )

    assert predicted[24 + side, 16 if side == LIGHT else 14] > 0.9
    assert predicted[25 - side, 15] > 0.9


def test_a_bar_that_is_a_mere_line_is_left_to_its_halves(picture, grid, monkeypatch):
    line = Grid(grid.pose, replace(grid.layout, bar=0.01))

    def never(*_, **__):
        raise AssertionError

    monkeypatch.setattr("vision.checkers.net_counts.bar_probabilities", never)
    predicted = net_probabilities(picture, line, augmented=True)
    assert predicted.sum(axis=1) == pytest.approx(np.ones(26))


@pytest.mark.slow
def test_most_bars_of_scenes_that_were_kept_back_are_read_exactly():
    made = [make_crops(seed) for seed in range(10)]
    strips, lifts, colours, counts = (np.concatenate(part) for part in zip(*made, strict=True))
    given = coloured_input(strips, colours, lifts)
    assert given.shape == (30, INPUT_CHANNELS, BAR_STRIP_LENGTH, BAR_STRIP_WIDTH)

    predicted = load_net("bar")(given).reshape(30, 2, MAX_ON_BAR + 1).argmax(axis=2)

    assert (counts > 0).any(axis=0).all()
    assert (predicted == counts).all(axis=1).sum() >= 22
