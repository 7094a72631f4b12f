"""A checker that hit may not run on to safety, where the house forbids it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import (
    USUAL,
    IllegalMade,
    Phase,
    Play,
    PlayMade,
    PlayRejected,
    Roll,
    Side,
    apply_play,
    find_rules,
    legal_plays,
)
from engine.referee.hit_and_run import is_hit_and_run
from engine.ruleset import HitAndRunRule
from tests.positions import pos
from tests.refereed_board import LIGHT, SHORT, match

NARDE = find_rules("narde")
HOUSE = replace(USUAL, hit_and_run=HitAndRunRule.FORBIDDEN)
BLOT = "light 24:1 13:6 8:3 6:5 | dark 24:2 13:5 8:2 6:4 15:1 5:1"
"""Dark has blots on light's 10 and 20 points."""


@pytest.mark.parametrize(
    ("before", "roll", "play", "runs"),
    [
        (BLOT, Roll(3, 2), "13/10*/8", True),
        (BLOT, Roll(3, 2), "13/10* 8/6", False),
        (BLOT, Roll(3, 2), "13/10* 13/11", False),
        (BLOT, Roll(3, 1), "13/10*/9", False),  # it is a blot there too
        (BLOT, Roll(4, 3), "13/10*/6", True),
        (BLOT, Roll(4, 3), "24/20* 13/10*", False),
        (BLOT, Roll(3, 3), "13/10*(2)", False),
        (BLOT, Roll(3, 3), "13/10*(2) 13/7", False),
        (BLOT, Roll(1, 1), "8/7(2) 6/5(2)", False),
        # Two checkers went to the 10 point and one of them left: it need not be the one that hit.
        ("light 14:3 12:2 6:10 | dark 15:1 2:14", Roll(2, 2), "14/12(2) 12/10*(2)", False),
        ("light 14:3 12:2 6:10 | dark 15:1 2:14", Roll(2, 2), "14/12/10*/8/6", True),
        # One checker hits and stays; the other goes the same way without a hit.
        ("light 13:1 11:1 8:2 6:11 | dark 15:1 2:14", Roll(3, 1), "13/10* 11/10", False),
        ("light 13:1 11:1 8:2 6:11 | dark 15:1 2:14", Roll(5, 3), "13/10* 11/6", False),
        ("light 13:1 11:2 8:2 6:10 | dark 15:1 2:14", Roll(3, 1), "13/10* 11/10", False),
    ],
)
def test_what_a_run_is(before, roll, play, runs):
    position = pos(before)
    result = apply_play(position, Side.LIGHT, Play.parse(play), SHORT)
    assert is_hit_and_run(position, Side.LIGHT, roll, result, SHORT) is runs


def test_without_a_hit_there_is_no_hit_and_run():
    for one in legal_plays(NARDE.opening(), Side.LIGHT, Roll(6, 6), NARDE):
        assert not is_hit_and_run(NARDE.opening(), Side.LIGHT, Roll(6, 6), one.position, NARDE)


def ran(rules, before=BLOT, roll=(3, 2), play="13/10*/8"):
    one = match(position=pos(before), rule_set=rules, light_throws_right=True)
    one.turn(LIGHT, roll, play)
    return one


def test_a_run_is_an_illegal_play_and_may_be_taken_back():
    one = ran(HOUSE)
    (wrong,) = one.of(IllegalMade)
    assert wrong.rule == "the hitting checker was moved on to safety in the same turn (hit and run)"
    assert not wrong.review
    assert 0 < wrong.legal_plays < len(legal_plays(pos(BLOT), LIGHT, Roll(3, 2), SHORT))
    assert one.state.phase is Phase.DISPUTED
    one.set_up(pos(BLOT))
    assert [e.player for e in one.of(PlayRejected)] == [LIGHT.other]
    one.play(LIGHT, "13/10* 8/6")
    one.throw((6, 5), LIGHT.other)
    assert [(e.play, e.legal) for e in one.of(PlayMade)][1:] == [("13/10* 8/6", True)]
    one.check_fold()


def test_elsewhere_it_is_a_play_like_any_other():
    one = ran(USUAL)
    assert [(e.play, e.legal) for e in one.of(PlayMade)] == [("13/10*/8", True)]
    assert one.state.phase is Phase.TO_ROLL


FORCED = "light bar:1 16:14 | dark 6:1 15:2 12:2 3:10"
"""Light's 6-3 hits from the bar and cannot go on with any other checker."""


def test_a_run_is_played_where_the_roll_has_no_other_play():
    one = ran(HOUSE, FORCED, (6, 3), "bar/19*/16")
    assert is_hit_and_run(pos(FORCED), LIGHT, Roll(6, 3), one.board.position, SHORT)
    assert [(e.play, e.legal) for e in one.of(PlayMade)] == [("bar/19*/16", True)]
