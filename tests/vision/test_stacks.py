"""Points that hold several checkers are counted once more, close up."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.grid import THICKNESS, Grid
from vision.coloured_strips import CHANNELS, coloured_input, shares_shown
from vision.nets import load_net
from vision.stack_strips import BEFORE, LENGTH, WIDTH, stack_pixels
from vision.stacks import POINTS, stack_chances, with_stacks
from vision.strip_counts import net_chances
from vision.training.stack_crops import crops_of
from vision.two_colours import set_colours

OPENING = np.array([5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5])
"""As it lies in the sample, whose player sits at the side."""
FIVES = (np.flatnonzero(np.abs(OPENING) == 5) + 1).tolist()


@pytest.fixture(scope="module")
def grid(located):
    return Grid(located.pose, located.layout)


@pytest.fixture(scope="module")
def picture(opening_image, grid):
    return grid.rectify(opening_image)


@pytest.fixture(scope="module")
def chances(picture, grid):
    return net_chances(picture, grid, carefully=True)


@pytest.mark.parametrize(("point", "rail"), [(1, 0.0), (8, 0.0), (13, 1.0), (24, 1.0)])
def test_a_strip_begins_at_the_rail_with_its_point_in_its_middle(grid, point, rail):
    strip = stack_pixels(grid, [point])[0]

    assert strip.shape == (LENGTH, WIDTH, 2)
    at = grid.pose.locate(strip[BEFORE : BEFORE + 1, WIDTH // 2], THICKNESS)[0]
    pixel = grid.layout.point_width / 42
    assert at[0] == pytest.approx(grid.layout.point_x(point), abs=pixel)
    assert at[1] == pytest.approx(rail, abs=2 * pixel)


def test_the_fives_of_the_opening_are_fives(opening_image, picture, grid, chances):
    colours = set_colours(picture, grid, OPENING)
    own_first = np.stack([colours[[0, 1] if OPENING[point - 1] > 0 else [1, 0]] for point in FIVES])
    alone = stack_chances(opening_image, grid, FIVES, own_first)
    together = with_stacks(opening_image, picture, grid, chances)

    assert alone.argmax(axis=1).tolist() == [5] * len(FIVES)
    assert (together[:POINTS].argmax(axis=1) - 15 == OPENING).all()


def test_a_point_that_the_picture_cuts_off_is_left_to_the_other_net(
    opening_image, picture, grid, chances
):
    x, y, z = grid.pose.translation
    aside = Grid(replace(grid.pose, translation=(x + 1.0, y, z)), grid.layout)
    shown = shares_shown(stack_pixels(aside, FIVES), aside.pose.size)
    beyond = np.array(FIVES)[shown < 0.8] - 1
    assert 0 < len(beyond) < len(FIVES)

    told = with_stacks(opening_image, picture, aside, chances)

    assert told[beyond] == pytest.approx(chances[beyond])
    assert not np.allclose(told, chances)


def test_only_how_many_there_are_changes_not_whose_nor_whether(
    opening_image, picture, grid, chances
):
    told = with_stacks(opening_image, picture, grid, chances)

    for part in (slice(0, 15), slice(15, 16), slice(16, 31)):
        assert told[:, part].sum(axis=1) == pytest.approx(chances[:, part].sum(axis=1), abs=1e-5)
    tall = [point - 1 for point in FIVES]
    others = np.setdiff1d(np.flatnonzero(np.abs(OPENING) < 3), tall)
    assert told[others] == pytest.approx(chances[others])
    assert told[POINTS:] == pytest.approx(chances[POINTS:])


def test_without_a_colour_of_both_sides_nothing_is_said(opening_image, picture, grid, chances):
    alone = chances.copy()
    alone[:, :15] = 0.0
    alone[np.arange(26), 15] = 1 - alone[:, 16:].sum(axis=1)

    assert with_stacks(opening_image, picture, grid, alone) is alone


def test_most_points_of_scenes_that_were_kept_back_are_read_exactly():
    made = [crops_of(seed) for seed in range(12)]
    strips, lifts, colours, counts = (np.concatenate(part) for part in zip(*made, strict=True))
    given = coloured_input(strips, colours, lifts)
    assert given.shape == (len(counts), CHANNELS, LENGTH, WIDTH)

    told = load_net("stacks")(given).argmax(axis=1)

    assert (counts >= 4).sum() > 12
    assert (told == counts).mean() > 0.6
