"""Every variant is refereed from start to end by sight, on simulated looks."""

from __future__ import annotations

import numpy as np
import pytest

from engine import find_rules
from engine.events.match import GameDrawn, GameEnd
from engine.match.amendments import effective_events
from engine.rules import VARIANTS
from engine.ruleset import GameOptions
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import PlayerHabits, play_match
from engine.simulation.reader_errors import ReaderNoise
from engine.simulation.score import score_match
from engine.simulation.trial import USUAL_CONDITIONS, referee_match, run_trial
from tests.whole_games import ALL, MATCH_GAMES, SAMPLE, check_files, name_of, option_sets

NOISE = ReaderNoise(change=0.0)
MOST_MARKED = 0.02
"""The most turns of one match that may be left to review."""


def referee_games(number, options, *, games=1):
    """Play games on a board that is seen without an error, and check their record and files."""
    rules = find_rules(options.variant, options)
    board, events = SimulatedBoard(np.random.default_rng(number), rules.opening(), NOISE), []
    truth = play_match(board, rules, games=games, habits=PlayerHabits(hasty=0.05))
    search, _ = referee_match(board, events.extend, options)
    score, _ = score_match(truth, search.state)
    assert score.right == score.turns
    assert score.for_review <= MOST_MARKED * score.turns
    ends = [one for one in effective_events(events) if isinstance(one, GameEnd | GameDrawn)]
    won = [(end.winner, end.points) for end in ends if isinstance(end, GameEnd)]
    assert (len(ends), won) == (games, truth.ends)
    check_files(effective_events(events))


@pytest.mark.parametrize("game", SAMPLE, ids=name_of)
def test_a_game_of_each_variant_is_refereed_and_its_files_read_back(game):
    referee_games(*game)


@pytest.mark.slow
@pytest.mark.parametrize("match", ALL, ids=name_of)
def test_many_games_of_each_variant_are_refereed(match):
    referee_games(*match, games=MATCH_GAMES)


def test_many_games_have_every_option_of_every_variant():
    played = [options for _, options in ALL]
    assert all(options in played for name in VARIANTS for options in option_sets(name))


def test_after_a_game_the_players_swap_colors_and_the_winner_begins():
    referee_games(1, GameOptions("khachapuri", swap_colors=True), games=2)


@pytest.mark.slow
def test_a_misread_last_roll_does_not_lose_the_play_that_won():
    """In this game a 4 is taken for a 1, and the board is set up before anything else is thrown."""
    score = run_trial(3330003, 2, USUAL_CONDITIONS, GameOptions("crazy_narde")).score
    assert (score.right, score.silent_errors, score.ends_right) == (score.turns, 0, score.ends)
