"""What a number of rolls can show, as printed and as simulated."""

from __future__ import annotations

import numpy as np
import pytest

from engine.fairness.faces import AXES
from engine.fairness.findings import analyse_log
from engine.fairness.power import (
    axis_bias,
    face_bias,
    face_power,
    noncentrality_per_roll,
    pip_bias,
    power,
    rolls_needed,
    rolls_to_see,
    smallest_bias,
)
from engine.fairness.rolls import simple_log
from engine.fairness.simulate import decisions, draw_faces, powers, verdict_powers
from engine.fairness.verdict import verdict

PRINTED = {
    # bias: one face at 80 % .05, 95 % .05, 80 % .001; an axis, the same three; axes alone; pips
    0.02: (160_346, 247_252, 305_700, 64_139, 98_901, 122_280, 48_174, 68_720),
    0.05: (25_656, 39_561, 48_912, 10_263, 15_825, 19_565, 7_708, 10_996),
    0.1: (6_414, 9_891, 12_228, 2_566, 3_957, 4_892, 1_927, 2_749),
    0.2: (1_604, 2_473, 3_057, 642, 990, 1_223, 482, 688),
    0.3: (713, 1_099, 1_359, 286, 440, 544, 215, 306),
    0.5: (257, 396, 490, 103, 159, 196, 78, 110),
}
"""Number of rolls needed, published with the method."""
SETTINGS = ((0.05, 0.8), (0.05, 0.95), (0.001, 0.8))
CELLS = np.array([[1.0 if face in pair else 0.0 for face in range(6)] for pair in AXES])
DECIDED = {
    "six +50 %": (344, 585),
    "six +20 %": (2_045, 3_534),
    "six +10 %": (8_180, 14_828),
    "axis +20 %": (585, 1_202),
    "axis +10 %": (2_165, 4_036),
    "axis +5 %": (8_277, 16_879),
    "Wolf's white die": (954, 1_710),
}


@pytest.mark.parametrize("bias", PRINTED)
def test_the_rolls_that_a_bias_needs_are_the_printed_ones(bias):
    faces = [rolls_needed(face_bias(bias), alpha=a, wanted=w) for a, w in SETTINGS]
    axes = [rolls_needed(axis_bias(bias), alpha=a, wanted=w) for a, w in SETTINGS]
    alone = rolls_needed(axis_bias(bias), cells=CELLS, df=2)
    found = (*faces, *axes, alone, rolls_needed(pip_bias(bias)))
    assert found == pytest.approx(PRINTED[bias], abs=1)


def test_power_is_what_simulated_dice_show():
    for one in powers(150, np.random.default_rng(1)):
        assert one.reckoned == pytest.approx(0.8, abs=0.003)
        assert one.tried == pytest.approx(one.reckoned, abs=0.1)


@pytest.mark.slow
def test_power_is_within_three_points_of_what_simulated_dice_show():
    for one in powers(10_000, np.random.default_rng(1)):
        # A face off by half is no small deviation, for which the noncentral chi-square holds.
        points = 0.05 if one.name == "face +50%" else 0.03
        assert one.tried == pytest.approx(one.reckoned, abs=points), one
        if one.name.endswith("exactly"):
            assert one.tried == pytest.approx(one.reckoned, abs=0.015), one


@pytest.mark.parametrize("rolls", [30, 60, 100, 257, 500, 1_604])
def test_the_power_of_few_rolls_is_that_of_simulated_dice_within_a_point(rolls):
    chance = np.random.default_rng(rolls)
    for bias in (0.3, 0.6, smallest_bias(rolls)):
        counts = chance.multinomial(rolls, face_bias(bias), 40_000)
        x2 = (counts**2).sum(axis=1) * 6 / rolls - rolls
        found = float((x2 > 11.0705).mean())
        assert face_power(rolls, bias) == pytest.approx(found, abs=0.01)


def test_a_face_that_comes_too_rarely_shows_no_worse():
    for rolls in (100, 257, 500, 5_000):
        bias = smallest_bias(rolls)
        assert face_power(rolls, bias) == pytest.approx(0.8, abs=1e-6)
        assert face_power(rolls, -bias) > 0.8


def test_more_rolls_see_smaller_biases():
    assert smallest_bias(412) == pytest.approx(0.410, abs=1e-3)
    assert smallest_bias(5_000) == pytest.approx(0.115, abs=1e-3)
    assert smallest_bias(0) == smallest_bias(2) == float("inf")
    assert power(25_656, noncentrality_per_roll(face_bias(0.05))) == pytest.approx(0.8, abs=1e-4)


def test_many_rolls_go_over_into_the_printed_table():
    assert smallest_bias(200_000) == pytest.approx(smallest_bias(200_001), rel=0.005)
    assert smallest_bias(10**7) == pytest.approx(0.00253, abs=1e-5)
    assert rolls_to_see(0.5) == 281
    assert rolls_to_see(0.05) == pytest.approx(rolls_needed(face_bias(0.05)), rel=0.011)
    assert rolls_to_see(0.01) == rolls_needed(face_bias(0.01))


@pytest.mark.slow
def test_a_bias_is_found_as_often_as_the_verdict_states():
    for one in verdict_powers(1_500, np.random.default_rng(2)):
        assert one.found == pytest.approx(0.8, abs=0.04), one


@pytest.mark.slow
@pytest.mark.parametrize("rolls", [120, 350])
def test_it_does_so_in_the_report_of_two_players_too(rolls):
    chance, logs = np.random.default_rng(rolls), 150
    quiet = 0
    for _ in range(logs):
        loaded = draw_faces(chance, face_bias(smallest_bias(rolls)), 1, rolls)[0] + 1
        values = np.stack((loaded, chance.integers(1, 7, rolls)), axis=1).reshape(-1, 2, 2)
        own = [["Ann's", "Ben's"]] * (rolls // 2)
        log = simple_log(
            values.transpose(0, 2, 1).ravel(),
            die=np.repeat(own, 2).tolist(),
            throw=np.repeat(np.arange(rolls), 2),
        )
        found = analyse_log(log, is_final=True)
        ann = next(unit for unit in found.groups["dice"] if unit.name == "Ann's")
        family = tuple(test for test in found.family if test.of == "dice Ann's")
        quiet += "no sign of bias" in verdict(ann, family, is_final=True)
    assert 1 - quiet / logs == pytest.approx(0.8, abs=0.1)


@pytest.mark.slow
def test_biased_dice_are_decided_after_as_many_rolls_as_is_printed():
    found = {one.name: one for one in decisions(5_000, np.random.default_rng(0))}
    for name, (closer, alarm) in DECIDED.items():
        assert found[name].median == pytest.approx(closer, rel=0.1), name
        # Here the evidence comes a tenth sooner than printed for one of them.
        assert found[name].alarm == pytest.approx(alarm, rel=0.12), name
        assert found[name].alarm <= 1.1 * alarm, name
