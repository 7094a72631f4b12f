"""Fifteen checkers a side settle what one stack hides, and leave two hidden stacks in doubt."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.checkers.conservation import (
    COMPLETE_SET_IN_PLAY,
    conserve_checkers,
    likeliest_board,
    may_have_borne_off,
    weigh_as_in_games,
)

CHECKERS = 15


def seen(counts):
    chances = np.full((26, 31), 1e-9)
    for cell, count in enumerate(counts):
        chances[cell, count + CHECKERS] = 1.0
    return chances / chances.sum(axis=1, keepdims=True)


def between(row, low, high):
    row[:] = 1e-9
    row[low + CHECKERS : high + CHECKERS + 1] = 1 / (high - low + 1)


OPENING = [-2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0, 0]


def test_one_stack_that_hides_its_second_layer_is_settled_by_the_others():
    chances = seen(OPENING)
    between(chances[5], 5, 9)

    marginals, _ = conserve_checkers(chances)

    assert marginals[5].argmax() - CHECKERS == 5
    assert marginals[5].max() > 0.9


def test_the_board_as_a_whole_has_the_checkers_that_a_hand_hides():
    chances = seen(OPENING)
    for cell, hidden in ((16, 0.45), (15, 0.3), (17, 0.3)):  # three of dark's, beneath a hand
        chances[cell] = 1e-9
        chances[cell, [CHECKERS, CHECKERS - 3]] = 1 - hidden, hidden

    marginals, _ = conserve_checkers(chances)

    assert marginals[16].argmax() == CHECKERS, "no point holds them more likely than not"
    assert list(likeliest_board(chances, marginals)) == OPENING


def test_the_board_as_a_whole_has_no_count_that_is_much_less_likely_than_another():
    counts = [2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, -2, 0, 0]
    chances = seen(counts)  # light lacks one, which may be on any of eight points
    for cell in (1, 2, 3, 4, 6, 8, 9, 10):
        chances[cell] = 1e-9
        chances[cell, [CHECKERS, CHECKERS + 1]] = 0.85, 0.15

    marginals, _ = conserve_checkers(chances)

    assert list(likeliest_board(chances, marginals)) == counts


def test_a_board_of_too_many_checkers_is_never_read_if_another_is_possible():
    chances = seen([0] * 26)
    for cell in range(8):
        chances[cell] = 1e-9
        chances[cell, [CHECKERS + 2, CHECKERS + 1]] = 0.9, 0.1
    for cell in range(10, 15):
        chances[cell] = seen([-2])[0]
    chances[16] = 1e-9
    chances[16, [CHECKERS - 4, CHECKERS - 5]] = 0.6, 0.4

    marginals, _ = conserve_checkers(chances)
    board = likeliest_board(chances, marginals)

    assert board[board > 0].sum() == 15
    assert board[16] == -5


def test_two_hidden_stacks_of_one_side_stay_in_doubt():
    counts = list(OPENING)
    counts[5], counts[12] = 6, 6
    counts[7] = 1
    chances = seen(counts)
    between(chances[5], 5, 8)
    between(chances[12], 5, 8)

    marginals, _ = conserve_checkers(chances)

    assert marginals[5].max() < 0.6
    assert marginals[12].max() < 0.6


def test_a_side_is_not_filled_up_where_the_other_surely_lacks_as_many():
    counts = list(OPENING)
    counts[18], counts[12] = -4, 4
    chances = seen(counts)
    chances[18] = 1e-9
    chances[18, CHECKERS - 4], chances[18, CHECKERS - 5] = 0.9, 0.1

    marginals, _ = conserve_checkers(chances)

    assert marginals[18].argmax() - CHECKERS == -4


def test_a_side_that_bears_off_is_not_filled_up():
    counts = [3, 2] + [0] * 20 + [-4, -3, 0, 0]

    marginals, _ = conserve_checkers(seen(counts))

    assert (marginals.argmax(axis=1) - CHECKERS == counts).all()


def test_a_board_with_sixteen_of_a_side_is_read_as_it_was_seen():
    counts = [15, 3] + [0] * 24

    marginals, _ = conserve_checkers(seen(counts))

    assert np.isfinite(marginals).all()


def test_a_stack_that_may_be_of_five_or_of_twelve_is_taken_for_five():
    row = np.zeros((1, 31))
    row[0, CHECKERS + 5], row[0, CHECKERS + 12] = 0.45, 0.55
    marginals = weigh_as_in_games(row)[0]
    assert marginals.sum() == pytest.approx(1)
    assert marginals.argmax() == CHECKERS + 5


def test_a_tall_stack_that_is_seen_stays():
    row = np.zeros((1, 31))
    row[0, CHECKERS - 15], row[0, CHECKERS - 5] = 0.99, 0.01
    assert weigh_as_in_games(row)[0].argmax() == CHECKERS - 15


HOME = [5, 2, 2, 0, 1] + [0] * 14 + [-1, -1, -3, -3, -4, 0, 0]


def test_checkers_in_a_tray_keep_a_doubtful_stack_from_being_filled_up():
    chances = seen(HOME)
    between(chances[23], -7, -4)
    three_off = np.full((2, 16), 0.02)
    three_off[:, 0] = 0.1
    three_off[1, 3] = 1.0

    marginals, totals = conserve_checkers(chances, borne_off=three_off)

    assert marginals[23].argmax() - CHECKERS == -4
    assert totals[1].argmax() == 12
    without, _ = conserve_checkers(chances)
    assert without[23].argmax() - CHECKERS == -7


def test_of_an_opening_nobody_asks_what_lies_in_the_trays():
    assert not may_have_borne_off(seen(OPENING))
    assert may_have_borne_off(seen(HOME))
    assert may_have_borne_off(seen([14, *OPENING[1:]]))


NINE_BACK = [0, 0, 0, 1, 0, 1, 2, 0, 1, 0, 0, -15, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0]
"""Nine of light's checkers on one point, and others all over the board."""


@pytest.mark.parametrize(("in_play", "expected"), [(COMPLETE_SET_IN_PLAY, 9), (0.0, 5)])
def test_nobody_has_borne_off_while_others_are_far_from_home(in_play, expected):
    # Two layers, the upper one hardly visible: by itself, that makes five twice as likely.
    chances = seen(NINE_BACK)
    chances[23] = 1e-9
    chances[23, CHECKERS + 5], chances[23, CHECKERS + 9] = 0.66, 0.33

    marginals, totals = conserve_checkers(weigh_as_in_games(chances), (in_play, in_play))

    assert marginals[23].argmax() - CHECKERS == expected
    assert totals[0].argmax() == expected + 6


@given(st.lists(st.integers(0, 3), min_size=12, max_size=12), st.integers(0, 15))
def test_totals_and_places_are_chances_whatever_lies_in_the_trays(held, off):
    chances = seen([*held[:6], *[0] * 12, *(-count for count in held[6:]), 0, 0])
    in_trays = np.full((2, 16), 1e-3)
    in_trays[:, off] = 1.0

    marginals, totals = conserve_checkers(chances, borne_off=in_trays)

    assert marginals.sum(axis=1) == pytest.approx(np.ones(26))
    assert totals.sum(axis=1) == pytest.approx(np.ones(2))


def test_a_set_may_lack_a_checker_more_on_one_side():
    """Eleven and twelve: the twelfth is not made up where it would be somewhat likely."""
    counts = [3, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, -4, 0, 0, 0, -4, 0, 0, 0, -4, 0, 0, 0, 0, 0]
    chances = seen(counts)
    chances[24, CHECKERS], chances[24, CHECKERS + 1] = 0.9, 0.1

    marginals, totals = conserve_checkers(weigh_as_in_games(chances))

    assert marginals[24].argmax() == CHECKERS
    assert totals.argmax(axis=1).tolist() == [11, 12]


def test_both_sides_may_lack_as_many():
    """Fourteen a side: no row is taken for higher than it looks only to make up fifteen."""
    counts = [5, 0, 0, 0, 5, 0, 0, 4, 0, 0, 0, 0, -5, 0, 0, 0, -4, 0, -5, 0, 0, 0, 0, 0, 0, 0]
    chances = seen(counts)
    for cell in (0, 12):
        chances[cell, counts[cell] + CHECKERS + np.sign(counts[cell])] = 0.09

    marginals, _ = conserve_checkers(chances)

    assert (marginals.argmax(axis=1) - CHECKERS).tolist() == counts


def test_a_bar_that_is_a_line_is_believed_empty_sooner():
    chances = seen([0] * 26)
    chances[24, CHECKERS], chances[24, CHECKERS + 1] = 0.5, 0.5
    bars = [weigh_as_in_games(chances, has_bar=each)[24, CHECKERS] for each in (True, False)]
    assert np.allclose(bars, (1 / 2, 5 / 6))
