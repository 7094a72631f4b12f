"""Every variant is played at a drawn board and recorded by sight alone."""

from dataclasses import replace

import numpy as np
import pytest

from engine import find_rules
from engine.rules import VARIANTS
from engine.ruleset import USUAL, GameOptions
from engine.simulation.match import play_match
from engine.simulation.score import score_match
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tests.tableside.match.filmed_board import FPS, filmed_board

SET_UP, AT_REST = 6, 4
"""Looks before the first throw and after the last play."""


def recorded(seed, variant, turns=None):
    """The score of a game, or of its first turns, against what a session made of the film."""
    options = GameOptions(variant)
    rules = find_rules(variant, options)
    session = Session(MatchConfig(rules, rule_set=replace(USUAL, game=options)), lambda _: None)
    board = filmed_board(seed, options, session.feed)
    board.rest(SET_UP)
    truth = play_match(board, rules, turns=turns)
    board.rest(AT_REST)
    session.finish(board.shown / FPS, board.shown)
    return score_match(truth, session.state)[0]


def check(score):
    assert score.right >= np.floor(0.98 * score.turns)
    assert (score.silent_errors, score.false_accusations) == (0, 0)
    assert score.for_review <= max(1, 0.05 * score.turns)


@pytest.mark.parametrize(("seed", "variant"), [(0, "narde"), (1, "hypergammon")])
def test_a_game_is_recorded_from_its_opening_on(seed, variant):
    """Narde opens with two heads of fifteen, hypergammon with three checkers a side."""
    check(recorded(seed, variant, turns=3))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "variant"), [*enumerate(VARIANTS)])
def test_a_whole_game_of_each_variant_is_recorded(seed, variant):
    score = recorded(seed, variant)
    check(score)
    assert score.ends_right == score.ends == 1
