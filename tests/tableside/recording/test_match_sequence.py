"""Matches at one board: players renamed, a match ended, another started, all of it recorded."""

from __future__ import annotations

import gc
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import (
    USUAL,
    GameStart,
    MatchClosed,
    NotNow,
    PlayersNamed,
    Roll,
    Side,
    find_rules,
)
from engine.cube import CubeRules
from engine.errors import EngineError
from engine.events.record import MatchNoted
from engine.rules import SHORT
from engine.ruleset import GameOptions, NextStarter
from engine.simulation.board import SimulatedBoard
from tableside.match.config import MatchConfig, RecordingConfig
from tableside.record.open_matches import OpenMatches
from tableside.record.recorder import WriterLock
from tableside.record.store import Store
from tableside.recording.job import MatchOutputs
from tableside.recording.live_match import LiveMatch
from tableside.recording.match_sequence import find_resume_point, record
from tableside.recording.preview import PreviewEncoder
from tableside.review.edits import end_match
from tableside.site.state_hub import StateHub
from tests.refereed_board import looks
from tests.tableside.running_match import (
    OPENING,
    PATIENCE,
    SimulatedSource,
    after,
    simulated_vision,
)
from tests.tableside.sample_record import finished, match_events, record_match
from webui.contracts.archive import Unavailable
from webui.contracts.desk import DeskCommand, NamesEntered, NextMatch, ResumeMatch
from webui.contracts.setup import ChosenOptions
from webui.http.metrics import Metrics

CONFIG = RecordingConfig(MatchConfig(SHORT, light="Ann", dark="Bob"), camera="simulated")


class ObservedGame:
    """Where the matches are recorded: a `JobContext`."""

    def __init__(self, folder, config=CONFIG):
        self.source: Any = self.make_source()
        self.claim = WriterLock(folder / "record.sqlite")
        self.store = Store.open(folder / "record.sqlite")
        self.table = StateHub()
        self.outputs = MatchOutputs(self.table, PreviewEncoder(), Metrics())
        self.stopping, self.commands = threading.Event(), None
        options = {"vision": simulated_vision(self.source), "pace": lambda source, _first: source}
        work = (config, self.source, self)
        self.thread = threading.Thread(target=record, args=work, kwargs=options)
        self.thread.start()

    def make_source(self):
        return SimulatedSource()

    @contextmanager
    def attached(self, match, commands):
        self.commands = commands
        yield

    def execute(self, command):
        response = Future()
        self.commands.submit(command, response)
        response.result(PATIENCE)

    def show(self, board):
        for look in looks(board):
            self.source.put(*look)

    def until(self, condition):
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until, "it did not happen"
            time.sleep(0.01)

    def close(self):
        self.stopping.set()
        self.source.close()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        self.store.close()
        self.claim.release()


def played(room):
    """Play a first turn."""
    board = SimulatedBoard(np.random.default_rng(1), OPENING)
    board.rest(3)
    board.throw(Roll(6, 1), Side.LIGHT)
    board.play(after(OPENING, Side.LIGHT, "13/7 8/7"))
    board.lift()
    room.show(board)
    room.until(lambda: room.table.state()["last_play"])


@pytest.fixture
def room(tmp_path):
    room = ObservedGame(tmp_path)
    played(room)
    yield room
    room.close()


def of_type(events, kind):
    return [one for one in events if isinstance(one, kind)]


def test_players_who_are_renamed_are_so_in_the_record_and_in_its_files(room, tmp_path):
    room.execute(NamesEntered("Anna", "Bert"))
    assert room.table.state()["players"] == {"light": "Anna", "dark": "Bert"}
    (named,) = of_type(room.store.events(1), PlayersNamed)
    assert (named.light, named.dark) == ("Anna", "Bert")
    room.execute(DeskCommand.END_MATCH)
    assert "Anna : 0" in (tmp_path / "match-1" / "match.mat").read_text("utf-8")


def test_a_match_is_forgotten_once_the_next_one_runs(room, tmp_path):
    def in_memory():
        every = (one for one in gc.get_objects() if isinstance(one, LiveMatch))
        return [one._recorder.match for one in every if one._recorder.path.parent == tmp_path]

    assert in_memory() == [1]
    room.execute(DeskCommand.END_MATCH)
    room.execute(NextMatch("Ann", "Bob", 0, "short", ""))
    room.until(lambda: in_memory() == [2])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_the_files_of_a_match_can_be_opened_by_nobody_else(room, tmp_path):
    room.execute(DeskCommand.END_MATCH)
    (folder,) = tmp_path.glob("match-*")
    assert not [path for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]


def test_a_match_that_is_ended_is_closed_and_takes_no_more_commands(room):
    room.execute(DeskCommand.END_MATCH)
    (closed,) = of_type(room.store.events(1), MatchClosed)
    assert closed.score == (0, 0)
    assert not room.store.match(1).is_open
    assert room.table.state()["phase"] == "ended"
    for command in (
        DeskCommand.END_MATCH,
        DeskCommand.PAUSE,
        DeskCommand.DOUBLE,
        NamesEntered("A", "B"),
    ):
        with pytest.raises(NotNow, match="the match is over"):
            room.execute(command)


@pytest.mark.parametrize("variant", ["short", "nackgammon"])
def test_another_match_begins_at_the_same_board(room, variant):
    room.execute(DeskCommand.END_MATCH)
    before = room.commands
    room.execute(NextMatch("Cleo", "Dan", 5, variant, "wbgf"))
    assert room.commands is not before
    entry = room.store.match(2)
    assert (entry.light, entry.dark, entry.length, entry.variant) == ("Cleo", "Dan", 5, variant)
    board = SimulatedBoard(np.random.default_rng(2), find_rules(variant).opening())
    board.rest(3)
    room.show(board)
    room.until(lambda: of_type(room.store.events(2), GameStart))
    (start,) = of_type(room.store.events(2), GameStart)
    assert (start.light, start.length, start.rule_set.name) == ("Cleo", 5, "wbgf")
    assert room.table.state()["players"]["light"] == "Cleo"


def test_another_match_has_the_options_that_were_chosen_for_it(room):
    room.execute(DeskCommand.END_MATCH)
    chosen: ChosenOptions = {"preset": "classic002", "next_starter": "previous_second"}
    with pytest.raises(EngineError, match="there is no preset 'classic002': fevga has none"):
        room.execute(NextMatch("Cleo", "Dan", 5, "fevga", "narde", chosen))
    assert len(room.store.matches()) == 1
    room.execute(NextMatch("Cleo", "Dan", 5, "narde", "narde", chosen))
    board = SimulatedBoard(np.random.default_rng(2), find_rules("narde").opening())
    board.rest(3)
    room.show(board)
    room.until(lambda: of_type(room.store.events(2), GameStart))
    (start,) = of_type(room.store.events(2), GameStart)
    game = GameOptions(preset="classic002", next_starter=NextStarter.PREVIOUS_SECOND)
    assert (start.rule_set.name, start.rule_set.game) == ("narde", game)


def test_another_match_has_the_cube_that_was_chosen_for_it(room):
    room.execute(DeskCommand.END_MATCH)
    chosen: ChosenOptions = {"jacoby": True, "automatic_doubles": 2, "crawford": True}
    room.execute(NextMatch("Cleo", "Dan", 0, "short", "wbgf", chosen))
    board = SimulatedBoard(np.random.default_rng(2), SHORT.opening())
    board.rest(3)
    room.show(board)
    room.until(lambda: of_type(room.store.events(2), GameStart))
    (start,) = of_type(room.store.events(2), GameStart)
    assert start.rule_set.cube == CubeRules(jacoby=True, automatic_doubles=2)


@pytest.mark.parametrize("rules", ["/etc/passwd", "no such rules"])
def test_a_match_by_rules_that_are_not_known_is_refused(room, rules):
    room.execute(DeskCommand.END_MATCH)
    with pytest.raises(EngineError, match="there is no rule set"):
        room.execute(NextMatch("Cleo", "Dan", 5, "short", rules))
    assert len(room.store.matches()) == 1


def test_a_match_whose_players_were_renamed_is_resumed_under_either_name(room):
    room.execute(NamesEntered("Anna", "Bert"))
    for light, dark in (("Ann", "Bob"), ("Anna", "Bert")):
        config = replace(CONFIG.match, light=light, dark=dark)
        assert find_resume_point(room.store, config, "simulated", resumes=True).match == 1
    config = replace(CONFIG.match, light="Cleo")
    assert find_resume_point(room.store, config, "simulated", resumes=True).match == 2


def test_any_unfinished_match_is_resumed_however_many_began_after_it(tmp_path):
    def resumed(light):
        config = replace(CONFIG.match, light=light)
        return find_resume_point(store, config, "", resumes=True).match

    with Store.open(tmp_path / "record.sqlite") as store:
        for light in ("Ann", "Light", "Cleo", "Cleo"):
            store.new_match(light=light, dark="Bob")
        assert [resumed("Ann"), resumed("Light"), resumed("Cleo"), resumed("Zoë")] == [1, 2, 4, 5]
        store.close_match(1)
        assert resumed("Ann") == 6


def test_an_unfinished_match_goes_on_at_the_desk_and_is_nobody_elses_to_end(room):
    record_match(room.store, match_events(light="Zoe"))
    with pytest.raises(NotNow, match="end it first"):
        room.execute(ResumeMatch(2))
    room.execute(DeskCommand.END_MATCH)
    with pytest.raises(NotNow, match="a video shows no other match"):
        room.execute(ResumeMatch(2))
    room.source.is_live = True
    for over in (1, 9):
        with pytest.raises(NotNow, match=f"match {over} cannot go on"):
            room.execute(ResumeMatch(over))
    room.execute(ResumeMatch(2))
    assert (room.table.state()["players"]["light"], len(room.store.matches())) == ("Zoe", 2)
    with pytest.raises(Unavailable, match="match 2 is being recorded"):
        end_match(room.store.path, 2)
    before = room.store.events(2)
    room.execute(NamesEntered("Zoë", "Ben"))
    (named,) = of_type(room.store.events(2, after=len(before)), PlayersNamed)
    assert (named.light, named.time >= before[-1].time) == ("Zoë", True)


def test_a_chosen_match_goes_on_whoever_plays_it_and_others_do_not(tmp_path):
    def resumed(number):
        return find_resume_point(store, CONFIG.match, "", resumes=True, chosen=number).match

    with Store.open(tmp_path / "record.sqlite") as store:
        store.new_match(light="Ann", dark="Bob")
        record_match(store, match_events(light="Zoe"))
        record_match(store, finished(match_events()), is_closed=True)
        assert [resumed(1), resumed(2)] == [1, 2]
        for number in (3, 4):  # over, not there
            with pytest.raises(NotNow, match=f"match {number} cannot go on"):
                resumed(number)


@pytest.mark.parametrize("entered", [(), (MatchNoted(time=1.0, frame=0, text="streamed"),)])
def test_a_match_that_was_only_set_up_goes_on_by_the_rules_chosen_now(tmp_path, entered):
    with Store.open(tmp_path / "record.sqlite") as store:
        store.append(store.new_match(light="Eve", dark="Dan", length=5), entered)
        (listed,) = OpenMatches(store).unfinished()
        assert "Eve and Dan, 0-0 (5 points), set up " in listed.summary
    rules = replace(USUAL, name="of the club", cube=CubeRules(crawford=False))
    chosen = replace(CONFIG, match=replace(CONFIG.match, rule_set=rules), resumed=1)
    room = ObservedGame(tmp_path, chosen)
    try:
        played(room)
        (start,) = of_type(room.store.events(1), GameStart)
    finally:
        room.close()
    assert (start.light, start.dark, start.length, start.rule_set) == ("Eve", "Dan", 5, rules)


def test_a_match_that_was_only_set_up_goes_on_at_the_desk(room):
    room.store.new_match(light="Eve", dark="Dan", length=5)
    room.source.is_live = True
    room.execute(DeskCommand.END_MATCH)
    room.execute(ResumeMatch(2))
    state = room.table.state()
    assert (state["players"], state["length"]) == ({"light": "Eve", "dark": "Dan"}, 5)


def test_a_wrong_clock_adds_no_years_to_a_match(tmp_path):
    with Store.open(tmp_path / "record.sqlite") as store:
        match = store.new_match(light="Ann", dark="Bob", clock=lambda: 60.0)
        store.append(match, [MatchClosed(time=30.0, frame=1, score=(0, 0))])
        for now, seconds in ((100.0, 40.0), (70.0, 30.0), (1.8e9, 30.0)):
            clock = [now].pop
            point = find_resume_point(store, CONFIG.match, "", resumes=True, clock=clock)
            assert (point.match, point.seconds) == (match, seconds)


def test_while_a_match_is_played_no_other_begins(room):
    with pytest.raises(NotNow, match="end it first"):
        room.execute(NextMatch("Cleo", "Dan", 5, "short", ""))
