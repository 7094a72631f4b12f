"""Narde with a draw by the last roll, where a double leaves moves over or nothing can be played."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engine import (
    DiceRolled,
    Game,
    GameDrawn,
    GameEnd,
    PlayMade,
    Position,
    Referee,
    Side,
    find_rules,
)
from engine.events.record import PositionSet
from engine.formats.from_events import match_from_events
from engine.formats.mat.read import read_mat
from engine.formats.mat.write import mat_text
from engine.formats.validate.replay import replay
from engine.match.phase import Phase
from engine.ruleset import USUAL, GameOptions
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import play_match
from tests.engine.rules.test_narde import pos
from tests.match_files import match_contents
from tests.refereed_board import Match

LIGHT, DARK = Side
PASSED_ON = pos("light 6:1 off:14 | dark 3:2 off:13")
"""Light, who began, can bear off only with a six, of which dark can play none."""
OFF = (15, *[0] * 25)


def options(variant: str = "crazy_gulbar") -> GameOptions:
    return GameOptions(variant, last_roll_draw=True)


def game(position: Position, variant: str = "crazy_gulbar") -> Game:
    rule_set = replace(USUAL, game=options(variant))
    return Game(variant, position=position, to_move=LIGHT, rule_set=rule_set)


def check_file(one: Game) -> None:
    """The match is read back as it was, and breaks no rule."""
    match = match_from_events(one.events)
    back = read_mat(mat_text(match))
    played = replay(back)
    assert (back.faults, played.faults) == ((), ())
    assert not any(each.illegal for each in played.games)
    assert match_contents(back) == match_contents(match)


def passed_on() -> Game:
    """Light has borne off the last checker with moves that dark's double left over."""
    one = game(PASSED_ON)
    one.roll("51")
    one.roll("66")
    one.push("6/off")
    return one


def test_who_finishes_with_moves_left_over_does_not_roll_again():
    one = passed_on()
    assert (one.to_move, one.state.phase, one.result) == (DARK, Phase.TO_ROLL, None)
    one.roll("63")
    one.push("3/off")
    assert isinstance(one.result, GameEnd)
    assert (one.result.winner, one.result.points) == (LIGHT, 1)
    check_file(one)


def test_the_last_throw_after_moves_left_over_may_draw():
    one = passed_on()
    one.roll("33")
    one.push("3/off(2)")
    assert isinstance(one.result, GameDrawn)
    check_file(one)


def watched(before: Position, roller: Side = LIGHT) -> Match:
    rules = find_rules("crazy_gulbar", options())
    board = SimulatedBoard(np.random.default_rng(1), rules.opening())
    rule_set = replace(USUAL, game=options())
    one = Match(Referee(rules, light_throws_right=True, rule_set=rule_set), board)
    one.rest(3)
    board.position = before
    one.enter(
        PositionSet(
            time=board.clock, frame=round(12 * board.clock), position=before, to_move=roller
        )
    )
    one.rest(3)
    return one


def made(one: Match) -> list[tuple[Side, tuple[int, int] | None, str]]:
    return [(play.player, play.dice, play.play) for play in one.of(PlayMade)]


@pytest.mark.parametrize("lifts_first", [False, True])
@pytest.mark.parametrize("looks", [0, 2])
def test_a_last_throw_is_seen_after_moves_left_over(looks, lifts_first):
    one = watched(PASSED_ON)
    one.throw((5, 1), LIGHT)
    one.lift()
    one.throw((6, 6), DARK)
    if lifts_first:
        one.lift(looks)
    one.board.play(PASSED_ON.with_sides(LIGHT, OFF, PASSED_ON.of(DARK)))
    one.observe()
    if not lifts_first:
        one.lift(looks)
    one.turn(DARK, (6, 3), "3/off")
    assert made(one) == [
        (LIGHT, (5, 1), "(no play)"),
        (DARK, (6, 6), "(no play)"),
        (LIGHT, None, "6/off"),
        (DARK, (6, 3), "3/off"),
    ]
    (end,) = one.of(GameEnd)
    assert (end.winner, end.points) == (LIGHT, 1)
    one.check_fold()


def test_moves_left_over_are_found_though_seen_only_beside_the_last_throw():
    one = watched(PASSED_ON)
    one.throw((5, 1), LIGHT)
    one.lift()
    one.throw((6, 6), DARK)
    one.lift()
    one.board.play(PASSED_ON.with_sides(LIGHT, OFF, PASSED_ON.of(DARK)), 0)
    one.turn(DARK, (6, 3), "3/off")
    assert made(one)[2:] == [(LIGHT, None, "6/off"), (DARK, (6, 3), "3/off")]
    assert [roll.player for roll in one.of(DiceRolled)] == [LIGHT, DARK, DARK]


def test_a_last_throw_of_which_nothing_can_be_played_is_recorded_when_the_board_is_set_up():
    one = watched(PASSED_ON)
    one.turn(LIGHT, (6, 1), "6/off")
    one.throw((5, 4), DARK)
    one.lift()
    one.set_up(find_rules("crazy_gulbar").opening())
    assert made(one) == [(LIGHT, (6, 1), "6/off"), (DARK, (5, 4), "(no play)")]
    assert not any(play.review for play in one.of(PlayMade))
    assert [end.winner for end in one.of(GameEnd)] == [LIGHT]
    one.check_fold()


def test_simulated_players_do_not_roll_for_a_board_that_they_have_cleared():
    start = pos("light 6:1 3:1 off:13 | dark 6:1 3:1 off:13").of(LIGHT)
    rules = replace(find_rules("crazy_gulbar", options()), start=start)
    after_leftover = 0
    for seed in range(100):
        board = SimulatedBoard(np.random.default_rng(seed), rules.opening())
        plays = play_match(board, rules).plays
        for play, following in pairwise(plays):
            finished = play.dice is None and play.after.of(play.side) == OFF
            after_leftover += finished
            assert not finished or (following.side is play.side.other and following.dice)
    assert after_leftover
