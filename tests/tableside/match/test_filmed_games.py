"""Every variant is played at a drawn board and recorded by sight alone."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine import (
    Course,
    GameStart,
    Play,
    Position,
    Roll,
    Side,
    apply_play,
    cell_counts,
    find_rules,
)
from engine.events.match import IllegalMade, PlayMade
from engine.evidence.observation import Observation
from engine.position import CHECKERS
from engine.rules import PRESETS, VARIANTS
from engine.ruleset import USUAL, GameOptions
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import play_match
from engine.simulation.score import score_match
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tests.tableside.match.filmed_board import FPS, filmed_board
from vision.board.tracking import BoardTracker
from vision.checkers.fine_tune import adapt_to_set
from vision.reading.learn_set import learn_set
from vision.reading.reader import HIDDEN_CHANGE_NATS, Reader

SET_UP, AT_REST = 6, 4
"""Looks before the first throw and after the last play."""


def filmed(seed, rules, options, start=None):
    """A board, the session that watches it, and the events that it records."""
    events = []
    config = MatchConfig(rules, start=start, rule_set=replace(USUAL, game=options))
    session = Session(config, events.extend)
    board = filmed_board(seed, options, session.feed)
    board.position = start or board.position
    board.rest(SET_UP)
    return board, session, events


def recorded(seed, variant, turns=None, start=None, preset=None):
    """The score of a game, or of some turns, against what a session made of the film."""
    options = GameOptions(variant, preset=preset)
    rules = find_rules(variant, options)
    board, session, _ = filmed(seed, rules, options, start)
    truth = play_match(board, rules, turns=turns)
    board.rest(AT_REST)
    session.finish(board.shown / FPS, board.shown)
    return score_match(truth, session.state)[0]


def check(score, most_marked=0.05):
    assert score.right >= np.floor(0.98 * score.turns)
    assert (score.silent_errors, score.false_accusations) == (0, 0)
    assert score.for_review <= max(1, most_marked * score.turns)


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "variant"), [(0, "narde"), (1, "hypergammon")])
def test_a_game_is_recorded_from_its_opening_on(seed, variant):
    """Narde opens with two heads of fifteen, hypergammon with three checkers a side."""
    check(recorded(seed, variant, turns=3))


LAID_ON_FULL_ROWS = {
    "narde": (
        *(0, Roll(6, 3), "4/1", (0, 3, 4, 2, 2, 1, 1, 1, 0, 0, 1, *[0] * 15)),
        *((0, 5, 3, 3, 1, 1, *[0] * 14, 2, *[0] * 5), (0, 6, 3, 3, 0, 1, *[0] * 14, 2, *[0] * 5)),
    ),
    "giul": (
        *(15, Roll(4, 3), "6/2 4/1"),
        (0, 2, 3, 1, 2, 2, 1, 0, 0, 0, 1, 0, 1, *[0] * 6, 2, *[0] * 6),
        (0, 5, 2, 3, 2, 1, 1, *[0] * 12, 1, *[0] * 6),
        (0, 6, 3, 3, 1, 1, 0, *[0] * 12, 1, *[0] * 6),
    ),
}
"""By variant: the seed, light's roll and play, dark, and light before and after it."""


PLAYED_ON = {
    "longgammon": (
        *(2, Course.OPPOSED, (*[0] * 20, 1, 3, 1, 0, 10, 0)),
        (*[0] * 19, 1, 0, 0, 1, 0, 13, 0),
    ),
    "crazy_narde": (
        *(6, Course.CIRCLING),
        (*[0] * 4, 1, 1, 1, 0, 1, 1, *[0] * 5, 1, 0, 0, 1, 1, 1, 1, 0, 0, 5, 0),
        (0, 0, 1, 0, 0, 1, *[0] * 13, 1, 0, 0, 0, 0, 12, 0),
    ),
    "giul": (
        *(15, Course.CIRCLING, (0, 1, *[0] * 8, 1, *[0] * 7, 3, 1, 0, 0, 0, 1, 8, 0)),
        (*[0] * 5, 1, *[0] * 9, 1, 0, 0, 1, 1, *[0] * 4, 11, 0),
    ),
}
"""By variant: the seed of a board's looks, the course, and light and dark some plays later."""


@pytest.mark.parametrize("variant", PLAYED_ON)
def test_checkers_that_were_moved_do_not_move_the_board(variant):
    """The towers that a game begins with hold many of the corners that are tracked."""
    looks_seed, course, light, dark = PLAYED_ON[variant]
    frames = []
    board = filmed_board(looks_seed, GameOptions(variant), frames.append)
    board.rest(1)
    board.position = Position(light, dark, course)
    board.rest(1)
    pose, (before, after) = board.scene.pose, (frames[0].image, frames[-1].image)
    tracker = BoardTracker(pose, board.scene.layout)
    assert tracker.track(before) is pose
    assert tracker.track(after) is pose
    bumped = np.asarray(
        cv2.warpAffine(after, np.array([(1.0, 0, 9), (0, 1, -5)]), pose.size), np.uint8
    )
    moved = BoardTracker(pose, board.scene.layout)
    assert moved.track(before) is pose
    assert np.abs(moved.track(bumped).corners() - pose.corners() - (9, -5)).max() < 1


def test_a_pattern_that_looks_like_a_small_die_does_not_spoil_the_reading_of_the_dice():
    """Read at its size, no real die is certain."""
    score = recorded(134, "narde", turns=2)
    assert (score.dice_right, score.for_review) == (2, 0)


def test_a_board_stays_where_it_is_while_towers_are_taken_apart():
    frames = []
    board = filmed_board(126, GameOptions("giul"), frames.append)
    pose, tracker = board.scene.pose, BoardTracker(board.scene.pose, board.scene.layout)
    for moved in range(12):
        apart = (0, *([1] * moved), *([0] * (23 - moved)), 15 - moved, 0)
        board.position = Position(apart, apart, Course.CIRCLING)
        board.rest(1)
        assert tracker.track(frames[-1].image) is pose, moved


@pytest.mark.slow
@pytest.mark.parametrize("variant", LAID_ON_FULL_ROWS)
def test_a_checker_laid_on_a_full_row_is_not_taken_for_borne_off(variant, monkeypatch):
    """It hides the one below it, so that light seems to have borne off before all were home."""
    seed, roll, played, dark, *light = LAID_ON_FULL_ROWS[variant]
    before, after = (Position(each, dark, Course.CIRCLING) for each in light)
    options = GameOptions(variant)
    board, session, events = filmed(seed, find_rules(variant, options), options, before)
    looks, plain = [], session.observe

    def observe(seen, *others):
        looks.append(seen)
        return plain(seen, *others)

    monkeypatch.setattr(session, "observe", observe)
    board.throw(roll, Side.LIGHT)
    board.play(after)
    board.lift(AT_REST)
    session.finish(board.shown / FPS, board.shown)
    plays = [event for event in events if isinstance(event, PlayMade | IllegalMade)]
    assert [(play.play, play.position) for play in plays] == [(played, after)]
    changes = [look.change[0] for look in looks if isinstance(look, Observation)]
    assert min(changes) >= -HIDDEN_CHANGE_NATS


LEARNED_FROM_HEAPS = {
    "lit otherwise": (
        *(111, "giul", (0, 3, 3, 2, 2, *[0] * 19, 5, 0)),
        (*[0] * 7, 2, 4, 2, 3, *[0] * 13, 4, 0),
    ),
    "six left of a heap": (
        *(168, "crazy_gulbar", (12, 0, 0, 2, 0, 1, *[0] * 20)),
        (9, 6, *[0] * 24),
    ),
}
"""The seed of a board's looks, the variant, light and dark. Dark's checkers were learned in the far
corner; beside the lamp they look gray, and so like none. Six on one point were read as fifteen."""


@pytest.mark.parametrize("shown", LEARNED_FROM_HEAPS)
def test_a_set_that_was_learned_from_two_heaps_is_counted_elsewhere(shown):
    looks_seed, variant, light, dark = LEARNED_FROM_HEAPS[shown]
    looks = []
    board = filmed_board(looks_seed, GameOptions(variant), looks.append)
    board.rest(1)
    board.position = Position(light, dark, Course.CIRCLING)
    board.rest(1)
    scene, opening = board.scene, find_rules(variant).opening()
    profile = learn_set(looks[0].image, scene.pose, scene.layout, opening, variant).profile
    seen = Reader(profile, adapt_to_set(profile)).read(looks[-1]).observation.counts[:24]
    assert (seen.argmax(axis=1) - CHECKERS).tolist() == [*cell_counts(board.position)[:24]]


@pytest.mark.slow
def test_players_who_swap_colors_and_keep_their_seats_set_the_board_up_from_the_other_side():
    last = Position((14, 1, *[0] * 24), (10, 5, *[0] * 24), Course.CIRCLING)
    options = GameOptions("narde", swap_colors=True)
    rules = find_rules("narde", options)
    board, session, events = filmed(0, rules, options, last)
    board.throw(Roll(6, 3), Side.LIGHT)
    board.play(replace(last, light=(15, *[0] * 25)))
    board.lift(AT_REST)
    board.move_hand()
    board.position, board.is_turned = rules.opening(), True
    board.rest(SET_UP)
    for side, play in ((Side.DARK, "24/18 18/17"), (Side.LIGHT, "24/18 18/17")):
        board.throw(Roll(6, 1), side)
        board.play(apply_play(board.position, side, Play.parse(play), rules))
        board.lift(AT_REST)
    session.finish(board.shown / FPS, board.shown)
    starts = [event for event in events if isinstance(event, GameStart)]
    plays = [event for event in events if isinstance(event, PlayMade | IllegalMade)]
    assert [start.swapped for start in starts] == [False, True]
    assert [(play.player, play.play, play.legal, play.review) for play in plays] == [
        (Side.LIGHT, "1/off", True, False),
        (Side.DARK, "24/17", True, False),
        (Side.LIGHT, "24/17", True, False),
    ]


def late_in_a_game(seed, variant):
    """A position where checkers are borne off and most others are stacked at home."""
    rules = find_rules(variant)
    board = SimulatedBoard(np.random.default_rng(seed), rules.opening())
    plays = play_match(board, rules).plays
    return plays[3 * len(plays) // 4].before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "variant"),
    [(12, "short"), (12, "longgammon"), (12, "narde"), (11, "khachapuri"), (14, "nackgammon")],
)
def test_turns_late_in_a_game_are_recorded(seed, variant):
    score = recorded(seed, variant, turns=5, start=late_in_a_game(seed, variant))
    assert (score.right, score.silent_errors, score.false_accusations) == (score.turns, 0, 0)


WHOLE = [
    *((name, None) for name in VARIANTS),
    *(("narde", each) for each in [*PRESETS["narde"]][1:]),
]
"""Each variant, and narde by each of its other rules of the house."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", range(len(WHOLE)), ids=["-".join(filter(None, each)) for each in WHOLE]
)
def test_a_whole_game_of_each_variant_is_recorded(number, record_property):
    """A tower whose height cannot be seen is doubted until it is taken apart."""
    variant, preset = WHOLE[number]
    score = recorded(number, variant, preset=preset)
    record_property("seen", f"{score.right} of {score.turns} plays, {score.dice_right} with dice, "
                    f"{score.for_review} marked")  # fmt: skip
    check(score, most_marked=0.33)
    assert score.ends_right == score.ends == 1
