"""Games whose players' hands are filmed as they move, recorded by sight alone."""

import pytest

from engine import find_rules
from engine.events.match import DiceVoid
from engine.simulation.match import CENTRED_CUBE, PlayerHabits, play_match
from engine.simulation.score import score_match
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tests.tableside.match.filmed_board import FPS
from tests.tableside.match.lively_board import lively_board

SET_UP, AT_REST = 6, 4
"""Looks before the first throw and after the last play."""
TURNS = 10
HABITS = PlayerHabits(quick=0.2, hasty=0.2, rerolls=0.15, doubles=0.12, drops=0.3, quick_cubes=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 13, 20, 5, 16, 8])
def test_turns_in_which_hands_move_as_peoples_do_are_recorded(seed, record_property):
    """Checkers are carried, pushed, tried elsewhere and straightened, and dice lie where they may
    not; no fault of the picture but a drift of the exposure."""
    rules, events = find_rules("short"), []
    session = Session(MatchConfig(rules), events.extend)
    board = lively_board(seed, "short", session.feed)
    board.cube = CENTRED_CUBE
    board.rest(SET_UP)
    truth = play_match(board, rules, turns=TURNS, habits=HABITS)
    board.rest(AT_REST)
    session.finish(board.shown / FPS, board.shown)
    score = score_match(truth, session.state)[0]
    rerolls = sum(isinstance(event, DiceVoid) for event in events)
    record_property("seen", f"{score.right} of {score.turns} plays, {score.for_review} marked, "
                    f"{rerolls} of {truth.rerolls} throws that do not count, {score.cube_right} "
                    f"of {score.cube_actions} actions of the cube")  # fmt: skip
    assert score.right == score.turns
    assert (score.silent_errors, score.false_accusations) == (0, 0)
    assert score.for_review <= 1
    assert rerolls == truth.rerolls
    assert score.cube_right == score.cube_actions or session.lacks_cube
