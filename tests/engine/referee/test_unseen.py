"""Across a stretch in which nobody could see the board, nobody is accused and plays are marked."""

import numpy as np
import pytest

from engine.events.match import IllegalMade, PlayMade
from engine.events.record import Unseen
from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.rules import find_rules
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import play_match

SHORT = find_rules("short")


def seen_with_gap(seed):
    """What was seen of a simulated match, but for a fifth in the middle."""
    board = SimulatedBoard(np.random.default_rng(seed), SHORT.opening())
    play_match(board, SHORT, turns=14)
    start, end = 0.4 * board.clock, 0.6 * board.clock
    before = [seen for seen in board.seen if seen.seconds < start]
    return before, [seen for seen in board.seen if seen.seconds >= end]


def refereed(before, after):
    search, events = HistorySearch(Referee(SHORT)), []
    for seen in before:
        events += search.observe(seen)
    if after:
        at = after[0]
        gap = Unseen(
            time=at.seconds, frame=at.frame, start=before[-1].seconds, end=at.seconds,
            reason="skipped",
        )  # fmt: skip
        events += search.enter(gap)
    for seen in after:
        events += search.observe(seen)
    return [*events, *search.finish(1e6, 10**6)], search.state


@pytest.mark.parametrize("seed", range(6))
def test_turns_that_passed_unseen_accuse_nobody_and_are_marked(seed):
    before, after = seen_with_gap(seed)
    events, state = refereed(before, after)
    assert not any(isinstance(event, IllegalMade) for event in events)
    first = next(turn for turn in state.turns if turn.event.time >= after[0].seconds)
    assert first.event.review
    assert "unseen" in first.event.uncertainties


def test_without_a_missed_turn_the_play_is_right_and_marked():
    board = SimulatedBoard(np.random.default_rng(1), SHORT.opening())
    truth = play_match(board, SHORT, turns=3)
    middle = len(board.seen) // 2
    events, _ = refereed(board.seen[:middle], board.seen[middle:])
    made = [event for event in events if isinstance(event, PlayMade)]
    assert [one.position for one in made] == [one.after for one in truth.plays]
    assert sum(one.review for one in made) == 1
