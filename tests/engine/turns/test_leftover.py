"""How moves that the opponent's double left over are found on the board."""

from dataclasses import replace

import numpy as np

from engine import Course, Position, Side, find_rules
from engine.evidence.likelihood import PositionEvidence
from engine.inference.outcomes import moves_between
from engine.match.state import MatchState
from engine.position import CHECKERS
from engine.referee.manual import manual_play
from engine.timestamp import Timestamp
from engine.turns.leftover import weigh_leftover
from tests.engine.inference.test_unlisted import view_of

LEFT = tuple(number for number in range(2, 7) for _ in range(4))
LIGHT = (0, 11, 2, *[0] * 8, 2, *[0] * 14)
BEFORE = (0, 2, 1, 2, 1, 1, 1, 0, 0, 0, 1, *[0] * 7, 2, 1, 0, 1, 1, 0, 1, 0)
DARK = (0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, *[0] * 12, 10, 0)
SHOWN = (0, 3, 3, 2, 1, 1, 1, 0, 0, 0, 1, 0, 1, *[0] * 6, 1, 0, 0, 0, 0, 1, 0)


def test_what_is_shown_is_possible_where_too_many_ways_would_have_to_be_tried():
    """Nothing proves it within the time of a look, and nobody may be accused of it."""
    before, shown = (Position(LIGHT, dark, Course.CIRCLING) for dark in (BEFORE, SHOWN))
    state = MatchState(position=before, to_move=Side.DARK, leftover=LEFT)
    view = view_of(shown)
    ways = weigh_leftover(
        state, Side.DARK, [view], PositionEvidence(view), find_rules("crazy_gulbar")
    )
    assert shown in [way.play.position for way in ways]


def test_misread_points_that_no_moves_left_over_can_explain_cast_no_doubt_on_them():
    """The six went from 17; dark's points, which light cannot change, are misread all the time."""
    before = Position((*[0] * 11, 1, 0, 0, *[1] * 4, *[0] * 6, 10, 0), DARK, Course.CIRCLING)
    shown = replace(before, light=(*[0] * 11, 2, 0, 0, *[1] * 3, *[0] * 7, 10, 0))
    end = replace(before, light=(*[0] * 4, 1, *[0] * 6, 1, 0, 0, *[1] * 3, *[0] * 7, 10, 0))
    view = view_of(shown)
    for cell, count in ((10, 3), (20, -2), (23, 9)):
        view.table[cell] = view_of(shown).table[cell].min()
        view.table[cell, count + CHECKERS] = view.table.max()
    state = MatchState(position=before, to_move=Side.LIGHT, leftover=(6,))
    rules, main = find_rules("crazy_gulbar"), PositionEvidence(view_of(end))
    best, *_ = weigh_leftover(state, Side.LIGHT, [view, view], main, rules)
    assert str(best.play.play) == "17/11"
    assert np.exp(best.log_p) > 0.95


def test_what_is_entered_by_hand_is_then_recorded_and_marked():
    before, after = (Position(LIGHT, dark, Course.CIRCLING) for dark in (BEFORE, SHOWN))
    state = MatchState(position=before, to_move=Side.DARK, leftover=LEFT)
    play = str(moves_between(before, after, Side.DARK))
    made = manual_play(state, Side.DARK, play, find_rules("crazy_gulbar"), Timestamp(1.0, 1))
    assert (made.position, made.legal, made.review) == (after, True, True)
