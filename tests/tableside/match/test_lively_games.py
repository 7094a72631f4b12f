"""Games whose players' hands are filmed as they move, recorded by sight alone."""

from dataclasses import replace

import numpy as np
import pytest

from engine import find_rules
from engine.events.match import DiceVoid
from engine.simulation.match import CENTRED_CUBE, PlayerHabits, play_match
from engine.simulation.score import score_match
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tests.tableside.match.filmed_board import FPS
from tests.tableside.match.lively_board import lively_board
from tests.tableside.match.looks import other_look
from vision.benchmark.degradations import KINDS, Degrader
from vision.board.locate import locate_board
from vision.board.tracking import BoardTracker
from vision.reading.learn_set import learn_set

SET_UP, AT_REST = 6, 4
"""Looks before the first throw and after the last play."""
TURNS, OTHER_TURNS = 10, 6
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1000, 1001, 1003])
def test_at_a_table_that_nobody_has_seen_no_play_is_wrong_in_silence(seed, record_property):
    """Other colors, proportions, lamps, cameras and lenses; also with one fault of the picture."""
    rules, look, rng = find_rules("short"), other_look(seed), np.random.default_rng(seed)
    kind, severity = rng.choice(sorted(KINDS.keys() - {"mirrored"})), int(rng.integers(1, 4))
    clear, faulty = (Session(MatchConfig(rules), lambda _: None) for _ in range(2))
    degrader = Degrader(KINDS[kind][severity - 1], look.pose.size, str(seed))

    def watch(frame):
        clear.feed(frame)
        faulty.feed(replace(frame, image=degrader.degraded(frame.image, frame.seconds)))

    board = lively_board(seed, "short", watch, look)
    board.cube = CENTRED_CUBE
    board.rest(SET_UP)
    truth = play_match(board, rules, turns=OTHER_TURNS, habits=HABITS)
    board.rest(AT_REST)
    for session in (clear, faulty):
        session.finish(board.shown / FPS, board.shown)
    scores = [score_match(truth, session.state)[0] for session in (clear, faulty)]
    record_property("seen", "; ".join(
        f"{name}: {one.right} of {one.turns} plays, {one.for_review} marked"
        for name, one in zip(("as it is", f"{kind} {severity}"), scores, strict=True)
    ))  # fmt: skip
    assert scores[0].right == scores[0].turns
    for score in scores:
        assert (score.silent_errors, score.false_accusations) == (0, 0)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(1001, id="points face points of their own color"),
        pytest.param(1010, id="dots as large and dark as checkers on the points"),
        pytest.param(1042, id="rings drawn on the felt"),
    ],
)
def test_the_opening_is_learned_whatever_the_board_is_painted_with(seed):
    image = opening_at(seed)
    found = locate_board(image)
    learned = learn_set(image, found.pose, found.layout, find_rules("short").opening())
    assert learned.differences == ()


def opening_at(seed):
    """A picture of the opening at a random table."""
    seen = []
    lively_board(seed, "short", seen.append, other_look(seed)).rest(1)
    return seen[0].image


def test_a_small_board_on_a_loud_cloth_can_be_followed():
    image = opening_at(1003)  # brown on brown, amid strong checks
    found = locate_board(image)
    assert BoardTracker(found.pose, found.layout).track(image) is found.pose
    nudged = np.roll(image, 6, axis=1)  # by a third of a point
    assert BoardTracker(found.pose, found.layout).track(nudged) is None
