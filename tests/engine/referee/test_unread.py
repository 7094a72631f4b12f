"""Turns whose dice nobody read lead to a board that no play explains: nobody is accused for it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine import Unfinished
from engine.dice import Roll
from engine.events.record import PositionFound, Unseen
from engine.evidence.observation import Observation, cell_counts
from engine.evidence.still_period import Motion
from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.rules import SHORT
from engine.rules.legal import legal_plays
from engine.simulation.board import SimulatedBoard, counts_of
from engine.simulation.match import play_match
from engine.simulation.reader_errors import ReaderNoise
from tests.at_length import at_length, first_of
from tests.refereed_board import looks, observe_compared


def refereed_without_most_dice(seed):
    noise = ReaderNoise(missed_throws=0.7)
    board = SimulatedBoard(np.random.default_rng(seed), SHORT.opening(), noise)
    play_match(board, SHORT, turns=16)
    search = HistorySearch(Referee(SHORT))
    events = observe_compared(search, glimpsed(looks(board)))
    return [*events, *search.finish(1e6, 10**6)], search.state


def glimpsed(shown):
    """What is left of the observations when the board is covered most of the time."""
    return [look for look in shown if look[0].seconds % 20 < 8]


@pytest.mark.parametrize("seed", first_of(8, 1))
def test_turns_whose_dice_were_not_read_accuse_nobody(seed):
    events, state = refereed_without_most_dice(seed)
    assert state.turns or any(isinstance(one, Unseen | Unfinished) for one in events)
    assert all(turn.event.legal for turn in state.turns)


@pytest.mark.parametrize("seed", [0, at_length(9)])
def test_what_they_led_to_is_found_and_marked(seed):
    events, state = refereed_without_most_dice(seed)
    (unseen, *_) = (one for one in events if isinstance(one, Unseen))
    found = next(one for one in events if isinstance(one, PositionFound))
    after = next(turn for turn in state.turns if turn.event.time >= found.time)
    assert unseen.reason == "unread"
    assert unseen.start < unseen.end == found.time
    assert "unseen" in after.event.uncertainties
    assert after.event.review


@pytest.mark.parametrize("seed", range(6))
def test_a_last_play_that_cannot_be_told_is_said_to_be_unread(seed):
    board = SimulatedBoard(np.random.default_rng(seed), SHORT.opening())
    truth = play_match(board, SHORT, turns=4)
    last, first = truth.plays[-1], truth.plays[-2].seen_end
    thrown = [one for one in board.seen[first:] if isinstance(one, Observation) and one.dice]
    assert last.dice is not None
    low, high = sorted(last.dice)
    legal = legal_plays(last.before, last.side, Roll(high, low), SHORT)
    either = [counts_of(cell_counts(play.position)) for play in legal][:2]
    blurred = replace(thrown[-1], counts=np.logaddexp(*either), seconds=board.clock)
    search = HistorySearch(Referee(SHORT))
    for one in (*board.seen[:first], *thrown[:1], Motion(board.clock - 1, 0), blurred):
        search.observe(one)
    events: Any = search.finish(board.clock, 10**6)
    assert search.state.position == last.before
    assert [(one.type, one.reason) for one in events] == [("unseen", "unread")]
