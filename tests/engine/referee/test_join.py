"""A game that is joined under way: every way its board may be numbered, until plays decide."""

from __future__ import annotations

import numpy as np
import pytest

from engine.evidence.observation import CELLS, COUNTS, CubePlace, CubeSeen, DieSeen, Observation
from engine.evidence.orientation import ORIENTATIONS, Orientation
from engine.referee.join import min_hits
from engine.rules import find_rules

OPENING = find_rules("short").opening()


def numbered() -> Observation:
    """An observation in which every cell says its own number."""
    counts = np.zeros((CELLS, COUNTS), np.float32) + np.arange(CELLS)[:, None]
    dice = (DieSeen((1.0, 0, 0, 0, 0, 0), (10.0, 20.0), (0.8, 0.1)),)
    cube = CubeSeen((0, 1.0, 0, 0, 0, 0, 0), (0.0, 1.0, 0.0, 0.0))
    return Observation(counts, dice=dice, change=np.arange(CELLS, dtype=np.float32), cube=cube)


@pytest.mark.parametrize("way", ORIENTATIONS)
def test_a_board_numbered_twice_from_another_corner_is_numbered_as_before(way):
    seen = numbered()
    again = way.observation(way.observation(seen))
    assert (again.counts == seen.counts).all()
    assert (again.change == seen.change).all()
    assert again.dice[0].board == pytest.approx(seen.dice[0].board)
    assert again.cube == seen.cube


def test_a_half_turn_gives_the_ace_point_the_number_13_and_swaps_the_players():
    seen = Orientation(is_turned=True).observation(numbered())
    assert seen.counts[12, 0] == 0
    assert seen.dice[0].board == pytest.approx((0.2, 0.9))
    assert seen.cube is not None
    assert seen.cube.places[list(CubePlace).index(CubePlace.DARK)] == 1.0


def test_a_mirror_image_swaps_the_hands_and_leaves_the_players():
    seen = Orientation(is_mirrored=True).observation(numbered())
    assert seen.counts[11, 0] == 0
    assert seen.dice[0].board == pytest.approx((0.2, 0.1))
    assert seen.cube == numbered().cube


def test_checkers_go_back_by_hits_alone():
    opening = OPENING.light
    assert min_hits(opening, opening) == 0
    ahead, behind = list(opening), list(opening)
    ahead[13], ahead[7] = ahead[13] - 1, ahead[7] + 1
    assert min_hits(tuple(ahead), opening) == 0
    behind[6], behind[20] = behind[6] - 1, behind[20] + 1
    assert min_hits(tuple(behind), opening) == 1
