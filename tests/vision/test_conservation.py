"""Fifteen a side settles what one stack hides, and leaves two hidden stacks in doubt."""

import numpy as np
import pytest

from vision.conservation import as_in_play, conserved

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

    told = conserved(chances)

    assert told[5].argmax() - CHECKERS == 5
    assert told[5].max() > 0.9


def test_two_hidden_stacks_of_one_side_stay_in_doubt():
    counts = list(OPENING)
    counts[5], counts[12] = 6, 6
    counts[7] = 1
    chances = seen(counts)
    between(chances[5], 5, 8)
    between(chances[12], 5, 8)

    told = conserved(chances)

    assert told[5].max() < 0.6
    assert told[12].max() < 0.6


def test_a_side_that_bears_off_is_not_filled_up():
    counts = [3, 2] + [0] * 20 + [-4, -3, 0, 0]

    told = conserved(seen(counts))

    assert (told.argmax(axis=1) - CHECKERS == counts).all()


def test_a_board_with_sixteen_of_a_side_is_told_as_it_was_seen():
    counts = [15, 3] + [0] * 24

    told = conserved(seen(counts))

    assert np.isfinite(told).all()


def test_a_stack_that_may_be_of_five_or_of_twelve_is_taken_for_five():
    row = np.zeros((1, 31))
    row[0, CHECKERS + 5], row[0, CHECKERS + 12] = 0.45, 0.55
    told = as_in_play(row)[0]
    assert told.sum() == pytest.approx(1)
    assert told.argmax() == CHECKERS + 5


def test_a_tall_stack_that_is_seen_stays():
    row = np.zeros((1, 31))
    row[0, CHECKERS - 15], row[0, CHECKERS - 5] = 0.99, 0.01
    assert as_in_play(row)[0].argmax() == CHECKERS - 15
