"""The owner of a point follows from its appearance and the colors of all points."""

import numpy as np
import pytest

from calibration.grid import Grid
from engine.position import CHECKERS
from tests.calibration.drawn_board import LAYOUT, drawn_board, drawn_pose, with_checkers
from vision.checkers.side_colours import refine_with_colours, side_colours_lab

COUNTS = np.array([-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2])
HELD = np.flatnonzero(COUNTS)
RED, GREEN = (60, 60, 190), (60, 135, 60)  # BGR, equally light
IVORY, CREAM = (200, 225, 235), (196, 222, 236)  # which no camera tells apart


@pytest.fixture(scope="module")
def grid():
    return Grid(drawn_pose(), LAYOUT)


def votes(light_shares):
    """Certain counts, each light's with a given probability, for the held points in turn."""
    chances = np.full((26, 31), 1e-6)
    chances[np.arange(24), CHECKERS] = 1.0
    for cell, share in zip(HELD, light_shares, strict=True):
        chances[cell, CHECKERS] = 1e-6
        chances[cell, CHECKERS + abs(COUNTS[cell])] = share
        chances[cell, CHECKERS - abs(COUNTS[cell])] = 1 - share
    return chances


def refined_counts(grid, colours, chances, known=None):
    picture = grid.rectify(with_checkers(drawn_board(), COUNTS, *colours))
    return refine_with_colours(picture, grid, chances, known)[:24].argmax(axis=1) - CHECKERS


@pytest.mark.parametrize("wrong", range(len(HELD)))
def test_a_point_that_looks_the_other_sides_is_known_by_its_colour(grid, wrong):
    shares = np.where(COUNTS[HELD] > 0, 0.97, 0.03)
    shares[wrong] = 1 - shares[wrong]

    assert (refined_counts(grid, (RED, GREEN), votes(shares)) == COUNTS).all()


def test_two_points_that_look_right_name_all_of_their_colour(grid):
    shares = np.full(len(HELD), 0.5)
    shares[np.flatnonzero(COUNTS[HELD] > 0)[0]] = 0.9
    shares[np.flatnonzero(COUNTS[HELD] < 0)[0]] = 0.1

    assert (refined_counts(grid, (RED, GREEN), votes(shares)) == COUNTS).all()


@pytest.mark.parametrize("lamp", [1.0, 0.7])
def test_a_known_set_is_recognised_by_its_colours_whatever_its_points_look_like(grid, lamp):
    picture = grid.rectify(with_checkers(drawn_board(), COUNTS, RED, GREEN))
    known = side_colours_lab(picture, grid, COUNTS)
    dimmed = [tuple(int(lamp * part) for part in colour) for colour in (RED, GREEN)]
    swapped = np.where(COUNTS[HELD] > 0, 0.1, 0.9)

    assert (refined_counts(grid, dimmed, votes(swapped), known) == COUNTS).all()
    assert (refined_counts(grid, dimmed, votes(swapped)) == -COUNTS).all()


def test_a_side_that_shows_no_checkers_of_a_known_set_is_given_none(grid):
    picture = grid.rectify(with_checkers(drawn_board(), COUNTS, RED, GREEN))
    known = side_colours_lab(picture, grid, COUNTS)
    chances = votes(np.full(len(HELD), 0.97))

    assert (refined_counts(grid, (RED, RED), chances, known)[HELD] > 0).all()
    assert (refined_counts(grid, (RED, RED), chances)[HELD] > 0).all()


def test_colours_that_hardly_differ_overrule_no_look(grid):
    shares = np.where(np.arange(len(HELD)) % 3 > 0, 0.9, 0.1)  # as if the colors meant nothing

    read = refined_counts(grid, (IVORY, CREAM), votes(shares))[HELD]

    assert ((read > 0) == (shares > 0.5)).all()


def test_a_shadow_over_one_end_makes_no_sides(grid):
    """The lightness then splits the points in two, but not by owner."""
    board = with_checkers(drawn_board(), COUNTS, IVORY, CREAM)
    shade = np.where(np.arange(board.shape[1]) < board.shape[1] / 2, 0.35, 1.0)
    picture = grid.rectify((board * shade[None, :, None]).astype(np.uint8))
    shares = np.where(COUNTS[HELD] > 0, 0.8, 0.2)

    read = refine_with_colours(picture, grid, votes(shares))[:24].argmax(axis=1) - CHECKERS

    assert (read == COUNTS).all()
