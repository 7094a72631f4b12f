"""A turn ends when its player says so: by the clock, by hand, by the cup."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest

from engine import (
    USUAL,
    CubePlace,
    DiceRolled,
    DiceVoid,
    Doubled,
    IllegalMade,
    NotNow,
    Phase,
    PlayAccepted,
    PlayMade,
    PrematureRoll,
    Referee,
    TurnEnded,
)
from engine.evidence.observation import Observation, cell_counts
from engine.position import CHECKERS
from engine.ruleset import AcceptanceRule, PrematureRule, TurnEndRule
from tests.engine.referee.test_referee import CLOSED
from tests.refereed_board import DARK, LIGHT, OPENING, SHORT, Match, cube_seen, match

CLOCK = replace(USUAL, turn_end=TurnEndRule.CLOCK)
ENDS = [TurnEndRule.CLOCK, TurnEndRule.DICE_HANDED_OVER, TurnEndRule.EXPLICIT]


def press(one, side, by="clock"):
    one.enter(
        TurnEnded(time=one.board.clock, frame=round(one.board.clock * 12), player=side, by=by)
    )


def thrown(rules=CLOCK, position=None):
    one = match(position=position, rule_set=rules, light_throws_right=True)
    one.throw((6, 1), LIGHT)
    return one


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("by", ["clock", "hand", "cup"])
def test_a_play_is_ruled_on_at_once_while_its_dice_still_lie(end, by):
    one = thrown(replace(USUAL, turn_end=end))
    one.play(LIGHT, "13/7 8/7")
    assert one.of(PlayMade) == []
    press(one, LIGHT, by)
    assert [e.type for e in one.events] == ["game_start", "roll", "turn_end", "play"]
    (made,) = one.of(PlayMade)
    assert (made.player, made.play, made.review) == (LIGHT, "13/7 8/7", False)
    assert (one.state.phase, one.state.to_move) == (Phase.TO_ROLL, DARK)
    one.throw((4, 2), DARK)
    one.play(DARK, "8/4 6/4")
    press(one, DARK, by)
    assert [e.play for e in one.of(PlayMade)] == ["13/7 8/7", "8/4 6/4"]
    one.check_fold()


def test_a_hand_that_is_still_there_is_waited_for():
    one = thrown()
    one.play(LIGHT, "13/7")
    one.board.move_hand()
    one.observe()
    press(one, LIGHT)
    assert one.of(PlayMade) == []
    one.play(LIGHT, "8/7")
    assert [(e.play, e.legal) for e in one.of(PlayMade)] == [("13/7 8/7", True)]


def test_by_a_clock_the_lift_of_the_dice_ends_nothing():
    one = thrown()
    one.play(LIGHT, "13/7")
    one.lift()
    assert one.of(IllegalMade) == []
    one.play(LIGHT, "8/7")
    assert one.of(PlayMade) == []
    press(one, LIGHT)
    assert [(e.play, e.legal) for e in one.of(PlayMade)] == [("13/7 8/7", True)]
    one.check_fold()


def test_by_a_clock_that_is_not_connected_the_next_throw_ends_the_turn():
    one = thrown()
    one.play(LIGHT, "13/7 8/7")
    one.lift()
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.throw((2, 1), LIGHT)
    assert [e.play for e in one.of(PlayMade)] == ["13/7 8/7", "8/4 6/4"]
    assert one.of(PrematureRoll) == []


def test_a_turn_in_which_nothing_can_be_moved_ends_by_hand_too():
    one = match(position=CLOSED, rule_set=CLOCK, light_throws_right=True)
    one.turn(DARK, (3, 1), "7/3")
    press(one, DARK)
    one.throw((6, 5), LIGHT)
    press(one, LIGHT)
    assert [(e.player, e.play, e.review) for e in one.of(PlayMade)] == [
        (DARK, "7/3", False),
        (LIGHT, "(no play)", False),
    ]
    one.check_fold()


def test_an_illegal_play_is_recorded_when_the_clock_is_pressed():
    one = thrown()
    one.play(LIGHT, "13/7")
    one.lift()
    assert one.of(PlayMade) == []
    press(one, LIGHT)
    (wrong,) = one.of(IllegalMade)
    assert "only the 6 was played" in wrong.rule
    assert one.state.phase is Phase.DISPUTED


def test_the_next_clock_accepts_an_illegal_play_where_the_next_play_does():
    one = thrown(replace(CLOCK, acceptance_event=AcceptanceRule.NEXT_PLAY_COMPLETE))
    one.play(LIGHT, "13/7")
    one.lift()
    press(one, LIGHT)
    one.throw((4, 2), DARK)
    one.play(DARK, "8/4 6/4")
    assert one.of(PlayAccepted) == []
    press(one, DARK)
    assert [(e.player, e.by) for e in one.of(PlayAccepted)] == [(DARK, "clock")]
    assert [(e.player, e.dice, e.legal) for e in one.of(PlayMade)] == [
        (LIGHT, (6, 1), False),
        (DARK, (4, 2), True),
    ]
    one.check_fold()


def test_where_there_is_no_turn_to_end_the_refusal_is_one_line():
    one = match(rule_set=CLOCK, light_throws_right=True)
    for side in (LIGHT, DARK):
        with pytest.raises(NotNow, match="has no turn to end"):
            press(one, side)
    one.throw((6, 1), LIGHT)
    one.play(LIGHT, "13/7 8/7")
    press(one, LIGHT)
    events = list(one.events)
    for side in (LIGHT, DARK):
        with pytest.raises(NotNow, match="has no turn to end"):
            press(one, side)
    assert one.events == events
    one.throw((4, 2), DARK)
    with pytest.raises(NotNow, match="Light has no turn to end"):
        press(one, LIGHT)


def test_a_turn_that_is_ended_before_anything_was_played_stays_open():
    one = thrown()
    one.lift()
    press(one, LIGHT)
    assert one.of(PlayMade) == []
    one.play(LIGHT, "13/7 8/7")
    assert [e.play for e in one.of(PlayMade)] == ["13/7 8/7"]
    assert [e.dice for e in one.of(DiceRolled)] == [(6, 1)]
    assert one.board.position != OPENING


@pytest.mark.parametrize("quality", [0.1, 1.0])
def test_a_turn_may_be_ended_after_a_restart_though_its_dice_were_lifted_meanwhile(quality):
    first = match(light_throws_right=True)
    first.turn(LIGHT, (6, 1), "13/7 8/7")
    first.throw((4, 2), DARK)
    one = Match(Referee.resume(SHORT, first.state), first.board, begun=first.state)
    one._shown = len(one.board.seen)
    one.board.dice = ()
    one.board.rest(quality=quality)
    one.observe()
    press(one, DARK)
    assert one.of(PlayMade) == []
    one.play(DARK, "8/4 6/4")
    assert [(e.play, e.dice) for e in one.of(PlayMade)] == [("8/4 6/4", (4, 2))]
    one.check_fold()


STANDS, VOID = PrematureRule.STANDS, PrematureRule.VOID


def clocked(rule):
    """Light has played and pressed his clock; dark has played 4-2 and lifted his dice."""
    one = thrown(replace(CLOCK, premature_roll=rule))
    one.play(LIGHT, "13/7 8/7")
    press(one, LIGHT)
    one.turn(DARK, (4, 2), "8/4 6/4")
    return one


@pytest.mark.parametrize("rule", PrematureRule)
def test_a_throw_before_the_clock_is_pressed_is_premature_where_the_clock_is_connected(rule):
    one = clocked(rule)
    one.throw((5, 3), LIGHT)
    (early,) = one.of(PrematureRoll)
    assert (early.player, early.dice, early.stands) == (LIGHT, (5, 3), rule is STANDS)
    assert [e.play for e in one.of(PlayMade)] == ["13/7 8/7", "8/4 6/4"]
    assert one.state.roll == ((5, 3) if rule is STANDS else None)
    one.check_fold()


@pytest.mark.parametrize("rule", PrematureRule)
def test_a_throw_after_the_clock_was_pressed_is_not_premature(rule):
    one = clocked(rule)
    press(one, DARK)
    one.throw((5, 3), LIGHT)
    assert one.of(PrematureRoll) == []
    assert one.state.roll == (5, 3)


def test_a_throw_before_the_hand_that_pressed_the_clock_has_gone_is_none_too_early():
    one = thrown(replace(CLOCK, premature_roll=VOID))
    one.play(LIGHT, "13/7 8/7")
    press(one, LIGHT)
    one.throw((4, 2), DARK)
    one.play(DARK, "8/4 6/4")
    one.board.move_hand()
    one.observe()
    press(one, DARK)
    one.throw((5, 3), LIGHT)
    assert one.of(PrematureRoll) == []
    assert one.state.roll == (5, 3)


def test_a_clock_that_was_not_pressed_before_makes_no_throw_premature():
    one = clocked(STANDS)
    one.throw((5, 3), LIGHT)  # too early: dark has not pressed
    one.play(LIGHT, "13/8 6/3")
    one.lift()
    one.throw((2, 1), DARK)  # light has not either, but it is no longer known whose clock runs
    assert [e.player for e in one.of(PrematureRoll)] == [LIGHT]
    assert [e.legal for e in one.of(PlayMade)] == [True, True, True]
    assert one.state.roll == (2, 1)


def test_whoever_threw_too_early_throws_again_once_the_clock_was_pressed():
    one = clocked(VOID)
    one.throw((5, 3), LIGHT)
    assert one.state.owes_clock_press is DARK
    late = TurnEnded(time=one.board.clock, frame=0, player=DARK, by="hand")
    one.enter(late)  # it ends nothing of light's
    assert one.state.to_move is LIGHT
    with pytest.raises(NotNow, match="Dark has no turn to end"):
        press(one, DARK)
    one.lift()
    one.turn(LIGHT, (6, 5), "24/13")
    press(one, LIGHT)
    assert [(e.player, e.dice) for e in one.of(PlayMade)] == [
        (LIGHT, (6, 1)),
        (DARK, (4, 2)),
        (LIGHT, (6, 5)),
    ]
    assert one.of(DiceVoid) == []
    one.check_fold()


@pytest.mark.parametrize("rule", PrematureRule)
def test_whoever_has_not_finished_does_and_presses_his_clock(rule):
    one = thrown(replace(CLOCK, premature_roll=rule))
    one.play(LIGHT, "13/7 8/7")
    press(one, LIGHT)
    one.throw((4, 2), DARK)
    darks = one.board.dice
    one.throw((5, 3), LIGHT)
    lights = one.board.dice
    one.dice(*darks, *lights)
    assert [e.player for e in one.of(PrematureRoll)] == [LIGHT]
    assert len(one.of(PlayMade)) == 1
    one.play(DARK, "8/4 6/4")
    press(one, DARK)
    one.dice(*lights)
    assert [e.play for e in one.of(PlayMade)] == ["13/7 8/7", "8/4 6/4"]
    assert one.state.roll == ((5, 3) if rule is STANDS else None)
    assert len(one.of(PrematureRoll)) == 1
    one.check_fold()


@pytest.mark.parametrize("rule", PrematureRule)
def test_a_double_before_the_clock_is_pressed_waits_for_it_where_a_throw_would_be_void(rule):
    one = thrown(replace(CLOCK, premature_roll=rule))
    one.cube = cube_seen(1, CubePlace.CENTRE)
    one.play(LIGHT, "13/7 8/7")
    press(one, LIGHT)
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.set_cube(2, CubePlace.OFFERED, observations=6)
    assert [e.player for e in one.of(Doubled)] == ([LIGHT] if rule is STANDS else [])
    if rule is not STANDS:
        press(one, DARK)
        one.rest()
    assert [e.player for e in one.of(Doubled)] == [LIGHT]
    one.check_fold()


def test_the_worse_the_last_look_shows_a_play_the_less_likely_is_what_was_seen():
    """It was also seen while its dice lay there: what the last look shows counts all the same."""
    weights = [_weight_of_play(misread) for misread in range(5)]
    assert weights == sorted(weights, reverse=True)


def _weight_of_play(misread):
    """The weight of a history after a play, in the last look at which so many points misread."""
    one = match(light_throws_right=True)
    one.throw((3, 1), LIGHT)
    one.play(LIGHT, "8/5 6/5")
    one.board.lift(1)
    last = one.board.seen[-1]
    assert isinstance(last, Observation)
    counts, true = last.counts.copy(), cell_counts(one.board.position)
    for point in (0, 11, 18, 16)[:misread]:
        counts[point] = log(1e-4)
        counts[point, CHECKERS + true[point] - np.sign(true[point])] = 0.0
        counts[point, CHECKERS + true[point]] = log(3e-3)
    one.board.seen[-1] = replace(last, counts=counts)
    one.observe()
    assert [made.play for made in one.of(PlayMade)] == ["8/5 6/5"]
    return one.referee.log_weight
