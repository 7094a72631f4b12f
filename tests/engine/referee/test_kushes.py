"""Doubles that rise, and moves left over, played kush by kush."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine import Game, NotNow, Position, Roll, Side, fold
from engine.errors import IllegalPlay, TooManyPlays
from engine.events.match import PlayMade
from engine.formats.from_events import match_from_events
from engine.formats.json_text import json_text, read_json
from engine.formats.validate.replay import replay
from engine.match.leftover import outcome_of_play
from engine.rules import find_rules
from engine.rules.kush_turn import KushTurn, begin_leftover, begin_roll
from engine.rules.legal import (
    find_leftover_play,
    find_play,
    leftover_plays,
    legal_plays,
    list_few_plays,
)
from tests.engine.referee.test_chains import RISING, WIDE
from tests.engine.rules.test_narde import pos

LIGHT = Side.LIGHT


def play_by_kushes(game: Game, rng: np.random.Generator) -> None:
    """Play a game at random, and look up each turn in the engine's own way."""
    while game.result is None:
        if game.dice is None and not game.leftover:
            game.roll(rng=rng)
            continue
        before, side = game.position, game.to_move
        assert side is not None
        roll, leftover, rules = game.dice, game.leftover, game.state.rules
        made = None
        while made is None:
            kushes = game.legal_kushes()
            assert not kushes.is_pass
            made = game.push_kush(kushes[int(rng.integers(len(kushes)))])
        if roll is None:
            found = find_leftover_play(before, side, leftover, made.position, rules)
        else:
            found = find_play(before, side, roll, made.position, rules)
        assert found is not None
        assert found.position == made.position
        assert (made.legal, made.review) == (True, False)
        if game.result is None and roll is not None:
            dice = roll.high, roll.low
            after = outcome_of_play(before, side, dice, made.position, rules)
            assert game.leftover == after.leftover


@pytest.mark.parametrize("variant", RISING)
def test_a_whole_game_is_played_kush_by_kush(variant):
    game = Game(variant)
    play_by_kushes(game, np.random.default_rng(11))
    assert any(len(set(turn.event.dice or (1, 2))) == 1 for turn in game)
    assert fold(game.events) == game.state
    assert replay(read_json(json_text(match_from_events(game.events)))).faults == ()


@pytest.mark.slow
@pytest.mark.parametrize("variant", RISING)
def test_a_hundred_games_are_played_kush_by_kush(variant):
    for seed in range(100):
        play_by_kushes(Game(variant), np.random.default_rng(seed))


def ends(turn: KushTurn) -> set[Position]:
    """Every position in which the turn can end."""
    if turn.is_over:
        return {turn.position}
    return set().union(*(ends(turn.after(index)) for index in range(len(turn.plays))))


@pytest.mark.parametrize("variant", [*RISING, "short", "gulbar"])
def test_kush_by_kush_leads_to_every_legal_result_and_no_other(variant):
    rules, chance, compared = find_rules(variant), random.Random(2), 0
    while compared < 6:
        points = chance.sample(range(1, 25), 3)
        own = tuple(sum(points[n % 3] == place for n in range(4)) for place in range(26))
        before = rules.opening().with_sides(LIGHT, (11, *own[1:]), rules.opening().dark)
        if any(before.dark[rules.course.across(point)] for point in points):
            continue
        number = chance.randint(3, 6)
        roll = Roll(number, number)
        listed = list_few_plays(before, LIGHT, roll, rules)
        if listed is not None and len(listed) < 300:
            found = ends(begin_roll(before, LIGHT, roll, rules))
            assert found == {one.position for one in listed}
            compared += 1


def test_what_was_left_over_is_moved_kush_by_kush_past_those_that_cannot_be_moved():
    rules = find_rules("crazy_gulbar")
    before = pos("light 6:2 5:1 3:1 off:11 | dark 24:15")
    for numbers in ((2, 4, 4, 4, 4, 5), (1, 6), (4, 4)):
        found = ends(begin_leftover(before, LIGHT, numbers, rules))
        assert found == {one.position for one in leftover_plays(before, LIGHT, numbers, rules)}


@pytest.fixture(params=RISING)
def wide(request):
    game = Game(request.param, position=WIDE, to_move=LIGHT)
    game.roll((1, 1))
    return game


def test_a_double_with_too_many_results_to_list_is_played_and_taken_back_kush_by_kush(wide):
    with pytest.raises(TooManyPlays, match="legal_kushes"):
        wide.legal_plays()
    boards, made = [wide.position], None
    while made is None:
        number = len(boards)
        kush = wide.legal_kushes()[-1]
        assert all(move.source - move.target == number for move in kush.play.moves)
        made = wide.push_kush(str(kush.play))
        assert wide.position == kush.position
        assert wide.dice == (Roll(1, 1) if made is None else None)
        boards.append(wide.position)
    assert isinstance(made, PlayMade)
    assert (made.position, wide.to_move) == (boards.pop(), Side.DARK)
    while boards:
        wide.pop()
        assert (wide.position, wide.to_move) == (boards.pop(), LIGHT)
    assert wide.state.position == WIDE
    assert wide.dice == Roll(1, 1)


def test_no_other_call_is_taken_between_two_kushes(wide):
    wide.push_kush(wide.legal_kushes()[0])
    begun = wide.position
    for call in (wide.legal_plays, lambda: wide.push("24/23"), wide.roll, wide.double):
        with pytest.raises(NotNow):
            call()
        assert wide.position == begun
    assert str(wide) != str(Game(wide.rules.name, position=WIDE, to_move=LIGHT))
    wide.resign(LIGHT, 1)
    assert wide.score == (0, 1)
    wide.pop()
    assert wide.position == begun


def test_what_is_no_kush_is_refused_and_changes_nothing(wide):
    for wrong, said in (
        ("24/23", "24/23 is not this kush: play as many of 1, 1, 1, 1 as possible"),
        ("24/22 24/23", "24/23 24/22 is not this kush"),
        ("19/18(4)", "there is no checker on the 19 point"),
    ):
        with pytest.raises(IllegalPlay, match=said):
            wide.push_kush(wrong)
        assert wide.position == WIDE


def test_any_other_roll_is_one_kush():
    game = Game()
    game.roll("31")
    wanted = legal_plays(game.position, LIGHT, Roll(3, 1), game.rules)
    assert list(game.legal_kushes()) == list(wanted)
    with pytest.raises(IllegalPlay, match="6/4 uses a 2"):
        game.push_kush("8/5 6/4")
    made = game.push_kush("8/5 6/5")
    assert made is not None
    assert made.play == "8/5 6/5"
