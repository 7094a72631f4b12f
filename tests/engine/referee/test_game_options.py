"""The options of a game: what they change in a match, and that its record keeps them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import (
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    PlayMade,
    Setup,
    as_json,
    find_rules,
    fold,
    from_json,
)
from engine.errors import UnknownVariant
from engine.events.clock import ClockSet
from engine.events.match import DiceRolled, OpeningRolled, Resigned
from engine.events.record import PositionSet
from engine.formats.from_events import match_from_events
from engine.formats.json_text import json_text, read_json
from engine.formats.mat.read import read_mat
from engine.formats.mat.write import mat_text
from engine.formats.sgf.read import read_sgf
from engine.formats.sgf.write import sgf_text
from engine.formats.validate.replay import replay
from engine.position import Course
from engine.referee import Referee, ReplayableMatch
from engine.ruleset import USUAL, GameOptions, NextStarter, find_rule_set
from engine.simulation.board import SimulatedBoard
from tests.refereed_board import DARK, LIGHT, Match

AT: dict[str, Any] = {"time": 1.0, "frame": 1}
LAST_TWO = (13, 1, 1, *[0] * 23)
KOKS = Setup(LAST_TWO, (0, *[0] * 23, 15, 0), Course.CIRCLING).checked()
BOTH_NEARLY = Setup(LAST_TWO, LAST_TWO, Course.CIRCLING).checked()


class Table:
    """A match of narde without a camera under these options."""

    def __init__(self, position=None, light="Light", dark="Dark", **options):
        chosen = GameOptions(**options)
        rules = find_rules("narde", chosen)
        rule_set = replace(find_rule_set("narde"), game=chosen)
        referee = Referee(rules, rule_set=rule_set, is_manual=True, light=light, dark=dark)
        self.match, self.events = ReplayableMatch(lambda _: referee), []
        self.begin(rules.opening())
        if position is not None:
            self.enter(PositionSet(**AT, position=position, to_move=LIGHT))

    @property
    def state(self):
        return self.match.state

    def enter(self, event):
        self.events += self.match.enter(event)

    def begin(self, position):
        self.enter(GameStart(**AT, position=position))

    def turn(self, dice, play):
        player, position = self.state.to_move, self.state.position
        self.enter(DiceRolled(**AT, player=player, dice=dice, by="hand"))
        self.enter(PlayMade(**AT, player=player, dice=dice, play=play, position=position))

    def first(self, dice, play):
        """Light begins: by the opening roll, or because the position was set up so."""
        if self.state.to_move is None:
            self.enter(OpeningRolled(**AT, light=6, dark=1, by="hand"))
        self.turn(dice, play)

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]


@pytest.mark.parametrize(
    ("scoring", "want"),
    [
        (None, (2, "mars")),
        ("koks3", (3, "koks")),
        ("points_by_checkers", (15, "mars")),
        ("seed000_beginner", (2, "mars")),
    ],
)
def test_the_scoring_decides_what_a_won_game_is_worth(scoring, want):
    one = Table(KOKS, scoring=scoring)
    one.first((2, 1), "2/off 1/off")
    (end,) = one.of(GameEnd)
    assert (end.points, end.result) == want


def test_with_a_last_roll_the_second_player_may_draw():
    one = Table(BOTH_NEARLY, last_roll_draw=True)
    one.first((2, 1), "2/off 1/off")
    assert one.of(GameEnd) == []
    one.turn((2, 1), "2/off 1/off")
    assert [drawn.points for drawn in one.of(GameDrawn)] == [1]
    usual = Table(BOTH_NEARLY)
    usual.first((2, 1), "2/off 1/off")
    assert [end.winner for end in usual.of(GameEnd)] == [LIGHT]


@pytest.mark.parametrize(("preset", "is_legal"), [("classic000", False), ("classic002", True)])
def test_a_second_head_checker_is_legal_where_the_house_allows_it(preset, is_legal):
    one = Table(preset=preset)
    one.first((2, 1), "24/22/21")
    one.turn((5, 5), "24/19/14 24/19/14")
    (_, play) = one.of(PlayMade)
    assert play.legal is is_legal
    assert bool(one.of(IllegalMade)) is not is_legal


@pytest.mark.parametrize(
    ("first", "opened", "is_legal"),
    [((5, 3), "24/16", True), ((2, 2), "24/22/20/18/16", True), ((6, 2), "24/16", False)],
)
def test_the_opponents_first_roll_counts_not_the_board_that_others_lead_to_as_well(
    first, opened, is_legal
):
    """A 5-5 may take two from the head after a 6-2 only; all three lead to one board."""
    one = Table(preset="classic002")
    one.first(first, opened)
    one.turn((5, 5), "24/19/14/9")
    assert one.of(PlayMade)[-1].legal is is_legal
    replayed = replay(match_from_events(one.events))
    broken = [step.rule for game in replayed.games for step in game.steps if step.rule]
    assert bool(broken) is not is_legal


@pytest.mark.parametrize("reply", ["24/19/14/9", "24/19/14 24/19/14"])
def test_nobody_is_accused_of_a_reply_that_fits_what_the_first_roll_may_have_been(reply):
    """The first die was misread, so that its play is in doubt; a 5-3 or a 6-2 leads there."""
    options = GameOptions("narde", preset="classic002")
    rules = find_rules("narde", options)
    rule_set = replace(USUAL, game=options)
    board = SimulatedBoard(np.random.default_rng(1), rules.opening())
    match = Match(Referee(rules, rule_set=rule_set, light_throws_right=True), board)
    match.rest(3)
    match.throw((5, 2), LIGHT)
    match.play(LIGHT, "24/16")
    match.lift()
    match.throw((5, 5), DARK)
    match.play(DARK, reply)
    match.lift()
    match.throw((4, 1), LIGHT)
    first, second = match.state.turns
    assert first.event.review
    assert second.event.legal


@pytest.mark.parametrize(
    ("next_starter", "starter"),
    [(None, LIGHT), (NextStarter.PREVIOUS_SECOND, DARK), (NextStarter.OPENING, None)],
)
def test_the_options_decide_who_begins_the_next_game(next_starter, starter):
    one = Table(next_starter=next_starter)
    one.first((2, 1), "24/22/21")
    one.enter(Resigned(**AT, player=DARK, points=1))
    one.begin(one.state.rules.opening())
    assert one.of(GameStart)[-1].starter is starter


def swapped():
    """A match in which light wins two points, changes seats, and wins two more as dark."""
    one = Table(swap_colors=True, light="Ann", dark="Bo")
    one.enter(ClockSet(**AT, light=100.0, dark=200.0))
    one.first((2, 1), "24/22/21")
    one.enter(Resigned(**AT, player=DARK, points=2))
    one.begin(one.state.rules.opening())
    one.turn((6, 5), "24/18/13")
    one.turn((3, 1), "24/21/20")
    one.enter(PositionSet(**AT, position=KOKS.with_colors_swapped(), to_move=DARK))
    one.turn((2, 1), "2/off 1/off")
    one.begin(one.state.rules.opening())
    return one


def test_players_who_swap_colors_take_names_score_and_clock_along():
    one = swapped()
    first, second, third = one.of(GameStart)
    assert [start.swapped for start in (first, second, third)] == [False, True, True]
    assert (second.light, second.dark, second.score) == ("Bo", "Ann", (0, 2))
    assert (third.light, third.dark, third.score) == ("Ann", "Bo", (4, 0))
    assert (second.starter, third.starter) == (DARK, LIGHT)
    state = fold(one.events)
    assert (state.light, state.score) == ("Ann", (4, 0))
    after_second = fold(one.events[: one.events.index(second) + 1])
    assert after_second.clock is not None
    assert (after_second.clock.light, after_second.clock.dark) == (200.0, 100.0)
    assert after_second.side_now(LIGHT) is DARK
    assert state.side_now(LIGHT) is LIGHT


def test_a_game_ended_late_counts_for_the_player_who_won_it():
    one = swapped()
    late = GameEnd(**AT, winner=LIGHT, points=1, result="single", game=2)
    state = fold([*one.events, late])
    assert state.score == (4, 1)  # light of the second game is dark now: Bo
    assert match_from_events([*one.events, late]).games[2].score == (4, 1)


@pytest.mark.parametrize(("write", "read"), [(mat_text, read_mat), (json_text, read_json)])
def test_a_match_file_keeps_each_player_in_a_column_though_they_swap_colors(write, read):
    one = swapped()
    match = match_from_events(one.events)
    assert match.players == ("Ann", "Bo")
    assert [game.score for game in match.games] == [(0, 0), (2, 0), (4, 0)]
    assert [game.result and game.result.winner for game in match.games] == [LIGHT, LIGHT, None]
    again = read(write(match))
    found = replay(again)
    assert found.faults == ()
    assert found.rules is one.state.rules
    assert [game.score for game in again.games] == [(0, 0), (2, 0), (4, 0)]


def recorded():
    """A match in which every option makes a difference, once it was drawn."""
    one = Table(
        BOTH_NEARLY, preset="classic002", scoring="koks3", last_roll_draw=True,
        next_starter=NextStarter.PREVIOUS_SECOND,
    )  # fmt: skip
    one.first((2, 1), "2/off 1/off")
    one.turn((2, 1), "2/off 1/off")
    return one


def test_a_record_keeps_the_options_and_is_resumed_with_them():
    one = recorded()
    events = [from_json(as_json(event)) for event in one.events]
    assert events == one.events
    state = fold(events)
    assert state.rules is one.state.rules
    assert state.rules.last_roll_draw
    assert as_json(events[0])["rule_set"]["game"] == {
        "preset": "classic002",
        "scoring": "koks3",
        "last_roll_draw": True,
        "next_starter": "previous_second",
    }


def test_a_record_without_options_has_the_rules_of_its_variant():
    one = Table()
    written = as_json(one.events[0])
    assert "game" not in written["rule_set"]
    assert fold([from_json(written)]).rules is find_rules("narde")


@pytest.mark.parametrize(("write", "read"), [(mat_text, read_mat), (json_text, read_json)])
def test_a_match_file_is_checked_with_the_options_of_its_match(write, read):
    one = recorded()
    found = replay(read(write(match_from_events(one.events))))
    assert found.rules == one.state.rules
    assert found.faults == ()
    koks = Table(KOKS, scoring="koks3")
    koks.first((2, 1), "2/off 1/off")
    text = write(match_from_events(koks.events))
    assert replay(read(text)).faults == ()
    faults = replay(read(text.replace("koks3", "koks4"))).faults
    problems = " ".join(str(fault.message) for fault in faults)
    assert "there is no scoring 'koks4': known: oin_mars, koks3" in problems


@pytest.mark.parametrize(("write", "read"), [(mat_text, read_mat), (json_text, read_json)])
def test_a_drawn_game_is_read_back_as_drawn(write, read):
    one = recorded()
    one.begin(one.state.rules.opening())
    match = match_from_events(one.events)
    assert [game.result and game.result.winner for game in match.games] == [None, None]
    assert match.games[1].score == (1, 1)
    text = write(match)
    again = read(text)
    assert again.games[0].result is not None
    assert (again.games[0].result.winner, again.games[0].result.points) == (None, 1)
    found = replay(again)
    assert (found.games[0].how, found.faults) == ("draw", ())


SHORT_OPTIONS = GameOptions(last_roll_draw=True, next_starter=NextStarter.WINNER)
LAST_CHECKER = (14, 1, *[0] * 24)


def drawn_short():
    """A game of short backgammon, which SGF can hold, drawn by the last roll."""
    rules = find_rules("short", SHORT_OPTIONS)
    rule_set = replace(find_rule_set("seeds"), game=SHORT_OPTIONS)
    one = Table.__new__(Table)
    referee = Referee(rules, rule_set=rule_set, is_manual=True)
    one.match, one.events = ReplayableMatch(lambda _: referee), []
    one.begin(rules.opening())
    one.enter(
        PositionSet(**AT, position=Setup(LAST_CHECKER, LAST_CHECKER).checked(), to_move=LIGHT)
    )
    one.turn((2, 1), "1/off")
    one.turn((2, 1), "1/off")
    return one


def test_sgf_keeps_the_options_and_a_drawn_game():
    one = drawn_short()
    assert [drawn.points for drawn in one.of(GameDrawn)] == [1]
    text = sgf_text(match_from_events(one.events))
    assert "RE[Draw]" in text
    assert "XO[LastRollDraw:On][NextStarter:winner]" in text
    again = read_sgf(text)
    found = replay(again)
    assert found.rules is one.state.rules
    assert (found.games[0].how, found.faults) == ("draw", ())
    assert sgf_text(again) == text


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('; [Drawn "g1 1"]', "", "rest"),
        ('LastRollDraw "On"', 'LastRollDraw "Off"', "recorded as drawn"),
    ],
)
def test_a_file_that_says_otherwise_than_its_board_is_faulted(old, new, problem):
    text = mat_text(match_from_events(recorded().events))
    assert old in text
    found = replay(read_mat(text.replace(old, new)))
    if problem == "rest":
        assert found.games[0].how == ""
    else:
        assert problem in " ".join(str(fault.message) for fault in found.faults)


def test_a_winner_of_a_drawn_game_is_a_fault():
    text = json_text(match_from_events(recorded().events))
    won = text.replace('"winner": null', '"winner": "dark"')
    (fault,) = replay(read_json(won)).faults
    assert str(fault.message) == "dark is recorded as the winner, but the game was drawn"


def test_an_option_that_the_variant_lacks_is_refused():
    with pytest.raises(UnknownVariant, match="there is no preset 'classic002': fevga has none"):
        find_rules("fevga", GameOptions(preset="classic002"))
