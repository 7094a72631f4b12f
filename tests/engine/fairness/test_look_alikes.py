"""Two dice that look alike: one of them may be loaded, or both."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness.evalues import LOOK_CLOSER_E_VALUE, EProcess, evidence
from engine.fairness.findings import analyse_group, analyse_log
from engine.fairness.look_alikes import Suspects, one_rather_than_both, outcomes, suspects
from engine.fairness.power import face_bias
from engine.fairness.report_json import findings_json
from engine.fairness.rolls import simple_log
from engine.fairness.simulate import FAIR, look_alike_log
from engine.fairness.verdict import SUSPECTS, verdict

THROWS = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=2), min_size=1, max_size=40)


def log_of(dice, throws=5_000, seed=1):
    return look_alike_log(np.random.default_rng(seed), dice, throws)


@given(THROWS)
def test_roll_by_roll_is_the_same_as_all_at_once(throws):
    process = EProcess()
    for throw in throws:
        for number, value in enumerate(throw, start=1):
            process.add(value, ends_throw=number == len(throw))
    log = simple_log(
        [value for throw in throws for value in throw],
        throw=[number for number, throw in enumerate(throws) for _ in throw],
    )
    found = evidence(log)
    assert process.log_e == pytest.approx(found.log_last, abs=1e-9)
    assert process.log_largest == pytest.approx(found.log_largest, abs=1e-9)
    assert EProcess.after(log).log_e == pytest.approx(found.log_last, abs=1e-9)


def test_the_bet_on_one_die_is_the_better_one_if_one_is_loaded():
    one = evidence(log_of((face_bias(3), FAIR))).look_alikes
    both = evidence(log_of((face_bias(1), face_bias(1)))).look_alikes
    assert one.log_one > one.log_both
    assert both.log_both > both.log_one


@pytest.mark.parametrize(
    ("dice", "which"),
    [
        ((face_bias(1.5), FAIR), Suspects.ONE),
        ((face_bias(0.75), face_bias(0.75)), Suspects.BOTH),
        ((face_bias(0.4), FAIR), Suspects.UNDECIDED),
    ],
)
def test_the_verdict_says_which_dice_only_if_the_throws_tell(dice, which):
    log = log_of(dice)
    pair = analyse_group("pair", "dice", log, is_pooled=True)
    assert (pair.suspects, suspects(log)) == (which, which)
    assert str(SUSPECTS[which]) in verdict(pair)


def test_the_wrong_dice_are_hardly_ever_named():
    wrong = {Suspects.ONE: 0, Suspects.BOTH: 0}
    for seed in range(40):
        wrong[Suspects.BOTH] += suspects(log_of((face_bias(1), FAIR), seed=seed)) is Suspects.BOTH
        twins = (face_bias(0.5), face_bias(0.5))
        wrong[Suspects.ONE] += suspects(log_of(twins, seed=seed)) is Suspects.ONE
    assert max(wrong.values()) <= 2


def test_what_the_dice_are_called_does_not_matter_to_the_ratio():
    table = outcomes(log_of((face_bias(1), FAIR), 500))
    assert one_rather_than_both(table) == pytest.approx(one_rather_than_both(table.T))
    assert one_rather_than_both(np.zeros((6, 6), np.int64)) == 0


def test_two_unbiased_dice_that_look_alike_hardly_ever_get_a_sign():
    rng = np.random.default_rng(5)
    logs = (look_alike_log(rng, (FAIR, FAIR), 150) for _ in range(400))
    assert sum(evidence(log).largest >= LOOK_CLOSER_E_VALUE for log in logs) <= 20


def test_programs_get_both_e_values():
    die = findings_json(analyse_log(log_of((face_bias(1), FAIR), 300)))["dice"]["die"]
    assert die["e_value"] == pytest.approx(
        (die["look_alikes"]["both"] + die["look_alikes"]["one"]) / 2
    )
    assert die["suspects"] in {"one", "both", "one or both"}
    alone = findings_json(analyse_log(simple_log([1, 2, 3])))["dice"]["die"]
    assert alone["look_alikes"] is alone["suspects"] is None
