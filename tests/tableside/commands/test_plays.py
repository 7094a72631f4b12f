"""`tableside plays`: JSON lines in and out."""

from __future__ import annotations

import io
import json

import pytest

from engine import find_rules
from engine.rules import VARIANTS
from tableside.commands.json_lines import answer_lines
from tableside.commands.plays import answer

SHORT = find_rules("short")
OPENING = list(SHORT.start)
ASKED = {"light": OPENING, "dark": OPENING, "to_move": "light", "dice": [1, 3]}


def answers(*asked: object, rules=SHORT) -> tuple[int, list[dict]]:
    out = io.StringIO()
    lines = [one if isinstance(one, str) else json.dumps(one) for one in asked]
    code = answer_lines(lines, out, lambda line: answer(line, rules))
    return code, [json.loads(line) for line in out.getvalue().splitlines()]


def test_every_play_of_a_roll_is_listed_with_its_result():
    code, (answer,) = answers(ASKED)
    assert code == 0
    assert len(answer["plays"]) == 16
    made = {one["play"]: one for one in answer["plays"]}
    assert made["8/5 6/5"]["light"][5] == 2
    assert made["8/5 6/5"]["dark"] == OPENING


def test_either_side_plays_by_its_own_numbers():
    code, (light, dark) = answers(ASKED, {**ASKED, "to_move": "dark"})
    assert code == 0
    assert [one["play"] for one in light["plays"]] == [one["play"] for one in dark["plays"]]
    assert dark["plays"][0]["light"] == OPENING


def test_a_forced_pass_is_one_entry():
    blocked = [0] * 26
    blocked[1:7] = [2] * 6
    blocked[0] = 3
    shut_out = [14, *[0] * 24, 1]
    code, (answer,) = answers({**ASKED, "light": shut_out, "dark": blocked})
    assert code == 0
    assert answer == {"plays": [{"play": "(no play)", "light": shut_out, "dark": blocked}]}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON: brackets are nested too deep"),
        ('{"dice": ' * 100_000, "not JSON"),
        ("[]", "each line must be an object"),
        ({**ASKED, "dice": [7, 1]}, "a die shows 1 to 6"),
        ({**ASKED, "dice": [1]}, "two numbers"),
        ({**ASKED, "dice": None}, "two numbers"),
        ({**ASKED, "to_move": "white"}, "light or dark"),
        ({**ASKED, "to_move": []}, "light or dark"),
        ({**ASKED, "light": [15]}, "26 counts"),
        ({**ASKED, "light": "x"}, "26 counts"),
        ({**ASKED, "light": [1] * 26}, "26 checkers, not 15"),
        ({"light": OPENING}, "dark, to_move, dice missing"),
    ],
)
def test_a_malformed_line_gives_its_error_in_its_place(asked, said):
    code, (first, error, last) = answers(ASKED, asked, ASKED)
    assert code == 1
    assert said in error["error"]
    assert first == last
    assert "plays" in first


ALL_OFF = [15, *[0] * 25]


@pytest.mark.parametrize(
    ("variant", "light", "dark", "said"),
    [
        (
            "narde",
            [0] * 25 + [15],
            list(find_rules("narde").start),
            "light has checkers on the bar",
        ),
        ("hypergammon", [12, *[0] * 21, 1, 1, 1, 0], OPENING, "dark has 15 checkers in play"),
        ("short", ALL_OFF, ALL_OFF, "both sides have borne off"),
        ("narde", ALL_OFF, ALL_OFF, "both sides have borne off"),
    ],
)
def test_a_position_that_the_game_never_reaches_is_refused(variant, light, dark, said):
    asked = {**ASKED, "light": light, "dark": dark}
    code, (answer,) = answers(asked, rules=find_rules(variant))
    assert code == 1
    assert said in answer["error"]


def test_empty_lines_are_passed_over():
    assert answers("", "  \n", ASKED)[0] == 0
    assert len(answers("", ASKED)[1]) == 1


NARDE_START = {"light": list(find_rules("narde").start), "dark": list(find_rules("narde").start)}


@pytest.mark.parametrize(("first", "heads"), [(True, 13), (False, 14), (None, 13)])
def test_the_first_turn_of_narde_is_given_or_inferred(first, heads):
    asked = {**NARDE_START, "to_move": "light", "dice": [6, 6], "opponent_first_roll": None}
    if first is not None:
        asked["first_turn"] = first
    code, (answer,) = answers(asked, rules=find_rules("narde"))
    assert code == 0
    assert [one["light"][24] for one in answer["plays"]] == [heads]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"first_turn": 1}, "first_turn must be true or false"),
        ({"opponent_first_roll": [7, 1]}, "a die shows 1 to 6"),
        ({"opponent_first_roll": 5}, "opponent_first_roll must be a list of two numbers"),
    ],
)
def test_a_malformed_past_gives_its_error(more, said):
    asked = {**NARDE_START, "to_move": "light", "dice": [6, 6], **more}
    code, (answer,) = answers(asked, rules=find_rules("narde"))
    assert code == 1
    assert said in answer["error"]


def test_gulbar_lists_leftover_moves_and_another_roll():
    asked = {**NARDE_START, "to_move": "light", "dice": [5, 5]}
    _, (answer,) = answers(asked, rules=find_rules("gulbar"))
    assert answer["plays"][0]["rolls_again"] is True
    blocked = {**asked, "dark": [0] * 7 + [4] + [0] * 16 + [11, 0]}
    _, (answer,) = answers(blocked, rules=find_rules("gulbar"))
    assert answer["plays"][0]["left_over"] == [5, 5, 5, 5]
    assert "rolls_again" not in answer["plays"][0]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_answers(variant):
    rules = find_rules(variant)
    asked = {"light": list(rules.start), "dark": list(rules.start), "dice": [5, 4]}
    code, (answer,) = answers({**asked, "to_move": "dark"}, rules=rules)
    assert code == 0
    assert answer["plays"]
