"""Every variant is played from start to end at the desk's API, without a camera."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from engine import USUAL, Position, Roll, find_rules, fold
from engine.dice import random_dice
from engine.events.match import GameDrawn, GameEnd
from engine.inference.outcomes import moves_between
from engine.match.phase import Phase
from engine.referee import ReplaySteps
from engine.simulation.player import choose_leftover_play, choose_play
from engine.timestamp import Timestamp
from tableside.desk.availability import DeskContext
from tableside.desk.command_executor import CommandExecutor
from tableside.desk.queries import DeskQueries
from tableside.match.config import MatchConfig, agreed
from tableside.match.session import Session
from tests.refereed_board import run_steps
from tests.webui.conftest import ScriptedTable
from tests.whole_games import ALL, MATCH_GAMES, SAMPLE, check_files, name_of
from webui.app import create_app

HEADERS = {"X-Tableside": "1"}


class DirectDesk(DeskQueries):
    """The desk of a match without a camera, in the thread of the test."""

    def __init__(self, config: MatchConfig) -> None:
        self.events, self.config = [], config
        self.session = Session(config, self.events.extend)
        rules = config.rules
        self._executor = CommandExecutor(self.session, rules, None, self._now, lambda _: None)

    def _now(self) -> Timestamp:
        return Timestamp(float(len(self.events)), len(self.events))

    def execute(self, command) -> None:
        steps: ReplaySteps = self._executor.execute(command)
        run_steps(steps)

    def context(self) -> DeskContext:
        session = self.session
        return DeskContext(
            session.state, self.config.rules, can_undo=session.can_undo, is_manual=True
        )

    def evidence(self):
        raise NotImplementedError("no pictures are taken")


class Players:
    """Both players, who enter everything over HTTP."""

    def __init__(self, number, options):
        config = MatchConfig(find_rules("short"), light="Ann", dark="Bob", is_manual=True)
        self.desk = DirectDesk(agreed(config, dataclasses.replace(USUAL, game=options)))
        app = create_app(ScriptedTable(), desk=self.desk)
        for limiter in app.extensions["limiter"]:
            limiter.enabled = False  # these players enter more in a minute than people can
        self.client = app.test_client()
        self.rng = np.random.default_rng(number)

    def ask(self, address, **body):
        address = f"/api/desk{address}"
        post, get = self.client.post, self.client.get
        answer = post(address, json=body, headers=HEADERS) if body else get(address)
        assert answer.status_code == 200, answer.json
        return answer.json

    @property
    def state(self):
        return self.desk.session.state

    def play_game(self):
        """From the set-up to the end of the game."""
        now = self.ask("/word", word="begin_game")
        while now["phase"] != "over":
            telling = now["telling"]
            if telling["play"]:
                now = self.ask("/roll", dice=list(random_dice(self.rng)))
            else:
                now = self.ask("/play", play=self.choose())

    def choose(self):
        """The play to tell: one of those listed, if there are not too many to list."""
        listed = self.ask("/plays")
        state = self.state
        rules = state.in_turn(self.desk.config.rules)
        args = (self.rng, state.position, state.to_move)
        if state.leftover:
            after = choose_leftover_play(*args, state.leftover, rules)
        else:
            assert state.phase is Phase.TO_PLAY
            after = choose_play(*args, Roll(*listed["dice"]), rules)
        found = [one["play"] for one in listed["plays"] if is_board(one["position"], after)]
        assert found or not listed["plays"]
        return found[0] if found else str(moves_between(state.position, after, state.to_move))


def is_board(shown: dict[str, list[int]], position: Position) -> bool:
    """Whether a board of the API is this position."""
    return (shown["light"], shown["dark"]) == (list(position.light), list(position.dark))


def play_match(number, options):
    players = Players(number, options)
    for _ in range(MATCH_GAMES):
        players.play_game()
    events = players.desk.events
    assert sum(isinstance(one, GameEnd | GameDrawn) for one in events) == MATCH_GAMES
    assert fold(events) == players.state
    assert all(turn.event.legal for turn in players.state.turns)
    check_files(events)


@pytest.mark.parametrize("game", SAMPLE, ids=name_of)
def test_a_match_of_each_variant_is_played_at_the_desk_and_its_files_read_back(game):
    play_match(*game)


@pytest.mark.slow
@pytest.mark.parametrize("match", ALL, ids=name_of)
def test_many_games_of_each_variant_are_played_at_the_desk(match):
    play_match(*match)
