"""One picture of a known position adapts the net to the set that it shows."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.grid import Grid
from engine import Position
from engine.position import CHECKERS
from tests.calibration.drawn_board import LAYOUT, drawn_board, drawn_pose, with_checkers
from vision.checkers.conservation import COMPLETE_SET_IN_PLAY
from vision.checkers.fine_tune import adapt_to_set
from vision.checkers.side_colours import refine_with_colours, side_colours_lab
from vision.checkers.strips import cut_strips, strip_parallaxes
from vision.checkers.unknown_set import count_unknown_set
from vision.nets import load_net

COUNTS = np.array([-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2])
RED, GREEN = (60, 60, 190), (60, 135, 60)  # equally light: neither is the paler


@pytest.fixture(scope="module")
def adaptation(adapted):
    return adapt_to_set(adapted.profile)


def net_counts(profile):
    """The net's output for the picture of a profile, (26, 127)."""
    grid = profile.grid
    strips = cut_strips(profile.picture, grid.layout, grid.field_size[0], strip_parallaxes(grid))
    return load_net("checkers")(strips).astype(np.float64)


def losses(logits, counts):
    chances = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return -chances[np.arange(24), np.array(counts) + CHECKERS]


def test_the_known_position_is_likelier_with_the_lesson(adapted, adaptation):
    answer, counts = net_counts(adapted.profile), adapted.profile.position.signed()
    before = losses(answer[:24, :31], counts)
    after = losses(adaptation.logits(answer)[:24], counts)
    assert after.mean() < before.mean()
    assert after.max() < np.log(2)


def test_the_board_is_read_from_its_other_side(adapted, adaptation, opening_image):
    turned = Grid(adapted.profile.pose.half_turned(), adapted.profile.layout)
    own = adapted.profile.position.signed()
    counted = count_unknown_set(opening_image, turned, adaptation)
    assert list(counted.most_likely[:24]) == list(own[12:] + own[:12])


def test_of_a_position_that_lacks_checkers_it_cannot_have_borne_off_no_total_follows(adapted):
    light, dark = [0] * 26, [0] * 26
    for own in (light, dark):
        own[24], own[13], own[8], own[6], own[0] = 2, 4, 2, 4, 3
    small = replace(adapted.profile, position=Position(tuple(light), tuple(dark)))
    assert adapt_to_set(small).in_play == (0, 0)


def test_a_set_that_was_learnt_whole_or_bearing_off_is_whole(adapted):
    light, dark = [0] * 26, [0] * 26
    for own in (light, dark):
        own[6], own[5], own[0] = 4, 3, 8
    late = replace(adapted.profile, position=Position(tuple(light), tuple(dark)))
    assert adapt_to_set(late).in_play == (COMPLETE_SET_IN_PLAY, COMPLETE_SET_IN_PLAY)
    assert adapt_to_set(adapted.profile).in_play == adapt_to_set(late).in_play


@pytest.mark.parametrize("light_is_red", [True, False])
def test_colours_of_one_lightness_are_distinguished_by_those_of_the_set(light_is_red):
    light, dark = (RED, GREEN) if light_is_red else (GREEN, RED)
    grid = Grid(drawn_pose(), LAYOUT)
    picture = grid.rectify(with_checkers(drawn_board(), COUNTS, light, dark))
    unsure = np.full((26, 31), 1e-6)
    for cell, count in enumerate(COUNTS):
        unsure[cell, [CHECKERS + count, CHECKERS - count]] = 0.5
    known = side_colours_lab(picture, grid, COUNTS)

    read = refine_with_colours(picture, grid, unsure, known)[:24].argmax(axis=1) - CHECKERS

    assert (read == COUNTS).all()
