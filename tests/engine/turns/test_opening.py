"""The opening roll, as seen by the camera."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import (
    DiceRolled,
    DiceVoid,
    GameEnd,
    GameStart,
    OpeningRolled,
    Phase,
    PlayMade,
    Referee,
    Setup,
    Side,
    find_rules,
)
from engine.cube import CubeRules
from engine.events.record import Corrected
from engine.match.amendments import effective_events
from engine.referee import HistorySearch
from engine.ruleset import find_rule_set
from engine.simulation.board import die
from engine.timestamp import Timestamp
from engine.turns.opening import start_event
from tests.refereed_board import DARK, LIGHT, SHORT, match

NARDE = find_rules("narde")


def test_the_higher_die_begins_and_plays_both():
    one = match(light_throws_right=True)
    one.opening_roll(light=2, dark=5)
    (lots,) = one.of(OpeningRolled)
    assert (lots.light, lots.dark) == (2, 5)
    assert (one.state.phase, one.state.to_move, one.state.roll) == (Phase.TO_PLAY, DARK, (5, 2))
    one.play(DARK, "13/8 13/11")
    one.lift()
    (made,) = one.of(PlayMade)
    assert (made.player, made.dice, made.review) == (DARK, (5, 2), False)
    assert one.of(DiceRolled) == one.of(DiceVoid) == []
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    assert one.of(PlayMade)[-1].player is LIGHT
    one.check_fold()


def test_a_mirrored_board_swaps_the_halves():
    one = match(light_throws_right=False)
    one.opening_roll(light=2, dark=5)  # the die in the right half is dark's here
    (lots,) = one.of(OpeningRolled)
    assert (lots.light, lots.dark) == (5, 2)


def test_without_a_known_hand_the_colours_decide():
    one = match()
    one.dice(die(2, (0.8, 0.4), side=DARK), die(5, (0.2, 0.6), side=LIGHT))
    (lots,) = one.of(OpeningRolled)
    assert (lots.light, lots.dark) == (5, 2)


@pytest.mark.parametrize("side", Side)
def test_without_hand_and_colours_the_starter_follows_from_the_play(side):
    one = match()
    one.opening_roll(light=3, dark=1)
    assert one.of(OpeningRolled) == []
    one.play(side, "8/5 6/5")
    one.lift()
    (lots,) = one.of(OpeningRolled)
    assert (lots.light, lots.dark) == ((3, 1) if side is LIGHT else (1, 3))
    (made,) = one.of(PlayMade)
    assert (made.player, made.dice, made.review) == (side, (3, 1), False)
    assert one.of(DiceVoid) == one.of(DiceRolled) == []
    one.check_fold()


@pytest.mark.parametrize("hand", [True, None])
def test_equal_dice_are_rolled_again(hand):
    one = match(light_throws_right=hand)
    one.opening_roll(light=4, dark=4)
    one.lift()
    one.dice(die(6, (0.7, 0.3), side=LIGHT), die(2, (0.3, 0.7), side=DARK))
    assert [(e.light, e.dark) for e in one.of(OpeningRolled)] == [(4, 4), (6, 2)]
    assert one.of(DiceVoid) == []
    assert (one.state.to_move, one.state.roll) == (LIGHT, (6, 2))


def test_equal_dice_that_are_rolled_again_one_after_the_other():
    one = match(light_throws_right=True)
    one.opening_roll(light=4, dark=4)
    one.dice(die(6, (0.7, 0.3)), die(4, (0.2, 0.6)))  # dark's still lies there
    one.dice(die(6, (0.7, 0.3)), die(2, (0.3, 0.7)))
    assert [(e.light, e.dark) for e in one.of(OpeningRolled)] == [(4, 4), (6, 2)]


def test_equal_dice_double_the_stake_as_often_as_agreed():
    rules = replace(find_rule_set("casual"), cube=CubeRules(automatic_doubles=1))
    one = match(light_throws_right=True, rule_set=rules)
    one.opening_roll(light=4, dark=4)
    one.lift()
    one.dice(die(1, (0.7, 0.3)), die(1, (0.3, 0.7)))
    assert (one.state.cube.value, one.state.cube.owner) == (2, None)
    one.check_fold()


def test_lots_whose_first_die_is_seen_alone():
    one = match(light_throws_right=True)
    one.dice(die(6, (0.7, 0.3)))
    one.dice(die(6, (0.7, 0.3)), die(2, (0.3, 0.7)))
    assert [(e.light, e.dark) for e in one.of(OpeningRolled)] == [(6, 2)]


def test_the_starter_may_throw_both_dice_at_once():
    one = match(light_throws_right=True)
    one.turn(DARK, (3, 1), "8/5 6/5")
    assert one.of(OpeningRolled) == []
    assert [(e.player, e.dice) for e in one.of(DiceRolled)] == [(DARK, (3, 1))]


@pytest.mark.parametrize("side", Side)
def test_the_first_throw_is_recorded_at_once_by_the_half_it_lies_in(side):
    one = match(light_throws_right=True)
    one.throw((3, 1), side)
    (rolled,) = one.of(DiceRolled)
    assert (rolled.player, rolled.dice, one.state.to_move) == (side, (3, 1), side)
    assert rolled.confidence < 0.97, "the other player may have thrown it there"


def test_without_a_known_hand_the_first_throw_waits_for_its_play():
    one = match()
    one.throw((3, 1), LIGHT)
    assert one.of(DiceRolled) == []
    one.play(LIGHT, "8/5 6/5")
    one.lift()
    assert [e.player for e in one.of(DiceRolled)] == [LIGHT]


@pytest.mark.parametrize("kind", [Referee, HistorySearch])
def test_the_play_shows_that_the_other_player_began(kind):
    one: Any = match(light_throws_right=True)
    if kind is HistorySearch:
        one.referee = HistorySearch(one.referee)
        one.referee.rules = SHORT
    one.dice(die(6, (0.8, 0.4)), die(5, (0.7, 0.6), flat=0.1))
    one.lift()
    one.dice(die(3, (0.6, 0.3)), die(1, (0.9, 0.5)))
    assert one.state.to_move is LIGHT, "it lies in light's half"
    one.play(DARK, "8/5 6/5")
    one.lift()
    assert len(one.of(Corrected)) == 1
    stands: Any = effective_events(one.events)
    thrown = [(e.type, e.player) for e in stands if not isinstance(e, GameStart)]
    assert thrown == [("reroll", DARK), ("roll", DARK), ("play", DARK)]
    assert (one.state.to_move, one.state.turns[0].event.review) == (LIGHT, False)


def test_void_throws_get_their_player_with_the_first_throw_that_counts():
    one = match(light_throws_right=True)
    one.dice(die(6, (0.8, 0.4)), die(5, (0.7, 0.6), flat=0.1))
    one.lift()
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    assert [e.type for e in one.events[1:]] == ["reroll", "roll", "play"]
    one.check_fold()


def test_two_dice_of_one_colour_in_both_halves_are_no_lots():
    one = match()
    one.dice(die(6, (0.7, 0.3), side=DARK), die(2, (0.3, 0.7), side=DARK))
    one.lift()
    one.turn(DARK, (3, 1), "8/5 6/5")
    assert one.of(OpeningRolled) == []
    assert [(e.player, e.reason) for e in one.of(DiceVoid)] == [(DARK, "split")]


def test_a_leaning_die_draws_no_lots():
    one = match(light_throws_right=True)
    one.opening_roll(light=6, dark=2, flat=0.1)
    assert one.of(OpeningRolled) == []


def test_dice_in_both_halves_are_rolled_again_once_a_game_runs():
    one = match(light_throws_right=True)
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    one.opening_roll(light=6, dark=2)
    one.lift()
    one.turn(DARK, (3, 1), "8/5 6/5")
    assert one.of(OpeningRolled) == []
    assert [(e.player, e.reason) for e in one.of(DiceVoid)] == [(DARK, "split")]


def test_in_narde_the_starter_rolls_again():
    one = match(NARDE, light_throws_right=True)
    one.opening_roll(light=5, dark=2)
    assert (one.state.phase, one.state.to_move) == (Phase.TO_ROLL, LIGHT)
    one.lift()
    one.turn(LIGHT, (2, 1), "24/22 22/21")
    (made,) = one.of(PlayMade)
    assert (made.player, made.dice, made.review) == (LIGHT, (2, 1), False)
    assert [(e.player, e.dice) for e in one.of(DiceRolled)] == [(LIGHT, (2, 1))]
    assert one.of(DiceVoid) == []
    one.check_fold()


def test_in_narde_an_opening_roll_with_unknown_owners_is_no_roll():
    one = match(NARDE)
    one.opening_roll(light=5, dark=2)
    one.lift()
    one.turn(DARK, (2, 1), "24/22 22/21")
    assert one.of(DiceVoid) == one.of(OpeningRolled) == []
    assert one.of(PlayMade)[0].player is DARK


def test_the_winner_of_narde_begins_the_next_game():
    finished = Setup((14, 1, *[0] * 24), (1, 14, *[0] * 24), NARDE.opening().course).checked()
    one = match(NARDE, finished)
    one.turn(DARK, (2, 1), "1/off 1/off")
    one.turn(LIGHT, (2, 1), "1/off")
    (end,) = one.of(GameEnd)
    assert end.winner is LIGHT
    one.set_up(NARDE.opening())
    assert one.of(GameStart)[1].starter is one.state.to_move is LIGHT
    one.opening_roll(light=5, dark=2)  # no lots are drawn: the dice lie in both halves
    one.lift()
    one.turn(LIGHT, (2, 1), "24/22 22/21")
    assert one.of(OpeningRolled) == []
    assert [e.reason for e in one.of(DiceVoid)] == ["split"]


def test_a_start_that_is_no_opening_names_no_starter():
    one = match(NARDE)
    position = Setup((14, 1, *[0] * 24), (1, 14, *[0] * 24), NARDE.opening().course).checked()
    event = start_event(one.state, NARDE, find_rule_set("narde"), position, Timestamp(0.0, 0))
    assert (event.starter, event.rule_set) == (None, find_rule_set("narde"))
