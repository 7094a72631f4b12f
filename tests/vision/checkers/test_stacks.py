"""A net that knows the set's colors counts every point once more, close up."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.grid import CHECKER_THICKNESS, Grid
from engine.position import CHECKERS
from vision.checkers.net_counts import net_probabilities
from vision.checkers.side_colours import side_colours_bgr
from vision.checkers.stacks import (
    STACK_LENGTH,
    STACK_RAIL_MARGIN,
    STACK_WIDTH,
    refine_with_stacks,
    signed_stack_probabilities,
    stack_pixels,
    stack_probabilities,
)
from vision.checkers.strips import INPUT_CHANNELS, POINTS, coloured_input, visible_shares
from vision.nets import load_net
from vision.training.samples.stack_crops import make_crops

OPENING = np.array([5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5])
"""The orientation in the sample, whose player sits at the side."""
FIVES = (np.flatnonzero(np.abs(OPENING) == 5) + 1).tolist()


@pytest.fixture(scope="module")
def grid(located):
    return Grid(located.pose, located.layout)


@pytest.fixture(scope="module")
def picture(opening_image, grid):
    return grid.rectify(opening_image)


@pytest.fixture(scope="module")
def chances(picture, grid):
    return net_probabilities(picture, grid, augmented=True)


@pytest.mark.parametrize(("point", "rail"), [(1, 0.0), (8, 0.0), (13, 1.0), (24, 1.0)])
def test_a_strip_begins_at_the_rail_with_its_point_in_its_middle(grid, point, rail):
    strip = stack_pixels(grid, [point])[0]

    assert strip.shape == (STACK_LENGTH, STACK_WIDTH, 2)
    at = grid.pose.locate(
        strip[STACK_RAIL_MARGIN : STACK_RAIL_MARGIN + 1, STACK_WIDTH // 2], CHECKER_THICKNESS
    )[0]
    pixel = grid.layout.point_width / 42
    assert at[0] == pytest.approx(grid.layout.point_x(point), abs=pixel)
    assert at[1] == pytest.approx(rail, abs=2 * pixel)


def test_the_fives_of_the_opening_are_fives(opening_image, picture, grid, chances):
    colours = side_colours_bgr(picture, grid, OPENING)
    own_first = np.stack([colours[[0, 1] if OPENING[point - 1] > 0 else [1, 0]] for point in FIVES])
    alone = stack_probabilities(opening_image, grid, FIVES, own_first)[0]
    together = refine_with_stacks(opening_image, picture, grid, chances)

    assert (alone.argmax(axis=1) == 5).sum() >= len(FIVES) - 1
    assert (together[:POINTS].argmax(axis=1) - 15 == OPENING).all()


def test_a_point_that_the_picture_cuts_off_is_left_to_the_other_net(
    opening_image, picture, grid, chances
):
    x, y, z = grid.pose.translation
    aside = Grid(replace(grid.pose, translation=(x + 1.0, y, z)), grid.layout)
    shown = visible_shares(stack_pixels(aside, FIVES), aside.pose.size)
    beyond = np.array(FIVES)[shown < 0.8] - 1
    assert 0 < len(beyond) < len(FIVES)

    refined = refine_with_stacks(opening_image, picture, aside, chances)

    assert refined[beyond] == pytest.approx(chances[beyond])
    assert not np.allclose(refined, chances)


def test_it_recognises_whose_checkers_stand_there_and_where_none_do(opening_image, picture, grid):
    colours = side_colours_bgr(picture, grid, OPENING)

    assert colours is not None
    seen = signed_stack_probabilities(opening_image, grid, list(range(1, POINTS + 1)), colours)

    assert seen.sum(axis=1) == pytest.approx(1)
    counts = seen.argmax(axis=1) - CHECKERS
    assert np.sign(counts).tolist() == np.sign(OPENING).tolist()
    assert (counts != OPENING).sum() <= 1


def test_checkers_that_the_other_net_takes_for_none_are_seen(opening_image, picture, grid, chances):
    missed, invented = np.flatnonzero(OPENING == 2)[0], np.flatnonzero(OPENING == 0)[3]
    doubtful = chances.copy()
    doubtful[missed], doubtful[invented] = 0.0, 0.0
    doubtful[missed, [CHECKERS, CHECKERS + 2]] = 0.9, 0.1
    doubtful[invented, [CHECKERS, CHECKERS - 1]] = 0.1, 0.9

    refined = refine_with_stacks(opening_image, picture, grid, doubtful)

    assert refined[missed].argmax() == CHECKERS + 2
    assert refined[invented].argmax() == CHECKERS
    assert refined[POINTS:] == pytest.approx(chances[POINTS:])


def test_without_a_colour_of_both_sides_nothing_is_said(opening_image, picture, grid, chances):
    alone = chances.copy()
    alone[:, :15] = 0.0
    alone[np.arange(26), 15] = 1 - alone[:, 16:].sum(axis=1)

    assert refine_with_stacks(opening_image, picture, grid, alone) is alone


@pytest.mark.slow
def test_most_points_of_scenes_that_were_kept_back_are_read_exactly():
    made = [make_crops(seed) for seed in range(24)]
    strips, lifts, colours, counts = (np.concatenate(part) for part in zip(*made, strict=True))
    given = coloured_input(strips, colours, lifts)
    assert given.shape == (len(counts), INPUT_CHANNELS, STACK_LENGTH, STACK_WIDTH)

    refined = load_net("stacks")(given).argmax(axis=1)

    assert (counts >= 4).sum() > 30
    assert (refined == counts)[counts < 4].mean() > 0.9
    assert (refined == counts)[(counts >= 4) & (counts <= 5)].mean() > 0.7
