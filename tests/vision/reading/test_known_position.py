"""A set is learned from any known position, even from two stacks of fifteen."""

import numpy as np
import pytest

from calibration.appearance import to_perceptual
from calibration.colour_separation import similar_colours
from calibration.errors import CannotLearn
from calibration.grid import Grid
from calibration.known_position import absent_sides
from calibration.profile import Profile
from engine import Position, Side
from engine.position import CHECKERS
from engine.rules import find_rules
from engine.turns.evidence import OPEN_QUALITY
from tests.calibration.drawn_board import (
    DARK,
    LAYOUT,
    LIGHT,
    drawn_board,
    drawn_pose,
    with_checkers,
)
from vision.checkers.conservation import ALL_IN_PLAY
from vision.checkers.disc_model import count_checkers
from vision.checkers.fine_tune import adapt_to_set
from vision.checkers.net_counts import combine_with_net
from vision.reading.learn_set import learn_set
from vision.reading.overlay import draw_board

MID = Position.parse("light 20:2 13:3 8:3 6:4 5:2 3:1 | dark 24:1 13:4 8:2 7:2 6:4 4:1 3:1")
BACK = Position.parse("light 24:1 13:7 6:7 | dark 24:2 13:5 8:3 6:5")
NARDE = find_rules("narde").opening()


def taught(position, counts=None):
    image = with_checkers(drawn_board(), position.signed() if counts is None else counts)
    return learn_set(image, drawn_pose(), LAYOUT, position)


@pytest.mark.parametrize("position", [MID, find_rules("short").opening()])
def test_a_known_position_is_read_again_exactly(position):
    adapted = taught(position)
    assert adapted.differences == ()
    assert adapted.unread_stacks == ()
    assert tuple(adapted.counted.most_likely[:24]) == position.signed()


@pytest.mark.parametrize("gap", [0.5, 1.5, 2.4])
def test_checkers_that_are_not_pushed_together_are_found_where_they_lie(gap):
    position = find_rules("nackgammon").opening()
    gaps = dict.fromkeys((1, 2, 23, 24), gap)
    image = with_checkers(drawn_board(), position.signed(), dark=(35, 45, 100), gaps=gaps)
    adapted = learn_set(image, drawn_pose(), LAYOUT, position)
    assert adapted.differences == ()


def test_the_opening_of_narde_teaches_though_its_stacks_cannot_be_read():
    adapted = taught(NARDE)
    assert adapted.differences == ()
    assert adapted.unread_stacks == (12, 24)
    assert adapted.profile.appearance().models.keys() == set(Side)


def test_what_the_opening_of_narde_taught_reads_a_game():
    profile = taught(NARDE).profile
    picture = profile.grid.rectify(with_checkers(drawn_board(), MID.signed()))
    counted = count_checkers(to_perceptual(picture), profile.grid, profile.appearance())
    assert tuple(counted.most_likely[:24]) == MID.signed()


def test_tall_stacks_of_other_heights_are_taken_as_known_too():
    adapted = taught(BACK)
    assert adapted.differences == ()
    assert set(adapted.unread_stacks) == {6, 13}


def test_a_stack_that_is_too_short_or_of_the_other_side_is_a_difference():
    counts = np.array(NARDE.signed())
    counts[23] = 4
    assert any("24 point shows 4 light" in str(one) for one in taught(NARDE, counts).differences)
    counts[23] = -15
    assert taught(NARDE, counts).differences != ()


def test_a_checker_too_many_is_not_learnt_as_felt():
    counts = np.array(MID.signed())
    counts[np.flatnonzero(counts == 0)[3]] = 2
    assert any("shows more than none" in str(one) for one in taught(MID, counts).differences)


def test_a_checker_too_many_on_a_held_point_is_not_learnt_as_felt():
    counts = np.array(MID.signed())
    counts[19] += 1
    assert any("20 point shows" in str(one) for one in taught(MID, counts).differences)


def test_another_opening_does_not_pass_for_that_of_narde():
    assert taught(NARDE, find_rules("short").opening().signed()).differences != ()


@pytest.mark.parametrize("text", ["light | dark", "light 6:5 3:10 | dark", "light | dark 6:5 3:2"])
def test_a_board_without_checkers_of_a_side_teaches_the_rest(text):
    position = Position.parse(text)
    adapted = taught(position)
    assert adapted.differences == ()
    adaptation = adapt_to_set(adapted.profile)
    assert adaptation.colours is None
    for side, in_play in zip(Side, adaptation.in_play, strict=True):
        assert (in_play == ALL_IN_PLAY[0]) == (side in absent_sides(position))


def test_a_color_that_was_not_seen_is_no_evidence():
    grid = Grid(drawn_pose(), LAYOUT)
    picture = grid.rectify(with_checkers(drawn_board(), MID.signed()))
    appearance = taught(Position.parse("light | dark")).profile.appearance()
    counted = count_checkers(to_perceptual(picture), grid, appearance)
    assert not counted.hidden.any()
    for cell, count in enumerate(MID.signed()):
        loss = counted.counts[cell].max() - counted.counts[cell, CHECKERS + count]
        assert loss < 1


@pytest.mark.parametrize("position", [MID, BACK, NARDE])
def test_checkers_that_lie_close_do_not_pass_for_a_cover(position):
    profile = taught(position).profile
    picture = profile.grid.rectify(with_checkers(drawn_board(), position.signed()))
    counted = count_checkers(to_perceptual(picture), profile.grid, profile.appearance())
    assert not counted.covered.any()


@pytest.mark.parametrize("color", [LIGHT, DARK])
def test_a_sheet_in_a_checkers_color_hides_the_points_under_it(color):
    profile = taught(MID).profile
    picture = profile.grid.rectify(with_checkers(drawn_board(), MID.signed()))
    picture[: len(picture) // 2, : picture.shape[1] // 3] = color  # the points 13 to 16
    counted = count_checkers(to_perceptual(picture), profile.grid, profile.appearance())
    assert set(np.flatnonzero(counted.covered[:24] > 0.5) + 1) == {13, 14, 15, 16}
    assert counted.readable_share < OPEN_QUALITY
    counted = combine_with_net(counted, picture, profile.grid)
    assert np.ptp(counted.counts[12:16]) == 0, "what lies under it is open"


def test_felt_that_is_not_seen_cannot_be_learnt():
    every_other = " ".join(f"{point}:1" for point in range(2, 25, 2))
    with pytest.raises(CannotLearn, match="every point is occupied"):
        taught(Position.parse(f"light {every_other} | dark {every_other}"))


def test_a_picture_that_fits_no_way_better_than_another_is_ambiguous():
    position = Position.parse("light 24:2 23:2 | dark 24:2 23:2")
    assert taught(position, np.zeros(24, int)).is_ambiguous
    assert not taught(MID).is_ambiguous


def test_colours_that_look_alike_are_named():
    adapted = taught(MID)
    image = with_checkers(drawn_board(), MID.signed())
    image[(image == (30, 35, 120)).all(axis=2)] = DARK
    profile = adapted.profile
    same = Profile(
        profile.pose, LAYOUT, Grid(profile.pose, LAYOUT).rectify(image), MID, profile.centers,
        profile.diameter,
    )  # fmt: skip
    assert similar_colours(profile, profile.appearance()) is None
    alike = similar_colours(same, same.appearance())
    assert [str(name) for name in alike] == ["the dark checkers", "the darker points"]


def test_a_learnt_board_can_be_drawn():
    adapted = taught(NARDE)
    image = with_checkers(drawn_board(), NARDE.signed())
    assert draw_board(image, adapted.profile.grid, adapted.counted).shape == image.shape


def test_nothing_is_drawn_on_a_picture_of_another_size():
    adapted = taught(NARDE)
    image = with_checkers(drawn_board(), NARDE.signed())
    small = np.ascontiguousarray(image[::2, ::2])
    drawn = draw_board(small, adapted.profile.grid, adapted.counted)
    assert (drawn == small).all()
    assert drawn is not small
