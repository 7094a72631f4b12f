"""What rolls will show, told before anybody rolls."""

from __future__ import annotations

import numpy as np
import pytest

from engine.fairness.faces import face_tests
from engine.fairness.plan import plan_rolls, rolls_for
from engine.fairness.power import axis_bias
from engine.fairness.reading import tally_of_counts
from engine.fairness.verdict import detectable_bias


def test_six_hundred_rolls_show_a_face_off_by_a_third():
    plan = plan_rolls(600)
    assert plan.face_once == detectable_bias(600, is_final=True)
    assert 0.3 < plan.face_once < 0.36 < plan.face_anytime < 0.5
    assert plan.face_of_one == 2 * plan.face_anytime
    assert plan.axis_once < plan.axis_anytime < plan.face_anytime
    assert 0.3 < plan.excluded < 0.6


@pytest.mark.slow
def test_the_axis_named_shows_in_four_samples_of_five():
    rng = np.random.default_rng(1)
    chances = axis_bias(plan_rolls(1_200).axis_once)
    drawn = rng.multinomial(1_200, chances, 500)
    shown = [face_tests(tally_of_counts(row)).chi_square.p <= 0.05 for row in drawn]
    assert 0.74 < np.mean(shown) < 0.86


def test_a_shaved_axis_of_three_percent_is_what_the_literature_says():
    few, many = plan_rolls(7_000).length_once
    assert few < plan_rolls(7_000).axis_once < 2.2 * many


def test_more_dice_need_more_rolls_and_one_percent_needs_hundreds_of_thousands():
    once, anytime = rolls_for(0.01)
    assert 600_000 < once < anytime
    assert rolls_for(0.01, judged_together=4)[1] > anytime
    assert plan_rolls(600, judged_together=4).face_anytime > plan_rolls(600).face_anytime


@pytest.mark.parametrize("rolls", [60, 600, 300_000])
def test_all_figures_are_finite(rolls):
    plan = plan_rolls(rolls)
    assert all(np.isfinite(value).all() for value in (plan.face_once, plan.length_anytime))
