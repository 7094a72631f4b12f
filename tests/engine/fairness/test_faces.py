"""Tests of one die's faces, with few rolls and many, certain and doubtful."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kstest

from engine.fairness.bounds import confidence_sequence, posterior
from engine.fairness.faces import AXES, chi_square, contrast, face_tests, g_test, simulated_p
from engine.fairness.findings import benjamini_hochberg
from engine.fairness.reading import ConfusionMatrix, tally, tally_misread
from engine.fairness.reading import tally_of_counts as tallied
from engine.fairness.rolls import InvalidDice, simple_log
from engine.fairness.simulate import misread_rates, simulated_ps


@pytest.mark.parametrize(
    ("counts", "asymptotic", "drawn"),
    [([3, 1, 0, 2, 5, 1], 0.1562, 0.1733), ([10, 4, 6, 5, 9, 2], 0.1756, 0.1849)],
)
def test_with_few_rolls_p_is_listed_or_drawn(counts, asymptotic, drawn):
    found = face_tests(tallied(np.array(counts))).chi_square
    assert chi_square(tallied(np.array(counts))).p == pytest.approx(asymptotic, abs=5e-5)
    assert found.p == pytest.approx(drawn, abs=4e-3)
    assert found.method == ("exact" if sum(counts) <= 20 else "draws")


def test_a_listed_p_is_what_draws_come_to():
    counts = np.array([4, 0, 3, 6, 2, 1])
    exact = face_tests(tallied(counts))
    assert exact.chi_square.p == pytest.approx(simulated_p(counts), abs=5e-3)
    assert exact.g.p == pytest.approx(simulated_p(counts, is_g=True), abs=5e-3)


def test_drawn_ps_of_even_dice_are_uniform():
    assert (
        kstest(simulated_ps(800, np.random.default_rng(18), draws=1_000), "uniform").pvalue > 0.01
    )


@pytest.mark.slow
def test_ten_thousand_drawn_ps_of_even_dice_are_uniform():
    assert kstest(simulated_ps(10_000, np.random.default_rng(8)), "uniform").pvalue > 0.01


@pytest.mark.slow
def test_ps_of_even_dice_are_uniform_with_many_rolls():
    counts = np.random.default_rng(9).multinomial(3_000, [1 / 6] * 6, 300)
    tests = [face_tests(tallied(row)) for row in counts]
    for name in ("chi_square", "g", "axis", "pip_linear"):
        assert kstest([getattr(test, name).p for test in tests], "uniform").pvalue > 0.01


def test_five_degrees_are_two_of_the_axes_and_three_within_them():
    counts = np.array([90, 120, 80, 115, 95, 130])
    tally_ = tallied(counts)
    within = np.zeros((3, 6))
    for row, (low, high) in enumerate(AXES):
        within[row, [low, high]] = -1, 1
    parts = face_tests(tally_).axis.value + contrast(tally_, within, 3).value
    assert parts == pytest.approx(chi_square(tally_).value)


def test_readings_of_no_doubt_give_pearsons_statistic_by_the_score_test_too():
    counts = np.array([190, 140, 170, 155, 165, 180])
    assert contrast(tallied(counts), np.eye(6), 5).value == pytest.approx(
        chi_square(tallied(counts)).value
    )


def doubtful(values, confidence):
    log = simple_log(values)
    return replace(log, confidence=np.full(len(values), confidence, np.float32))


def test_doubt_makes_the_same_rolls_say_less():
    values = np.repeat(np.arange(1, 7), [100, 100, 100, 100, 100, 160])
    sure, unsure = tally(simple_log(values)), tally(doubtful(values, 0.9))
    assert unsure.effective_rolls < sure.effective_rolls
    assert chi_square(unsure).value < chi_square(sure).value * 1.02
    width = lambda one: np.ptp(posterior(one)[:, [0, 2]], axis=1)  # noqa: E731
    assert (width(unsure) > width(sure)).all()
    assert (np.ptp(confidence_sequence(unsure), axis=1) >
            np.ptp(confidence_sequence(sure), axis=1)).all()  # fmt: skip


def test_doubtful_readings_of_even_dice_give_uniform_ps():
    chance = np.random.default_rng(10)
    ps = []
    for _ in range(200):
        true = chance.integers(0, 6, 800)
        sure = np.where(chance.random(800) < 0.5, 1.0, 0.7)
        read = np.where(chance.random(800) < sure, true, (true + chance.integers(1, 6, 800)) % 6)
        log = replace(simple_log(read + 1), confidence=sure.astype(np.float32))
        ps.append(chi_square(tally(log)).p)
    assert kstest(ps, "uniform").pvalue > 0.01


def test_the_likeliest_shares_look_through_doubt():
    chance = np.random.default_rng(11)
    chances = np.array([0.1, 0.1, 0.2, 0.2, 0.2, 0.2])
    true = chance.choice(6, 30_000, p=chances)
    read = np.where(chance.random(30_000) < 0.7, true, (true + chance.integers(1, 6, 30_000)) % 6)
    log = replace(simple_log(read + 1), confidence=np.full(30_000, 0.7, np.float32))
    assert tally(log).shares == pytest.approx(chances, abs=0.012)
    assert tally(simple_log(read + 1)).shares[0] > 0.11


def test_probabilities_of_all_faces_count_where_they_are_given():
    log = doubtful([6] * 40, 0.6)
    between = np.full((40, 6), 0.0, np.float32)
    between[:, 5], between[:, 4] = 0.6, 0.4
    known = tally(replace(log, chances=between))
    assert known.sums[4] == pytest.approx(16, abs=1e-3)
    assert known.sums[0] == 0


def test_a_log_read_with_known_mistakes_is_not_called_biased():
    rates = {rate.name: rate for rate in misread_rates(200, np.random.default_rng(12))}
    assert rates["X2, misread"].found > 0.9
    for name in ("X2, allowed for", "G, allowed for", "e >= 20, allowed for"):
        assert rates[name].is_kept


def test_the_true_shares_lie_within_the_bounds_though_the_reader_errs():
    matrix = np.eye(6) * 0.9 + 0.1 / 6
    reader = ConfusionMatrix(matrix)
    counts = np.random.default_rng(13).multinomial(50_000, reader.fair_marginal)
    bounds = confidence_sequence(tally_misread(counts, reader))
    assert ((bounds[:, 0] < 1 / 6) & (bounds[:, 1] > 1 / 6)).all()
    assert g_test(tally_misread(counts, reader)).p > 0.001


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        (np.eye(5), "six rows"),
        (np.eye(6) * 0.9, "must sum to 1"),
        (np.full((6, 6), 1 / 6), "some faces cannot be distinguished"),
        (-np.eye(6), "six rows"),
    ],
)
def test_a_matrix_that_is_none_is_refused(matrix, says):
    with pytest.raises(InvalidDice, match=says):
        ConfusionMatrix(matrix)


def test_no_rolls_are_no_error():
    tests = face_tests(tallied(np.zeros(6, np.int64)))
    assert (tests.chi_square.p, tests.g.p, tests.axis.p, tests.pip_linear.p) == (1, 1, 1, 1)
    bounds = confidence_sequence(tallied(np.zeros(6, np.int64)))
    assert (bounds[:, 0] < 1e-3).all()
    assert (bounds[:, 1] > 0.9).all()


def test_many_tests_are_reported_with_their_false_discovery_rate():
    ps = [0.001, 0.008, 0.039, 0.041, 0.6]
    assert benjamini_hochberg(ps) == pytest.approx([0.005, 0.02, 0.05125, 0.05125, 0.6])
