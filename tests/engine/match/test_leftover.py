"""Moves of a double that pass to the opponent, and another roll after a completed one."""

from __future__ import annotations

from typing import Any

import pytest

from engine import (
    DiceRolled,
    NotNow,
    Phase,
    PlayMade,
    Referee,
    Roll,
    find_rules,
    leftover_plays,
    legal_plays,
)
from engine.errors import IllegalPlay
from engine.match.leftover import PlayOutcome, outcome_of_play
from tests.engine.rules.test_narde import pos
from tests.refereed_board import DARK, LIGHT, Match, match

GULBAR, NARDE = find_rules("gulbar"), find_rules("narde")
BLOCKED = pos("light 24:15 | dark 24:11 7:4")
"""Light's fives are closed; dark's are not."""
AT: dict[str, Any] = {"time": 99.0, "frame": 99}


def test_an_unplayable_double_leaves_its_four_numbers_to_the_opponent():
    assert outcome_of_play(BLOCKED, LIGHT, (5, 5), BLOCKED, GULBAR) == PlayOutcome(
        (5, 5, 5, 5), False
    )


@pytest.mark.parametrize(("dice", "rules"), [((5, 4), GULBAR), (None, GULBAR), ((5, 5), NARDE)])
def test_other_rolls_and_other_games_leave_nothing(dice, rules):
    assert outcome_of_play(BLOCKED, LIGHT, dice, BLOCKED, rules) == PlayOutcome()


def test_a_completed_double_gives_another_roll():
    one = match(GULBAR)
    one.throw((5, 5), LIGHT)
    plays = legal_plays(one.board.position, LIGHT, Roll(5, 5), GULBAR)
    one.play(LIGHT, str(plays[0].play))
    one.lift()
    assert (one.state.to_move, one.state.phase, one.state.leftover) == (LIGHT, Phase.TO_ROLL, ())
    one.throw((2, 1), LIGHT)
    one.play(LIGHT, "24/21")
    one.lift()
    assert [(e.player, e.dice) for e in one.of(PlayMade)] == [(LIGHT, (5, 5)), (LIGHT, (2, 1))]
    assert one.state.to_move is DARK
    one.check_fold()


def passed():
    """Light could not move his 5-5: dark moves it, and then rolls."""
    one = match(GULBAR, position=BLOCKED, is_manual=True)
    one.enter(DiceRolled(**AT, player=LIGHT, dice=(5, 5), by="hand"))
    return one


def test_leftover_moves_entered_by_hand_are_played_before_the_roll():
    one = passed()
    assert (one.state.to_move, one.state.leftover) == (DARK, (5, 5, 5, 5))
    with pytest.raises(NotNow, match="first play the moves left over from the last double"):
        one.enter(DiceRolled(**AT, player=DARK, dice=(2, 1), by="hand"))
    with pytest.raises(IllegalPlay, match="is not what was left"):
        one.enter(PlayMade(**AT, player=DARK, dice=None, play="24/20", position=BLOCKED))
    (play, *_) = leftover_plays(one.state.position, DARK, one.state.leftover, GULBAR)
    one.enter(PlayMade(**AT, player=DARK, dice=None, play=str(play.play), position=BLOCKED))
    assert (one.state.to_move, one.state.phase, one.state.leftover) == (DARK, Phase.TO_ROLL, ())
    assert one.state.position == play.position
    one.enter(DiceRolled(**AT, player=DARK, dice=(2, 1), by="hand"))
    assert one.state.phase is Phase.TO_PLAY
    one.check_fold()


def test_leftover_moves_and_the_own_roll_are_seen_as_two_plays_of_one_player():
    one = passed()
    state = one.state
    watched = Match(Referee.resume(GULBAR, state), one.board, begun=state)
    watched.rest()
    (play, *_) = leftover_plays(state.position, DARK, state.leftover, GULBAR)
    watched.board.play(play.position)
    watched.observe()
    watched.throw((2, 1), DARK)
    watched.play(DARK, "24/21")
    watched.lift()
    made = watched.of(PlayMade)
    assert [(e.player, e.dice, e.play) for e in made] == [
        (DARK, None, str(play.play)),
        (DARK, (2, 1), "24/21"),
    ]
    assert (watched.state.to_move, watched.state.leftover) == (LIGHT, ())
    watched.check_fold()


def test_of_two_ways_to_share_five_fives_the_one_that_was_seen_is_recorded():
    """Whoever moves four fives and then rolls another may have moved them in any order."""
    state = passed().state
    watched = Match(Referee.resume(GULBAR, state), match(GULBAR, BLOCKED).board, begun=state)
    watched.rest()
    watched.play(DARK, "7/2(4)")
    watched.throw((5, 2), DARK)
    watched.play(DARK, "24/17")
    watched.lift()
    assert [(e.dice, e.play, e.review) for e in watched.of(PlayMade)] == [
        (None, "7/2(4)", False),
        ((5, 2), "24/17", False),
    ]
