"""Matches of every variant, played by calls."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import engine
from engine import Course, EngineError, Game, NotNow, Position, Roll, Side, fold
from engine.errors import IllegalPlay, InvalidRoll
from engine.events.match import Beavered, Doubled, GameEnd, PlayMade, Raccooned
from engine.formats.from_events import match_from_events
from engine.formats.ids.xgid import xgid
from engine.formats.json_text import json_text, read_json
from engine.formats.mat.write import mat_text
from engine.formats.validate.replay import replay
from engine.rules import SHORT, VARIANTS
from engine.ruleset import USUAL
from tests.paths import ROOT


def play_out(game: Game, rng: np.random.Generator, most: int = 2000) -> Game:
    """Play at random to the end of the game; doubles that rise are played kush by kush."""
    for _ in range(most):
        if game.result is not None:
            return game
        if game.dice is None and not game.leftover:
            game.roll(rng=rng)
        if game.dice is not None or game.leftover:
            rises = game.rules.doubles.rising
            plays = game.legal_kushes() if rises else game.legal_plays()
            (game.push_kush if rises else game.push)(plays[int(rng.integers(len(plays)))])
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_random_games_end_as_the_rules_say_and_are_found_without_fault(variant):
    rng = np.random.default_rng(7)
    game = Game(variant)
    for number in range(2):
        if number:
            game.next_game()
        play_out(game, rng)
        end = game.rules.outcome(game.position)
        assert game.result is not None
        assert end is not None
        assert (game.result.winner, game.result.points) == (end.winner, end.points)
    finished = [event for event in game.events if isinstance(event, GameEnd)]
    assert sum(game.score) == sum(event.points for event in finished)
    assert fold(game.events) == game.state
    assert replay(read_json(json_text(match_from_events(game.events)))).faults == ()


@pytest.mark.parametrize("variant", ["short", "gulbar", "khachapuri"])
def test_taking_back_every_call_leads_through_the_same_states(variant):
    game = Game(variant)
    states = [game.state]
    rng = np.random.default_rng(3)
    for _ in range(40):
        if game.dice is None and not game.leftover:
            game.roll(rng=rng)
        else:
            game.push(game.legal_plays()[0])
        states.append(game.state)
    while len(states) > 1:
        assert game.state == states.pop()
        before = len(game.events)
        while len(game.events) == before or game.state != states[-1]:
            game.pop()
    with pytest.raises(NotNow, match="nothing to take back"):
        game.pop()


def test_what_is_illegal_raises_and_changes_nothing():
    game = Game()
    for call in (
        lambda: game.push("8/5 6/5"),
        game.legal_plays,
        game.double,
        game.take,
        game.drop,
        game.beaver,
        game.next_game,
        lambda: game.roll("7"),
        lambda: game.roll("07"),
        lambda: game.roll(Roll(3, 1)),
        lambda: game.resign(Side.LIGHT, 0),
    ):
        events = game.events
        with pytest.raises(EngineError):
            call()
        assert game.events == events
    assert game.roll("31") == Roll(3, 1)
    with pytest.raises(IllegalPlay, match="6/4 uses a 2"):
        game.push("8/5 6/4")
    with pytest.raises(EngineError):
        game.roll("31")
    made = game.push("6/5 8/5")
    assert isinstance(made, PlayMade)
    assert (made.play, made.dice) == ("8/5 6/5", (3, 1))
    assert game.to_move is Side.DARK


def test_a_tie_is_rolled_again_and_narde_begins_with_a_roll_of_its_own():
    game = Game()
    assert game.roll("44") is None
    assert game.awaits_opening_roll
    assert game.roll("12") == Roll(2, 1)
    assert game.to_move is Side.DARK

    narde = Game("narde")
    assert narde.roll("61") is None
    assert (narde.to_move, narde.awaits_opening_roll) == (Side.LIGHT, False)
    assert narde.roll("61") == Roll(6, 1)


def test_a_roll_without_a_move_is_passed_at_once():
    closed = Position.parse("light bar:1 6:14 | dark 6:2 5:2 4:2 3:2 2:2 1:2 12:3")
    game = Game(position=closed, to_move=Side.LIGHT)
    assert game.roll("64") is None
    assert game.to_move is Side.DARK
    assert game.turns[-1].event.play == "(no play)"


def test_a_gulbar_double_passes_its_rest_and_rolls_again():
    rng = np.random.default_rng(1)
    passed = again = 0
    for _ in range(12):
        game = Game("gulbar")
        while game.result is None and passed * again == 0:
            if game.leftover:
                passed += 1
                assert game.to_move is not game.turns[-1].event.player
                with pytest.raises(NotNow, match="left over"):
                    game.roll("21")
            again += game.rolls_again
            if game.dice is None and not game.leftover:
                game.roll(rng=rng)
            else:
                game.push(game.legal_plays()[-1])
    assert passed
    assert again


def test_a_match_with_the_cube():
    game = Game(length=3, light="Ann", dark="Bob")
    game.roll("31")
    game.push("8/5 6/5")
    game.double()
    assert "Ann" in str(game)
    game.take()
    assert game.state.cube.value == 2
    game.roll("21")
    game.push("13/11 6/5")
    game.resign(Side.DARK, 2)
    assert (game.score, game.is_over) == ((2, 0), False)
    game.next_game()
    assert game.state.is_crawford
    game.roll("13")
    game.push("8/5 6/5")
    with pytest.raises(EngineError, match="Crawford"):
        game.double()


def test_a_beaver_and_a_raccoon():
    cube = replace(USUAL.cube, beavers=True, raccoons=True)
    game = Game(rule_set=replace(USUAL, cube=cube))
    game.roll("31")
    game.push("8/5 6/5")
    game.double()
    game.beaver()
    game.beaver()
    assert [type(event) for event in game.events[-3:]] == [Doubled, Beavered, Raccooned]
    game.take()
    assert game.state.cube.value == 8
    assert game.to_move is Side.DARK


def test_a_beaver_needs_a_rule_that_allows_it():
    game = Game()
    game.roll("31")
    game.push("8/5 6/5")
    game.double()
    with pytest.raises(EngineError):
        game.beaver()


def test_the_board_is_shown_as_text():
    assert str(Game()).splitlines()[:13] == [
        "+-13-14-15-16-17-18-+---+-19-20-21-22-23-24-+",
        "|  O           X    |   |  X              O |",
        "|  O           X    |   |  X              O |",
        "|  O           X    |   |  X                |",
        "|  O                |   |  X                |",
        "|  O                |   |  X                |",
        "|                   |BAR|                   |",
        "|  X                |   |  O                |",
        "|  X                |   |  O                |",
        "|  X           O    |   |  O                |",
        "|  X           O    |   |  O              X |",
        "|  X           O    |   |  O              X |",
        "+-12-11-10--9--8--7-+---+--6--5--4--3--2--1-+",
    ]
    assert Game().position == SHORT.opening()
    narde = str(Game("narde"))
    assert " 15 " in narde


@pytest.mark.parametrize("text", ["", "3", "3 7", "333", "3--1", "three", None])
def test_a_text_that_is_no_roll_is_refused(text):
    with pytest.raises(InvalidRoll, match="two dice, such as 31"):
        Roll.parse(text)


@pytest.mark.parametrize("text", ["31", "13", "3-1", "1 3", " 31 "])
def test_a_roll_is_read(text):
    assert Roll.parse(text) == Roll(3, 1)


def test_random_rolls_are_fair_and_repeatable():
    rolls = [Roll.random(np.random.default_rng(n)) for n in range(2000)]
    assert rolls == [Roll.random(np.random.default_rng(n)) for n in range(2000)]
    assert 0.13 < np.mean([roll.is_double for roll in rolls]) < 0.21


def test_the_library_loads_numpy_alone_until_dice_are_rolled():
    heavy = "{'numba', 'scipy', 'cv2', 'engine.formats'} & set(sys.modules)"
    code = f"import sys, engine; g = engine.Game(); assert not {heavy}, {heavy}"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


NARDE_TEXT = "light 20:1 24:14 | dark 19:1 24:14"
HYPER = "light 24:3 off:12 | dark 24:3 off:12"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"variant": "narde", "position": Position.parse(NARDE_TEXT)}, "parse.text, Course.CIRC"),
        ({"position": Position.parse(NARDE_TEXT, Course.CIRCLING)}, "parse.text, Course.OPPOSED"),
        ({"variant": "hypergammon", "position": SHORT.opening()}, "is played with 3"),
        ({"position": Position.parse("light off:15 | dark off:15")}, "both sides have borne off"),
        ({"position": Position.parse("light off:15 | dark 1:15")}, "light has borne off all"),
        ({"position": Position((1,) * 26, (1,) * 26)}, "26 checkers, not 15"),
        ({"position": "light 6:15 | dark 6:15"}, r"is made by Position\.parse"),
        ({"to_move": "light"}, "to_move must be Side.LIGHT or Side.DARK, not 'light'"),
        ({"position": Position.parse("light 6:15 | dark 6:15"), "to_move": None}, "give to_move"),
        ({"length": 200_000}, "a match has 1 to 99 points"),
        ({"length": -1}, "a match has 1 to 99 points"),
        ({"length": "7"}, "a match has 1 to 99 points, or 0 for money play, not '7'"),
        ({"length": True}, "a match has 1 to 99 points"),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_one_line(given, said):
    with pytest.raises(EngineError, match=said) as caught:
        Game(**{"to_move": Side.LIGHT, **given})
    assert "\n" not in str(caught.value)


def test_a_match_is_read_by_its_path_and_its_name_is_no_text(tmp_path):
    game = Game(length=3)
    game.roll("31")
    game.push("8/5 6/5")
    assert list(game) == list(game.turns)
    path = tmp_path / "one.mat"
    path.write_text(mat_text(match_from_events(game.events)))
    assert engine.read_match(path).length == 3
    with pytest.raises(EngineError, match=r"give pathlib\.Path") as caught:
        engine.read_match(str(path))
    assert "\n" not in str(caught.value)
    assert engine.xgid(game.position) == xgid(game.position)
    with pytest.raises(AttributeError, match="no attribute 'read_game'"):
        vars(engine)["__getattr__"]("read_game")


def test_a_game_of_any_variant_goes_on_from_a_position_of_its_course():
    position = Position.parse(NARDE_TEXT, Course.CIRCLING)
    game = Game("narde", position=position, to_move=Side.LIGHT)
    assert game.roll("21") == Roll(2, 1)
    assert Game(position=SHORT.opening()).awaits_opening_roll
    hyper = Game("hypergammon", position=Position.parse(HYPER), to_move=Side.DARK)
    assert hyper.roll((1, 3)) == Roll(3, 1)


def test_dice_are_taken_in_every_form_and_refused_in_one():
    game = Game()
    assert game.roll((3, 1)) == Roll(3, 1)
    game.push("8/5 6/5")
    wrongs: tuple[Any, ...] = (31, (3,), (3, 7), (3, "1"), object())
    for wrong in wrongs:
        with pytest.raises(InvalidRoll):
            game.roll(wrong)
    assert game.roll((6, 4)) == Roll(6, 4)
    forms: tuple[Any, ...] = (Roll(6, 4), "64", (6, 4))
    assert len({xgid(game.position, Side.DARK, dice) for dice in forms}) == 1
    with pytest.raises(EngineError, match="on_roll must be"):
        xgid(game.position, cast("Side", "light"))
    with pytest.raises(EngineError, match="are whole numbers"):
        xgid(game.position, length=cast("int", "7"))


@pytest.mark.parametrize(("variant", "most"), [("short", 3), ("narde", 15)])
def test_a_resignation_costs_no_more_than_a_game_can(variant, most):
    game = Game(variant)
    game.roll("31")
    wrong: tuple[Any, ...] = (("light", 1), (Side.LIGHT, most + 1), (Side.LIGHT, 1.5))
    for player, points in wrong:
        with pytest.raises(EngineError):
            game.resign(player, points)
    game.resign(Side.LIGHT, most)
    assert game.score == (0, most)
