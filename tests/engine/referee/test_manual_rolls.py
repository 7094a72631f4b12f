"""Rolls of a cup: they are played whether or not dice lie on the board."""

from typing import Any

import pytest

from engine import NotNow, PlayMade, Side
from engine.events.cup import CupDisagrees
from engine.events.match import DiceRolled, OpeningRolled, TurnEnded
from engine.match.phase import Phase
from tests.refereed_board import match, three_turns

LIGHT, DARK = Side
AT: dict[str, Any] = {"time": 9.0, "frame": 90}


def rolled(player, *dice):
    return DiceRolled(**AT, player=player, dice=dice)


def ended(player):
    return TurnEnded(**AT, player=player, by="cup")


def test_an_opening_and_two_turns_are_recorded_without_any_dice_on_the_board():
    one = match()
    one.enter(OpeningRolled(**AT, light=3, dark=1))
    assert (one.state.phase, one.state.to_move, one.state.roll) == (Phase.TO_PLAY, LIGHT, (3, 1))
    one.play(LIGHT, "8/5 6/5")
    one.enter(ended(LIGHT))
    one.rest()
    one.enter(rolled(DARK, 4, 2))
    one.play(DARK, "8/4 6/4")
    one.enter(ended(DARK))
    one.rest()
    made = one.of(PlayMade)
    assert [(str(play.player), play.dice, play.play) for play in made] == [
        (str(LIGHT), (3, 1), "8/5 6/5"),
        (str(DARK), (4, 2), "8/4 6/4"),
    ]
    assert all(play.legal and not play.review for play in made)
    assert len(one.of(DiceRolled)) == 1
    one.check_fold()


def test_equal_lots_are_drawn_again():
    one = match()
    one.enter(OpeningRolled(**AT, light=2, dark=2))
    assert one.state.to_move is None
    one.enter(OpeningRolled(**AT, light=2, dark=5))
    assert one.state.to_move is DARK


def test_a_roll_is_refused_where_none_can_be():
    one = match()
    with pytest.raises(NotNow, match="turn to roll"):
        one.enter(rolled(LIGHT, 3, 1))
    three_turns(one)
    with pytest.raises(NotNow, match="Light's turn"):
        one.enter(rolled(LIGHT, 3, 1))
    with pytest.raises(NotNow, match="opening roll"):
        one.enter(OpeningRolled(**AT, light=2, dark=5))


def test_the_entered_roll_counts_though_other_dice_lie_there():
    one = match()
    three_turns(one)
    one.enter(rolled(DARK, 5, 3))
    one.turn(DARK, (6, 6), "8/3 6/3")
    assert one.of(PlayMade)[-1].dice == (5, 3)
    assert one.of(PlayMade)[-1].legal


def test_a_play_that_the_entered_roll_does_not_allow_is_marked_for_review():
    one = match()
    three_turns(one)
    one.enter(rolled(DARK, 5, 3))
    one.play(DARK, "8/2 6/4")
    one.enter(ended(DARK))
    one.rest()
    made = one.of(PlayMade)[-1]
    assert made.review or not made.legal


def test_an_event_of_a_cup_changes_nothing_in_the_match():
    one = match()
    three_turns(one)
    before = one.state
    one.enter(CupDisagrees(**AT, player=DARK, dice=(5, 3), seen=(6, 6)))
    assert one.state.turns == before.turns
    assert one.state.phase is before.phase
    one.check_fold()


@pytest.fixture
def compared():
    one = match()
    three_turns(one)
    one.enter(rolled(DARK, 5, 3))
    return one


@pytest.mark.parametrize("play", ["13/8 6/4", "13/7 8/5", "24/21 8/5", "8/5", "8/2 6/4"])
def test_an_illegal_play_of_an_entered_roll_is_flagged_though_no_dice_lie_there(compared, play):
    compared.play(DARK, play)
    compared.enter(ended(DARK))
    compared.rest()
    made = compared.of(PlayMade)[-1]
    assert not made.legal
    assert made.dice == (5, 3)
    assert compared.state.phase is Phase.DISPUTED
    assert compared.board.position == made.position


def test_a_legal_play_of_an_entered_roll_is_not(compared):
    compared.play(DARK, "8/3 6/3")
    compared.enter(ended(DARK))
    compared.rest()
    made = compared.of(PlayMade)[-1]
    assert (made.play, made.legal, made.review) == ("8/3 6/3", True, False)
