"""What is said of dice, of whole logs, and of matches in progress."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from engine.fairness.evalues import EProcess, evidence
from engine.fairness.findings import analyse_group, analyse_log
from engine.fairness.live import LiveStatistics
from engine.fairness.report_json import findings_json
from engine.fairness.rolls import OPENING, Labels, simple_log
from engine.fairness.simulate import draw_faces, report_rates
from engine.fairness.verdict import FINDINGS, Sign, format_e_value, more_rolls, sign_of, verdict

EVEN = np.full(6, 1 / 6)


def log_of(rolls, chances=EVEN, seed=1, **columns):
    values = draw_faces(np.random.default_rng(seed), np.asarray(chances), 1, rolls)[0] + 1
    return simple_log(values, **columns)


def verdict_of(log, *, is_final=True):
    return verdict(analyse_group("die", "dice", log), is_final=is_final)


def test_the_verdict_has_what_was_found_and_what_is_undecided():
    assert re.fullmatch(
        "412 rolls: no sign of bias; with 95 % confidence no face is off by more than .. %; a face "
        "off by 41 % or more would have been detected with 80 % probability; smaller biases cannot "
        "be detected yet",
        verdict_of(log_of(412)),
    )


def test_of_a_record_that_may_grow_it_promises_less():
    assert "off by 57 %" in verdict_of(log_of(412), is_final=False)


def test_the_more_dice_are_judged_together_the_less_it_promises_of_each():
    two = analyse_log(log_of(824, die=["red", "white"] * 412)).groups["dice"]
    assert "off by 60 %" in verdict(two[0])


@pytest.mark.parametrize("rolls", [1, 12, 29])
def test_a_few_rolls_show_next_to_nothing(rolls):
    assert "too few" in verdict_of(log_of(rolls))


def test_faces_as_uneven_as_one_even_die_in_twenty_has_them_are_a_hint_and_no_more():
    values = np.repeat(np.arange(1, 7), [66, 53, 60, 62, 62, 97])
    die = analyse_group("die", "dice", simple_log(np.random.default_rng(1).permutation(values)))
    assert sign_of(die, is_final=True) is Sign.HINT
    assert verdict(die, is_final=True) == (
        "400 rolls: only a hint: one unbiased die in 329 looks this uneven by chance (p 0.003); "
        "more rolls are needed"
    )
    assert sign_of(die) is Sign.QUIET, "nobody may ask X2 of a sample that may grow"


def test_a_loaded_die_is_reported_with_its_face_and_a_check_of_the_reader():
    text = verdict_of(log_of(2_000, [0.1, 0.16, 0.16, 0.16, 0.16, 0.26]))
    assert text.startswith("2,000 rolls: biased or misread. 6 comes up too often: 2")
    assert "make sure the dice were read correctly" in text


def test_every_question_has_a_sentence_for_its_finding():
    die = analyse_log(log_of(300))
    (unit,) = die.groups["dice"]
    own = [test for test in die.family if test.of == "dice " + unit.name]
    assert {test.question for test in own} == set(FINDINGS)
    for test in own:
        text = verdict(unit, (replace(test, p=0.0012, q=0.01),), is_final=True)
        assert f"look closer. {FINDINGS[test.question]} (p 0.0012); first make sure" in text


def test_no_word_calls_dice_good():
    for seed in range(8):
        found = analyse_log(log_of(600, seed=seed))
        words = json.dumps(findings_json(found)) + json.dumps(findings_json(found, is_live=True))
        assert not re.search(r"fair|true die|honest", words, re.IGNORECASE)


def test_how_many_more_rolls():
    assert more_rolls(0, 0.5, is_final=True) == 281
    assert more_rolls(200, 0.5, is_final=True) == 81
    assert more_rolls(10_000, 0.5) == 0
    assert 500 < more_rolls(0, 0.5) < more_rolls(0, 0.5, judged_together=2)


@pytest.mark.parametrize(
    ("e", "words"),
    [(0.0001, "below 0.001"), (0.42, "0.42"), (1.0, "1"), (412.3, "412"), (2e7, "above 10^7")],
)
def test_e_values_in_words(e, words):
    assert str(format_e_value(float(np.log(e)))) == words


def whole_log():
    """Two players with two dice each; void throws, an opening, a die not read."""
    count = 1_200
    log = log_of(
        count,
        die=["red", "white", "blue", "blue"] * 300,
        player=["Ann", "Ann", "Ben", "Ben"] * 300,
        throw=np.repeat(np.arange(600), 2),
    )
    reason = np.array([""] * count, object)
    reason[100:108], reason[0:2] = "cocked", OPENING
    value = log.value.copy()
    value[200] = 0
    place = np.random.default_rng(2).random((count, 2)).astype(np.float32)
    place[5] = np.nan
    return replace(log, reason=Labels.of(reason), counted=reason == "", value=value, place=place)


def test_everything_of_a_log_is_accounted_for():
    found = analyse_log(whole_log())
    assert (found.rows, found.void, found.openings, found.unread) == (1_200, 8, 2, 1)
    dice = {unit.name: unit for unit in found.groups["dice"]}
    assert sum(unit.rolls for unit in dice.values()) == 1_200 - 8 - 2 - 1
    assert [name for name, unit in dice.items() if unit.is_pooled] == ["blue"]
    assert {pair.dice for pair in found.pairs} == {("red", "white"), ("blue", "blue")}
    assert {one.what for one in found.comparisons} == {"dice", "players", "throws"}
    assert sum(len(places) for places in found.places.values()) == 1_200 - 8 - 2 - 1 - 1


def test_programs_read_what_the_contract_names():
    findings = findings_json(analyse_log(whole_log()))
    for die in findings["dice"].values():
        assert die["n"] == sum(die["counts"])
        assert {"chi2", "p", "g", "axis_chi2", "axis_p", "e_value", "verdict"} <= die.keys()
        assert np.shape(die["posterior"]) == (6, 3)
    pair = findings["pairs"]["red/white"]
    assert {"independence_chi2", "independence_p", "doubles", "doubles_p"} <= pair.keys()
    assert findings["tests"]["false_discovery"] == 0.05
    assert set(findings["players"]) == {"Ann", "Ben"}
    json.dumps(findings, allow_nan=False)


def test_a_live_report_has_anytime_valid_findings_only():
    findings = findings_json(analyse_log(whole_log()), is_live=True)
    for die in findings["dice"].values():
        assert die["p"] is die["chi2"] is die["posterior"] is None
        assert die["e_value"] > 0
    assert findings["pairs"]["red/white"]["doubles_p"] is None
    assert findings["tests"]["told"] == []


def shared_die(chances, throws=2_000):
    """Two players who take turns with one die."""
    return analyse_log(log_of(throws, chances, player=["Ann", "Ben"] * (throws // 2)))


def test_no_verdict_is_passed_on_people_who_share_a_loaded_die():
    found = shared_die([0.1, 0.16, 0.16, 0.16, 0.16, 0.26])
    (die,) = found.groups["dice"]
    assert sign_of(die) is Sign.ALARM
    for player in found.groups["players"]:
        assert sign_of(player) is Sign.QUIET
        assert verdict(player) == (
            "1,000 rolls: with the same dice, no difference from the other players"
        )
    assert not [test for test in found.family if test.of.startswith("players ")]
    assert findings_json(found)["players"]["Ann"]["luck"]["partly_the_dice"]
    assert not findings_json(shared_die(EVEN))["players"]["Ann"]["luck"]["partly_the_dice"]


def test_players_with_dice_of_their_own_are_not_compared():
    log = log_of(800, player=["Ann", "Ben"] * 400, die=["red", "white"] * 400)
    found = findings_json(analyse_log(log))
    assert found["players"]["Ann"]["verdict"].endswith("so there is nothing to compare")
    assert (found["comparisons"]["players"]["df"], found["comparisons"]["players"]["p"]) == (0, 1.0)


def test_players_whose_rolls_differ_with_the_same_die_are_told_so_without_blame():
    values = np.tile([1, 6, 2, 6, 3, 6, 4, 5, 5, 1, 6, 2], 100)
    found = analyse_log(simple_log(values, player=["Ann", "Ben"] * 600))
    for player in found.groups["players"]:
        assert "the players' rolls differ (e-value above 10^" in verdict(player)
        assert "noted correctly" in verdict(player)


def test_of_a_sample_that_may_grow_p_values_are_given_but_no_sign_rests_on_them():
    values = np.repeat(np.arange(1, 7), [66, 53, 60, 62, 62, 97])
    log = simple_log(np.random.default_rng(1).permutation(values))
    growing = findings_json(analyse_log(log))
    closed = findings_json(analyse_log(log, is_final=True))
    assert growing["dice"]["die"]["p"] == closed["dice"]["die"]["p"] < 0.004
    assert (growing["dice"]["die"]["sign"], growing["tests"]["told"]) == ("quiet", [])
    assert closed["dice"]["die"]["sign"] != "quiet"
    assert closed["tests"]["told"]


def test_at_most_one_report_in_twenty_on_unbiased_dice_ever_has_any_sign():
    rates = list(report_rates(300, np.random.default_rng(3)))
    assert [rate.nominal for rate in rates] == [0.05, 0.05, 0.001, 0.05]
    for rate in rates:
        assert rate.found < 0.05, rate


def test_a_sign_needs_as_many_times_the_evidence_as_dice_are_judged_together():
    die = analyse_group("die", "dice", log_of(2_000, [0.15, 0.16, 0.16, 0.16, 0.16, 0.21]))
    needed = int(die.evidence.largest // 20)
    assert needed > 2
    assert sign_of(replace(die, judged_together=needed)) is not Sign.QUIET
    assert sign_of(replace(die, judged_together=needed + 1)) is Sign.QUIET


def test_one_roll_a_log_and_one_face_only_are_no_error():
    for values in ([3], [6] * 40, [1, 2]):
        findings = findings_json(analyse_log(simple_log(values, throw=[0] * len(values))))
        json.dumps(findings, allow_nan=False)


def test_a_running_match_is_followed_roll_by_roll():
    log = log_of(120, die=["red", "white"] * 60, throw=np.repeat(np.arange(60), 2))
    running = LiveStatistics({})
    assert running.follow(log.at(np.arange(40))) == 40
    assert running.follow(log) == 80
    dice = {die.name: (die, own) for die, own in running.dice()}
    red, own = dice["red"]
    whole = evidence(log.at(log.die.codes == 0))
    assert own.log_e == pytest.approx(whole.log_last)
    assert red.evidence.log_largest == pytest.approx(whole.log_largest)
    assert red.rolls == 60


def test_what_was_corrected_is_followed_anew():
    log = log_of(30)
    running = LiveStatistics({})
    running.follow(log)
    other = replace(log, value=7 - log.value)
    assert running.follow(other) == 30
    ((die, _),) = running.dice()
    assert die.tally.counts.tolist() == other.counts().tolist()


def test_a_die_that_is_known_goes_on_from_where_it_stood():
    before, now = log_of(300, seed=3), log_of(50, seed=4)
    running = LiveStatistics({"die": EProcess.after(before)})
    running.follow(now)
    ((die, own),) = running.dice()
    both = np.concatenate((before.value, now.value))
    assert die.evidence.log_last == pytest.approx(evidence(simple_log(both)).log_last)
    assert own.log_e == pytest.approx(evidence(now).log_last)
