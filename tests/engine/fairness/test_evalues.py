"""E-values: they stay valid when checked after every roll."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness._kernels import first_above, misses
from engine.fairness.bounds import BETA_PRIORS, RATIO_LIMIT, confidence_sequence
from engine.fairness.evalues import DIRICHLET_PRIORS, EProcess, evidence
from engine.fairness.faces import face_tests
from engine.fairness.findings import e_benjamini_hochberg
from engine.fairness.reading import ConfusionMatrix, tally
from engine.fairness.rolls import join_logs, simple_log
from engine.fairness.simulate import anytime_rates, draw_faces
from tests import naive_dice

ROLLS = st.lists(st.integers(1, 6), min_size=1, max_size=60)
EVEN = np.full(6, 1 / 6)


def rolled(chance, rolls, chances=EVEN):
    return draw_faces(chance, np.asarray(chances), 1, rolls)[0] + np.int8(1)


@given(ROLLS)
def test_the_path_is_that_of_the_closed_forms(values):
    found = evidence(simple_log(values))
    assert found.log_path == pytest.approx(naive_dice.log_path(np.array(values) - 1), abs=1e-9)
    assert found.log_last == pytest.approx(found.log_path[-1], abs=1e-9)
    assert found.log_largest == pytest.approx(max(0, *found.log_path), abs=1e-9)


def test_long_logs_neither_overflow_nor_vanish():
    chance = np.random.default_rng(1)
    for chances in (EVEN, [0.4, 0.2, 0.1, 0.1, 0.1, 0.1]):
        values = rolled(chance, 40_000, chances)
        counts = np.bincount(values, minlength=7)[1:]
        found = evidence(simple_log(values))
        assert found.log_last == pytest.approx(naive_dice.log_e(counts), rel=1e-6)


@given(ROLLS, st.permutations(range(1, 7)))
def test_how_the_faces_are_numbered_changes_neither_x2_nor_the_face_evidence(values, order):
    renamed = [order[value - 1] for value in values]
    before, after = (face_tests(tally(simple_log(one))) for one in (values, renamed))
    assert after.chi_square.value == pytest.approx(before.chi_square.value, abs=1e-9)
    # For the axes test, only opposite faces must stay opposite.
    turned = [7 - value for value in values]
    assert evidence(simple_log(turned)).log_last == pytest.approx(
        evidence(simple_log(values)).log_last, abs=1e-9
    )


@given(ROLLS, st.randoms(use_true_random=False))
def test_the_order_of_rolls_leaves_the_last_e_value_as_it_is(values, random):
    mixed = list(values)
    random.shuffle(mixed)
    assert evidence(simple_log(mixed)).log_last == pytest.approx(
        evidence(simple_log(values)).log_last, abs=1e-9
    )


@given(ROLLS, ROLLS)
def test_two_logs_together_are_their_rolls_together(one, other):
    merged = join_logs([simple_log(one), simple_log(other)])
    whole = simple_log(one + other)
    assert evidence(merged).log_path == pytest.approx(evidence(whole).log_path)
    assert merged.counts().tolist() == whole.counts().tolist()


@given(ROLLS)
def test_roll_by_roll_is_the_same_as_all_at_once(values):
    process = EProcess()
    for value in values:
        process.add(value)
    found = evidence(simple_log(values))
    assert process.log_e == pytest.approx(found.log_last, abs=1e-9)
    assert process.log_largest == pytest.approx(found.log_largest, abs=1e-9)
    assert process.counts.tolist() == simple_log(values).counts().tolist()
    later = EProcess.after(simple_log(values))
    assert later.add(3) == pytest.approx(process.add(3))


def test_a_copy_goes_on_alone():
    process = EProcess()
    process.add(6)
    other = process.copy()
    other.add(6)
    assert (process.rolls, other.rolls) == (1, 2)
    assert process.counts[5] == 1


def test_between_two_like_dice_of_a_throw_one_may_not_look():
    found = evidence(simple_log([6, 6, 6, 3], throw=[0, 1, 2, 2]))
    assert found.log_path[2] == found.log_path[1], "it waits for the other die"
    assert found.largest_at != 3
    assert found.log_largest == pytest.approx(max(found.log_path[[0, 1, 3]]))


@pytest.mark.parametrize("loaded", [1.0, 1.5, 6.0])
def test_certain_dice_that_look_alike_have_the_e_values_of_doubtful_ones(loaded):
    chances = np.array([1, 1, 1, 1, 1, loaded])
    faces = np.random.default_rng(4).choice(6, (300, 2), p=chances / chances.sum()) + 1
    log = simple_log(faces.ravel(), throw=np.repeat(np.arange(300), 2))
    known = ConfusionMatrix(np.eye(6))
    fast, slow = evidence(log), evidence(log, known)
    assert fast.log_path == pytest.approx(slow.log_path, abs=1e-9)
    assert fast.largest_at == slow.largest_at
    assert fast.look_alikes.log_one == pytest.approx(slow.look_alikes.log_one)
    assert fast.look_alikes.log_both == pytest.approx(slow.look_alikes.log_both)


def test_a_doubtful_reading_moves_the_evidence_less_than_a_sure_one():
    sure, doubtful = EProcess(), EProcess()
    for _ in range(30):
        sure.add(6)
        doubtful.add(6, (0.1, 0.1, 0.1, 0.1, 0.1, 0.5))
    assert 1 < doubtful.e < sure.e


def test_readings_that_say_nothing_leave_the_evidence_at_one():
    process = EProcess()
    for _ in range(50):
        assert process.add(4, (1 / 6,) * 6) == pytest.approx(1)


def test_the_kernels_of_the_simulation_are_the_slow_ones():
    chance = np.random.default_rng(3)
    faces = draw_faces(chance, np.array([0.3, 0.14, 0.14, 0.14, 0.14, 0.14]), 4, 150)
    first = np.zeros((4, 2), np.int64)
    first_above(faces, DIRICHLET_PRIORS, np.array([20.0, 1000.0]), first)
    for row, exceeded in zip(faces, first, strict=True):
        path = naive_dice.log_path(row)
        for limit, at in zip((20, 1000), exceeded, strict=True):
            above = np.flatnonzero(path >= np.log(limit))
            assert at == (above[0] + 1 if len(above) else 0)
    missed = np.zeros(4, np.int64)
    limit = 12  # low enough that some miss
    misses(faces, EVEN, BETA_PRIORS, 5.0, limit, missed)
    slow = [naive_dice.first_miss(row, EVEN, limit, BETA_PRIORS) for row in faces]
    assert missed.tolist() == slow
    assert any(slow)


def test_bounds_are_the_chances_that_the_ratio_does_not_refute():
    values = rolled(np.random.default_rng(4), 300)
    bounds = confidence_sequence(tally(simple_log(values)))
    limit = np.array([RATIO_LIMIT])
    for face, (low, high) in enumerate(bounds):
        for q, inside in ((low * 1.01, True), (high * 0.99, True), (low * 0.98, False)):
            chances = np.full(6, (1 - q) / 5)
            chances[face] = q
            counts = tally(simple_log(values)).counts
            mixture = np.mean([
                np.exp(_ratio(k, counts[face], 300, q)) for k in BETA_PRIORS
            ])  # fmt: skip
            assert (mixture < limit[0]) == inside


def _ratio(k, ones, count, q):
    from scipy.special import betaln

    others = count - ones
    fit = ones * np.log(q) + others * np.log(1 - q)
    return betaln(k + ones, 5 * k + others) - betaln(k, 5 * k) - fit


def test_false_alarms_and_misses_stay_below_what_is_promised():
    rates = {
        (rate.name, rate.what): rate for rate in anytime_rates(500, 2_000, np.random.default_rng(5))
    }
    assert all(rate.is_kept for rate in rates.values())
    peeked = rates["X2 peeked, p <= 0.05", "looked at after every roll"]
    assert peeked.found > 0.35, "this is why nobody may peek at X2"


@pytest.mark.slow
def test_ten_thousand_dice_looked_at_after_each_of_five_thousand_rolls():
    rates = {rate.name: rate for rate in anytime_rates(10_000, 5_000, np.random.default_rng(6))}
    assert rates["e >= 20"].found <= 0.05
    assert rates["e >= 1000"].found <= 0.001 + 3 * rates["e >= 1000"].error
    assert rates["bounds"].found >= 0.95


def test_e_values_of_many_dice_are_discoveries_only_if_large_enough_for_many():
    assert e_benjamini_hochberg([30.0]) == [True]
    assert e_benjamini_hochberg([30.0] + [1.0] * 9) == [False] * 10
    assert e_benjamini_hochberg([300.0] + [1.0] * 9) == [True] + [False] * 9


def test_a_known_misreading_is_no_evidence_against_the_die():
    matrix = np.eye(6)
    matrix[5, 4], matrix[5, 5] = 0.1, 0.9
    reader = ConfusionMatrix(matrix)
    values = rolled(np.random.default_rng(7), 20_000, reader.fair_marginal)
    assert evidence(simple_log(values)).largest > 1000
    assert evidence(simple_log(values), reader).largest < 20
