"""Sequences of rolls, dice thrown together, players compared, luck."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness.compare import compare, homogeneity, homogeneity_log_e
from engine.fairness.luck import MEAN_PIPS, PIPS_SIGMA, luck_of
from engine.fairness.pairs import find_pairs, pair_of_table
from engine.fairness.rolls import simple_log
from engine.fairness.sequence import sequence_tests, transition_table
from engine.fairness.simulate import series_rates
from tests import naive_dice

THROWS = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=3), min_size=1, max_size=30)


@given(THROWS)
def test_every_die_of_a_throw_is_followed_by_every_die_of_the_next(throws):
    faces = np.array([face for one in throws for face in one], np.int8)
    numbers = np.repeat(np.arange(len(throws)), [len(one) for one in throws])
    assert np.array_equal(
        transition_table(faces, numbers), naive_dice.transition_table(faces, numbers)
    )


def test_a_die_that_repeats_itself_is_noticed():
    chance = np.random.default_rng(1)
    values = chance.integers(1, 7, 400)
    again = chance.random(400) < 0.25
    for n in range(1, 400):
        values[n] = values[n - 1] if again[n] else values[n]
    tests = sequence_tests(simple_log(values))
    assert tests.repeats.p < 1e-4
    assert tests.repeats.value > 0
    assert tests.serial.p < 0.01
    assert tests.runs == 1 + int((np.diff(values) != 0).sum())


def test_like_dice_of_a_throw_have_no_runs_of_their_own():
    log = simple_log([1, 2, 3, 4], throw=[0, 0, 1, 1])
    assert log.pooled == {"die"}
    assert sequence_tests(log).runs is None


def test_two_dice_that_know_of_each_other_are_noticed():
    table = np.full((6, 6), 20) + 25 * np.eye(6, dtype=int)
    pair = pair_of_table(("red", "white"), table)
    assert pair.independence.p < 1e-3
    assert pair.doubles_p < 1e-3
    assert pair.doubles_of_margins.p < 1e-3
    alike = pair_of_table(("pair", "pair"), np.triu(table + table.T, 1) + np.diag(np.diag(table)))
    assert alike.independence.df == 15
    assert alike.independence.p < 1e-3
    assert alike.outcomes.df == 20


def test_doubles_of_biased_dice_are_held_against_what_such_dice_give():
    faces = np.array([4, 1, 1, 1, 1, 1])
    table = np.outer(faces, faces) * 20
    pair = pair_of_table(("a", "b"), table)
    assert pair.doubles_p < 1e-3
    assert pair.doubles_of_margins.p > 0.9
    assert pair.doubles_expected == pytest.approx(pair.doubles)


def test_pairs_are_found_by_their_throws_whatever_the_order_in_them():
    log = simple_log(
        [6, 1, 2, 5, 3], die=["red", "white", "white", "red", "red"], throw=[0, 0, 1, 1, 2]
    )
    (pair,) = find_pairs(log)
    assert pair.dice == ("red", "white")
    assert pair.throws == 2
    assert (pair.table[5, 0], pair.table[4, 1]) == (1, 1)
    assert pair.sevens == 2


def test_no_false_alarms_beyond_what_is_promised():
    for rate in series_rates(100, np.random.default_rng(2)):
        assert rate.is_kept, rate


def test_groups_that_differ_are_distinguished_and_like_ones_are_not():
    same = np.array([[100, 100, 100, 100, 100, 100], [51, 49, 50, 50, 52, 48]])
    other = np.array([[100, 100, 100, 100, 100, 100], [10, 50, 50, 50, 50, 90]])
    assert homogeneity(same).p > 0.9
    assert homogeneity_log_e(same) < 0
    assert homogeneity(other).p < 1e-4
    assert homogeneity(other).df == 5
    assert homogeneity_log_e(other * 4) > np.log(1000)


def test_an_e_value_of_sameness_is_one_on_average_at_most():
    chance = np.random.default_rng(3)
    chances = [0.25, 0.15, 0.15, 0.15, 0.15, 0.15]
    found = [np.exp(homogeneity_log_e(chance.multinomial(80, chances, 2))) for _ in range(800)]
    assert np.mean(found) <= 1


def test_small_groups_are_held_against_draws():
    assert homogeneity(np.array([[3, 1, 0, 0, 1, 0], [0, 1, 2, 2, 0, 1]])).method == "draws"


def test_groups_without_rolls_are_left_out():
    compared = compare("players", ("Ann", "Ben", "Cid"), np.array([[5] * 6, [0] * 6, [5] * 6]))
    assert compared.names == ("Ann", "Cid")


def test_luck_is_pips_against_eight_and_a_sixth_a_throw():
    assert pytest.approx(8 + 1 / 6) == MEAN_PIPS
    assert pytest.approx(4.30, abs=5e-3) == PIPS_SIGMA
    luck = luck_of(simple_log([6, 6, 2, 1, 3], throw=[0, 0, 1, 1, 2]))
    assert (luck.throws, luck.pips, luck.doubles) == (2, 27, 1)
    assert luck.expected == pytest.approx(16 + 1 / 3)
    assert luck.z > 0
