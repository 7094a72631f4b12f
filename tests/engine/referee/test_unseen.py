"""After a stretch in which the board was not seen, nobody is accused and plays are marked."""

import numpy as np
import pytest

from engine.dice import Roll
from engine.events.match import IllegalMade, PlayMade
from engine.events.record import Unseen
from engine.play import Play
from engine.position import Side
from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.rules import find_rules
from engine.rules.legal import apply_play
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import play_match
from engine.simulation.reader_errors import SimulatedComparison
from engine.turns.evidence import TurnEvidence
from tests.at_length import first_of
from tests.refereed_board import looks, observe_compared

SHORT = find_rules("short")


def seen_with_gap(seed):
    """What was seen of a simulated match, except for a fifth in the middle."""
    board = SimulatedBoard(np.random.default_rng(seed), SHORT.opening())
    play_match(board, SHORT, turns=14)
    start, end = 0.4 * board.clock, 0.6 * board.clock
    before = [look for look in looks(board) if look[0].seconds < start]
    return before, [look for look in looks(board) if look[0].seconds >= end]


def refereed(before, after, start=None):
    search = HistorySearch(Referee(SHORT, start=start))
    comparison = SimulatedComparison(np.random.default_rng(1), 0.0)
    events = observe_compared(search, before, comparison)
    if after:
        at, last = after[0][0], before[-1][0]
        gap = Unseen(
            time=at.seconds, frame=at.frame, start=last.seconds, end=at.seconds,
            reason="skipped",
        )  # fmt: skip
        events += search.enter(gap)
    events += observe_compared(search, after, comparison)
    return [*events, *search.finish(1e6, 10**6)], search.state


@pytest.mark.parametrize("seed", first_of(6, 3))
def test_turns_that_passed_unseen_accuse_nobody_and_are_marked(seed):
    before, after = seen_with_gap(seed)
    events, state = refereed(before, after)
    assert not any(isinstance(event, IllegalMade) for event in events)
    first = next(turn for turn in state.turns if turn.event.time >= after[0][0].seconds)
    assert first.event.review
    assert "unseen" in first.event.uncertainties


def test_without_a_missed_turn_the_play_is_right_and_marked():
    board = SimulatedBoard(np.random.default_rng(1), SHORT.opening())
    truth = play_match(board, SHORT, turns=3)
    middle = len(board.seen) // 2
    events, _ = refereed(looks(board)[:middle], looks(board)[middle:])
    made = [event for event in events if isinstance(event, PlayMade)]
    assert [one.position for one in made] == [one.after for one in truth.plays]
    assert sum(one.review for one in made) == 1


def play(board, side, text):
    board.play(apply_play(board.position, side, Play.parse(text), SHORT))
    board.lift()


def played(before, after, start=None):
    events, _ = refereed(before, after, start)
    return [event for event in events if isinstance(event, PlayMade)]


def test_dice_that_were_thrown_again_in_a_gap_make_no_play_illegal():
    board = SimulatedBoard(np.random.default_rng(3), SHORT.opening())
    board.throw(Roll(6, 1), Side.LIGHT)
    seen = len(board.seen)
    play(board, Side.LIGHT, "24/20 13/8")
    board.throw(Roll(3, 1), Side.DARK)
    play(board, Side.DARK, "8/5* 6/5")
    first, second = played(looks(board)[:seen], looks(board)[seen:])
    assert (first.play, first.legal, first.review) == ("24/20 13/8", True, True)
    assert (second.play, second.dice, second.legal) == ("8/5* 6/5", (3, 1), True)


def test_the_same_play_without_a_gap_is_illegal():
    board = SimulatedBoard(np.random.default_rng(3), SHORT.opening())
    board.throw(Roll(6, 1), Side.LIGHT)
    play(board, Side.LIGHT, "24/20 13/8")
    board.throw(Roll(3, 1), Side.DARK)
    assert [one.legal for one in played(looks(board), [])][:1] == [False]


def test_a_forced_pass_across_a_gap_is_judged_by_the_board_after_it():
    """Light, on the bar, cannot enter with 6-6; in the gap new dice let him in."""
    start = SHORT.opening()
    for side, text in ((Side.LIGHT, "13/8 6/4"), (Side.DARK, "24/21*")):
        start = apply_play(start, side, Play.parse(text), SHORT)
    board = SimulatedBoard(np.random.default_rng(3), start)
    board.throw(Roll(6, 6), Side.LIGHT)
    seen = len(board.seen)
    play(board, Side.LIGHT, "bar/20 13/11")
    seen_again = len(board.seen)
    board.throw(Roll(3, 1), Side.DARK)
    play(board, Side.DARK, "8/5* 6/5")
    plays = played(looks(board)[:seen], looks(board)[seen_again:], start)
    assert [one.play for one in plays] == ["bar/20 13/11", "8/5* 6/5"]
    assert [one.review for one in plays] == [True, False]


@pytest.mark.parametrize("is_next_thrown", [False, True])
def test_a_play_in_a_gap_is_told_by_a_board_that_shows_its_answer_too(is_next_thrown):
    """When the board is seen again, dark has answered, and light may have thrown once more."""
    board = SimulatedBoard(np.random.default_rng(3), SHORT.opening())
    board.throw(Roll(3, 1), Side.DARK)
    play(board, Side.DARK, "8/5 6/5")
    board.throw(Roll(6, 3), Side.LIGHT)
    seen = len(board.seen)
    play(board, Side.LIGHT, "24/18 13/10")
    board.throw(Roll(6, 5), Side.DARK)
    seen_again = len(board.seen)
    board.play(apply_play(board.position, Side.DARK, Play.parse("13/7* 13/8"), SHORT), 0)
    if not is_next_thrown:
        board.rest()
    board.dice = ()
    board.throw(Roll(4, 2), Side.LIGHT)
    play(board, Side.LIGHT, "bar/21 24/22")
    plays = played(looks(board)[:seen], looks(board)[seen_again:])
    assert [one.play for one in plays] == ["8/5 6/5", "24/18 13/10", "13/7* 13/8", "bar/21 24/22"]
    assert [one.review for one in plays] == [False, True, is_next_thrown, is_next_thrown]


def test_after_a_gap_nobody_is_accused_until_a_play_is_beyond_doubt():
    """An invalid throw comes in between; what was hit in the gap is not known."""
    turn = TurnEvidence(has_gap=True)
    assert turn.next(is_certain=True).may_miss_turns
    assert turn.next().next().may_miss_turns
    assert not turn.next().next(is_certain=True).may_miss_turns
