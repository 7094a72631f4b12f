"""The reasons of illegal plays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    ALL_ROLLS,
    Course,
    Play,
    Position,
    Roll,
    Setup,
    Side,
    apply_play,
    find_rules,
    legal_plays,
)
from engine.errors import TooManyPlays
from engine.rules import Doubles
from engine.rules.circling import CirclingSearch
from engine.rules.illegality import judge_result, why_illegal
from engine.rules.reasons import Reason
from tests.positions import pos, random_turn

SHORT = find_rules("short")
OPENING = "light 24:2 13:5 8:3 6:5 | dark 24:2 13:5 8:3 6:5"


@pytest.mark.parametrize(
    ("before", "roll", "play", "reason"),
    [
        (OPENING, Roll(3, 1), "(no play)", "no checker was moved, but 3-1 can be played"),
        (OPENING, Roll(3, 1), "8/5", "only the 3 was played, but both dice can be"),
        (OPENING, Roll(6, 2), "24/18 13/10", "13/10 uses a 3, which was not rolled"),
        (OPENING, Roll(4, 3), "13/11 13/8", "13/11 uses a 2, 13/8 a 5; neither was rolled"),
        (OPENING, Roll(4, 3), "13/10 8/5", "8/5 uses another 3, which was not rolled"),
        (OPENING, Roll(2, 1), "13/5", "13/5 moves 8 pips, which 2-1 does not give"),
        (OPENING, Roll(3, 3), "13/10(2) 8/5 6/4", "6/4 uses a 2, which was not rolled"),
        ("light 6:1 3:1 2:1 | dark 24:1 1:1", Roll(5, 1), "6/5 3/off", "3/off needs a 3: a larger"),
        (OPENING, Roll(3, 3), "8/5(2)", "the 3 was played 2 of 4 possible times"),
        ("light bar:1 6:14 | dark 6:5", Roll(4, 3), "6/2 6/3", "had to enter from the bar"),
        ("light 10:1 | dark 24:2", Roll(6, 3), "10/7", "the larger one, the 6"),
        ("light 12:1 2:14 | dark 1:2", Roll(6, 2), "12/6 2/off", None),
        ("light 13:1 2:14 | dark 1:2", Roll(6, 2), "13/7 2/off", "borne off before all"),
    ],
)
def test_the_common_reasons(before, roll, play, reason):
    position = pos(before)
    result = apply_play(position, Side.LIGHT, Play.parse(play), SHORT)
    sentence = str(why_illegal(position, Side.LIGHT, roll, result, SHORT))
    assert (sentence == "") if reason is None else (reason in sentence)


@pytest.mark.parametrize(
    ("roll", "play", "reason"),
    [
        (Roll(6, 1), "13/6 8/7", "8/7 uses another 1, which was not rolled"),
        (Roll(6, 1), "13/7 8/6", "8/6 uses a 2, which was not rolled"),
        (Roll(6, 2), "24/16 13/10", "13/10 uses a 3, which was not rolled"),
    ],
)
def test_the_reason_names_a_move_as_it_was_entered(roll, play, reason):
    position, moves = pos(OPENING), Play.parse(play)
    result = apply_play(position, Side.LIGHT, moves, SHORT)
    assert str(why_illegal(position, Side.LIGHT, roll, result, SHORT, moves)) == reason


def test_a_checker_moved_backwards():
    before, after = pos("light 8:15 | dark 1:2"), pos("light 9:1 8:13 1:1 | dark 1:2")
    assert "backwards" in str(why_illegal(before, Side.LIGHT, Roll(6, 1), after, SHORT))


@pytest.mark.parametrize("after", ["dark 13:2 8:1", "dark bar:1 13:1 8:1", "dark bar:1 8:2"])
def test_a_checker_of_the_opponent_moved(after):
    before = pos("light 8:15 | dark 13:1 8:2")
    result = pos(f"light 8:14 5:1 | {after}")
    assert "opponent" in str(why_illegal(before, Side.LIGHT, Roll(2, 1), result, SHORT))


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_a_reason_is_given_exactly_for_illegal_plays(seed, other_seed):
    position, side, roll = random_turn(seed, SHORT)
    *_, other_roll = random_turn(other_seed, SHORT)
    legal = {after for _, after in legal_plays(position, side, roll, SHORT)}
    for _, after in legal_plays(position, side, other_roll, SHORT):
        assert bool(why_illegal(position, side, roll, after, SHORT)) == (after not in legal)


def test_reasons_are_for_either_side():
    position: Position = SHORT.opening()
    after = apply_play(position, Side.DARK, Play.parse("8/5"), SHORT)
    sentence = str(why_illegal(position, Side.DARK, Roll(3, 1), after, SHORT))
    assert sentence == "only the 3 was played, but both dice can be"


NARDE = find_rules("narde")
CRAZY: Any = find_rules("crazy_narde").search
HOUSE = CRAZY.house


def narde(text: str) -> Position:
    return Position.parse(text, Course.CIRCLING)


@pytest.mark.parametrize(
    ("before", "roll", "after", "reason"),
    [
        ("24:15 | dark 24:15", Roll(2, 1), "24:13 23:1 22:1 | dark 24:15", Reason.HEAD_RULE),
        (
            "24:9 19:1 18:1 17:1 16:1 15:2 | dark 24:15",
            Roll(4, 1),
            "24:8 20:1 19:1 18:1 17:1 16:1 15:1 14:1 | dark 24:15",
            Reason.BLOCK_RULE,
        ),
        # 12/6 with 5-1 touches down on 11 or 7: dark's 23 and 19.
        ("12:1 1:14 | dark 23:1 19:1", Roll(5, 1), "6:1 1:14 | dark 23:1 19:1", "BLOCKED_POINT"),
        ("24:15 | dark 24:15", Roll(5, 3), "24:14 16:1 | dark 24:14 23:1", "OPPONENT_MOVED"),
        ("20:1 19:14 | dark 24:15", Roll(5, 3), "20:1 18:1 19:13 | dark 24:15", "WRONG_DISTANCE"),
        ("20:1 19:14 | dark 24:15", Roll(5, 3), "15:1 19:14 | dark 24:15", "DIE_NOT_USED"),
        ("20:1 19:14 | dark 24:15", Roll(5, 3), "21:1 19:14 | dark 24:15", "MOVED_BACKWARDS"),
        ("7:1 6:14 | dark 24:15", Roll(6, 5), "7:1 6:12 off:2 | dark 24:15", "BEAR_OFF_TOO_EARLY"),
    ],
)
def test_named_reasons_of_narde(before, roll, after, reason):
    wanted = reason if isinstance(reason, Reason) else Reason[reason]
    args = narde(f"light {before}"), Side.LIGHT, roll, narde(f"light {after}"), NARDE
    judged = judge_result(*args)
    assert judged.reason is wanted
    assert judged.sentence
    assert not judged.is_legal


def test_named_reasons_of_the_other_houses():
    opening = NARDE.opening()
    two = narde("light 24:13 23:1 22:1 | dark 24:15")
    fevga = find_rules("fevga")
    assert judge_result(opening, Side.LIGHT, Roll(2, 1), two, fevga).reason is Reason.ONE_RUNNER
    home, crazy = narde("light 5:2 3:2 off:11 | dark 24:15"), find_rules("crazy_narde")
    off = narde("light 5:1 3:2 off:12 | dark 24:15")
    both_off = narde("light 3:2 off:13 | dark 24:15")
    judged = judge_result(home, Side.LIGHT, Roll(6, 5), both_off, crazy)
    assert judged.reason is Reason.BEAR_OFF_NOT_EXACT
    assert judge_result(home, Side.LIGHT, Roll(6, 5), off, crazy).is_legal
    inside = narde("light 2:1 5:1 3:1 1:1 off:11 | dark 24:15")
    judged = judge_result(home, Side.LIGHT, Roll(3, 2), inside, crazy)
    assert judged.reason is Reason.MOVED_IN_HOME


def test_a_chain_of_many_results_is_judged_without_listing_it():
    crazy = find_rules("crazy_narde")
    before = narde("light 24:3 23:1 21:1 20:1 18:1 17:1 16:2 14:1 13:2 9:1 8:1 | dark 24:15")
    with pytest.raises(TooManyPlays):
        legal_plays(before, Side.LIGHT, Roll(1, 1), crazy)
    four = replace(crazy, search=CirclingSearch(replace(HOUSE, doubles=Doubles())))
    first = legal_plays(before, Side.LIGHT, Roll(1, 1), four)[0].position
    judged = judge_result(before, Side.LIGHT, Roll(1, 1), first, crazy)
    assert judged.reason is Reason.DIE_NOT_USED


@pytest.mark.parametrize(
    ("light", "dark", "reason"),
    [
        ({5: 1, 6: 4}, {20: 1}, Reason.FORGOTTEN_HIT),
        ({19: 1, 6: 4}, {}, Reason.BOTH_COLOURS),
        ({6: 6}, {}, Reason.TOO_MANY_CHECKERS),
        ({6: 4}, {}, Reason.CHECKERS_MISSING),
        ({6: 4, 5: -1, 4: 2}, {}, Reason.WRONG_COUNTS),
    ],
)
def test_a_set_up_that_is_no_position_has_its_reason(light, dark, reason):
    before = pos("light 24:2 13:5 8:3 6:5 | dark 24:1 20:1 13:5 8:3 6:5")
    own, other = list(before.light), list(before.dark)
    for point, count in light.items():
        own[point] = count
    for point, count in dark.items():
        other[point] = count
    judged = judge_result(before, Side.LIGHT, Roll(3, 1), Setup(own, other), SHORT)
    assert reason in judged.reason


def test_several_faults_of_a_set_up_are_all_named():
    own, other = list(SHORT.start), list(SHORT.start)
    own[19], other[6] = 3, 5
    judged = judge_result(SHORT.opening(), Side.LIGHT, Roll(3, 1), Setup(own, other), SHORT)
    assert Reason.TOO_MANY_CHECKERS | Reason.BOTH_COLOURS in judged.reason
    assert "18 checkers" in str(judged.sentence)


@settings(max_examples=40)
@given(
    st.integers(0, 2**32), st.sampled_from(ALL_ROLLS), st.sampled_from(("short", "narde", "fevga"))
)
def test_exactly_the_illegal_results_have_a_reason(seed, other_roll, variant):
    rules = find_rules(variant)
    position, side, roll = random_turn(seed, rules)
    legal = {after for _, after in legal_plays(position, side, roll, rules)}
    for _, after in legal_plays(position, side, other_roll, rules)[:20]:
        judged = judge_result(position, side, roll, after, rules)
        assert judged.is_legal == (after in legal)
        assert bool(judged.sentence) != judged.is_legal


def test_a_touch_down_on_a_held_point_is_named():
    before = pos("light 13:1 6:14 | dark 18:2 17:2 24:11")
    after = pos("light 6:14 2:1 | dark 18:2 17:2 24:11")
    judged = judge_result(before, Side.LIGHT, Roll(6, 5), after, SHORT)
    assert judged.reason is Reason.BLOCKED_POINT
