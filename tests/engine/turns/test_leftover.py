"""How moves that the opponent's double left over are found on the board."""

from engine import Course, Position, Side, find_rules
from engine.evidence.likelihood import PositionEvidence
from engine.inference.outcomes import moves_between
from engine.match.state import MatchState
from engine.referee.manual import manual_play
from engine.timestamp import Timestamp
from engine.turns.leftover import weigh_leftover
from tests.engine.inference.test_unlisted import view_of

LEFT = tuple(number for number in range(2, 7) for _ in range(4))
LIGHT = (0, 11, 2, *[0] * 8, 2, *[0] * 14)
BEFORE = (0, 2, 1, 2, 1, 1, 1, 0, 0, 0, 1, *[0] * 7, 2, 1, 0, 1, 1, 0, 1, 0)
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


def test_what_is_entered_by_hand_is_then_recorded_and_marked():
    before, after = (Position(LIGHT, dark, Course.CIRCLING) for dark in (BEFORE, SHOWN))
    state = MatchState(position=before, to_move=Side.DARK, leftover=LEFT)
    play = str(moves_between(before, after, Side.DARK))
    made = manual_play(state, Side.DARK, play, find_rules("crazy_gulbar"), Timestamp(1.0, 1))
    assert (made.position, made.legal, made.review) == (after, True, True)
