"""Whole histories: a later position resolves an earlier doubt, and lost turns are recovered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.events.match import Doubled, Event, GameStart, PlayMade
from engine.events.record import Confirmed, Corrected, PositionFound
from engine.match.amendments import effective_events
from engine.match.fold import fold
from engine.play import Play
from engine.position import Side
from engine.referee import HistorySearch, Referee
from engine.rules import SHORT
from engine.rules.legal import apply_play
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, play_match
from engine.simulation.reader_errors import ReaderNoise
from engine.simulation.score import score_match
from engine.simulation.trial import USUAL_CONDITIONS, referee_match
from tests.observed_game import ARM, OPENING, ObservedGame


@pytest.fixture
def room() -> ObservedGame:
    begun = ObservedGame(HistorySearch(Referee(SHORT, light_throws_right=True)))
    begun.observe(OPENING)
    return begun


@pytest.mark.parametrize(
    "play",
    [
        "13/7 8/7",
        pytest.param("13/7 6/5", marks=pytest.mark.slow),
        pytest.param("13/6", marks=pytest.mark.slow),
    ],
)
def test_what_is_seen_later_settles_a_play_that_was_half_hidden(room, play):
    after = room.turn(OPENING, play, (6, 1), Side.LIGHT, hidden=ARM)
    after = room.turn(after, "13/11 6/5", (2, 1), Side.DARK, hidden=ARM)
    doubted = room.plays[0].review
    after = room.turn(after, "24/22 24/23", (2, 1), Side.LIGHT)
    room.turn(after, "24/23 13/9", (4, 1), Side.DARK)
    recorded = [(one.player, one.play, one.review) for one in room.plays]
    assert doubted, "nobody could know"
    assert recorded[0] == (Side.LIGHT, str(Play.parse(play)), False)
    assert [player for player, _, _ in recorded] == [Side.LIGHT, Side.DARK] * 2
    assert fold(room.events) == room.judge.state


def test_what_settles_a_play_settles_a_die_that_only_the_play_shows(room):
    seven_and_eight = (6, 7)
    after = room.turn(OPENING, "13/7 8/7", (1,), Side.LIGHT, hidden=seven_and_eight)
    after = room.turn(after, "13/11 6/5", (2, 1), Side.DARK, hidden=seven_and_eight)
    doubts = room.plays[0].uncertainties
    after = room.turn(after, "24/22 24/23", (2, 1), Side.LIGHT)
    room.turn(after, "24/23 13/9", (4, 1), Side.DARK)
    first = room.plays[0]
    assert doubts == ("play", "inferred")
    assert (first.play, first.dice, first.uncertainties) == ("13/7 8/7", (6, 1), ("inferred",))
    assert not first.review


def test_a_wrong_record_is_corrected_by_its_later_events(room):
    after = room.turn(OPENING, "13/7 6/5", (6, 1), Side.LIGHT, hidden=ARM)
    after = room.turn(after, "13/11 6/5", (2, 1), Side.DARK, hidden=ARM)
    room.turn(after, "24/22 24/23", (2, 1), Side.LIGHT)
    mended = [one for one in room.events if isinstance(one, Corrected | Confirmed)]
    assert mended
    assert not any(isinstance(one, Corrected | Confirmed) for one in effective_events(room.events))


def test_two_unseen_turns_are_found_between_those_that_were_seen(room):
    before = room.turn(OPENING, "13/11 13/10", (3, 2), Side.DARK)
    first = apply_play(before, Side.LIGHT, Play.parse("13/7 8/7"), SHORT)
    second = apply_play(first, Side.DARK, Play.parse("24/15"), SHORT)
    after = room.turn(second, "24/20 13/11", (4, 2), Side.LIGHT)
    room.turn(after, "6/5 6/4", (2, 1), Side.DARK)
    found = room.plays[1:4]
    assert [(one.player, one.play) for one in found] == [
        (Side.LIGHT, "13/7 8/7"),
        (Side.DARK, "24/15"),
        (Side.LIGHT, "24/20 13/11"),
    ]
    assert all(one.legal and "record" in one.uncertainties and one.review for one in found)
    assert found[0].dice == (6, 1)


LOST = ("13/11 13/10", "24/20", "6/2", "13/9", "24/22")
"""Plays of dark and light in turn."""


@pytest.mark.parametrize("lost", [3, 4, 5])
def test_after_many_lost_turns_the_game_goes_on_from_the_position_on_the_board(room, lost):
    after = room.turn(OPENING, "13/7 8/7", (6, 1), Side.LIGHT)
    side = Side.DARK
    for play in LOST[:lost]:
        after, side = apply_play(after, side, Play.parse(play), SHORT), side.other
    stood = after
    for play, roll in (("8/4", (3, 1)), ("6/4 8/7", (2, 1)), ("13/9", (3, 1))):
        after, side = room.turn(after, play, roll, side), side.other
    (found,) = (one for one in effective_events(room.events) if isinstance(one, PositionFound))
    assert found.position == stood
    assert room.judge.state.position == after
    first, *others = room.plays[-3:]
    assert "record" in first.uncertainties, "somebody should look at it"
    assert not any(one.uncertainties for one in others)
    assert fold(room.events) == room.judge.state


def test_a_manual_entry_holds_in_every_history(room):
    room.turn(OPENING, "13/7 6/5", (6, 1), Side.LIGHT)
    entered = Doubled(time=room.clock, frame=0, player=Side.DARK, value=2)
    room.events += room.judge.enter(entered)
    assert room.judge.state.cube.offer is not None
    assert fold(room.events) == room.judge.state


HARD = USUAL_CONDITIONS.with_settings(
    [("hasty", 0.2), ("missed_throws", 0.02), ("hidden", 0.03), ("bumps", 0.02), ("sight", 0.02)]
)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_the_record_with_its_corrections_gives_the_state(seed):
    habits = replace(HARD.habits, lost_pairs=0.03)
    table = SimulatedBoard(np.random.default_rng(seed), OPENING, HARD.noise)
    truth = play_match(table, SHORT, games=1, turns=30, habits=habits)
    events: list[Event] = []
    search, _ = referee_match(table, events.extend)
    assert fold(events) == search.state
    effective = effective_events(events)
    assert isinstance(effective[0], GameStart)
    assert [one for one in effective if isinstance(one, PlayMade)] == [
        turn.event for turn in search.state.turns
    ]
    assert len(truth.plays) == 30


@pytest.mark.slow
def test_turns_hidden_behind_a_back_are_found_again():
    habits = PlayerHabits(lost_pairs=0.04)
    right = turns = lost = 0
    for seed in range(4):
        table = SimulatedBoard(np.random.default_rng(seed), OPENING, ReaderNoise(sight=0.005))
        truth = play_match(table, SHORT, games=1, turns=24, habits=habits)
        search, _ = referee_match(table)
        score, _ = score_match(truth, search.state)
        right, turns = right + score.right, turns + score.turns
        lost += sum(not one.was_seen for one in truth.plays)
    assert lost >= 4
    assert right >= turns - lost / 4


def test_a_clear_game_costs_one_history():
    table = SimulatedBoard(np.random.default_rng(7), OPENING)
    play_match(table, SHORT, games=1, turns=20)
    search = HistorySearch(Referee(SHORT, light_throws_right=True))
    most = 0
    for seen in table.seen:
        search.observe(seen)
        most = max(most, search.history_count)
    assert most == 1


def test_a_turn_that_goes_on_is_not_weighed_as_if_its_throw_were_void():
    """Else a history that has recorded a turn seems less likely than one that has not yet."""
    referee = Referee(SHORT, light_throws_right=True)
    game = ObservedGame(referee)
    game.observe(OPENING)
    after = game.turn(OPENING, "8/5 6/5", (3, 1), Side.LIGHT)
    game.observe(after, (6, 4), Side.DARK)
    assert referee.open_turn_weight > np.log(0.25)
