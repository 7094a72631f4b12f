"""The reason that a player is told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Play, Position, Roll, Side, apply_play, find_rules, legal_plays, why_illegal
from tests.positions import pos, random_turn

SHORT = find_rules("short")
OPENING = "light 24:2 13:5 8:3 6:5 | dark 24:2 13:5 8:3 6:5"


@pytest.mark.parametrize(
    ("before", "roll", "play", "reason"),
    [
        (OPENING, Roll(3, 1), "(no play)", "no checker was moved, but 31 can be played"),
        (OPENING, Roll(3, 1), "8/5", "only the 3 was played, but both dice can be"),
        (OPENING, Roll(6, 2), "24/18 13/10", "the checkers moved 9 pips in a way that 62"),
        (OPENING, Roll(3, 3), "8/5(2)", "the 3 was played 2 of the 4 times that it can be"),
        ("light bar:1 6:14 | dark 6:5", Roll(4, 3), "6/2 6/3", "had to enter from the bar"),
        ("light 10:1 | dark 24:2", Roll(6, 3), "10/7", "the larger one, the 6"),
        ("light 12:1 2:14 | dark 1:2", Roll(6, 2), "12/6 2/off", None),
        ("light 13:1 2:14 | dark 1:2", Roll(6, 2), "13/7 2/off", "borne off before all"),
    ],
)
def test_the_common_reasons(before, roll, play, reason):
    position = pos(before)
    result = apply_play(position, Side.LIGHT, Play.parse(play), SHORT)
    told = why_illegal(position, Side.LIGHT, roll, result, SHORT)
    assert (told == "") if reason is None else (reason in told)


def test_a_checker_moved_backwards():
    before, after = pos("light 8:15 | dark 1:2"), pos("light 9:1 8:13 1:1 | dark 1:2")
    assert "backwards" in why_illegal(before, Side.LIGHT, Roll(6, 1), after, SHORT)


@pytest.mark.parametrize("after", ["dark 13:2 8:1", "dark bar:1 13:1 8:1", "dark bar:1 8:2"])
def test_a_checker_of_the_opponent_moved(after):
    before = pos("light 8:15 | dark 13:1 8:2")
    result = pos(f"light 8:14 5:1 | {after}")
    assert "opponent" in why_illegal(before, Side.LIGHT, Roll(2, 1), result, SHORT)


@settings(max_examples=50, deadline=None)
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
    told = why_illegal(position, Side.DARK, Roll(3, 1), after, SHORT)
    assert told == "only the 3 was played, but both dice can be"
