"""Turns whose dice nobody read lead to a board that no play explains: that accuses nobody."""

import numpy as np
import pytest

from engine.events.record import PositionFound, Unseen
from engine.referee.history_search import HistorySearch
from engine.referee.referee import Referee
from engine.rules import SHORT
from engine.simulation.board import SimulatedBoard
from engine.simulation.match import play_match
from engine.simulation.reader_errors import ReaderNoise


def refereed_without_most_dice(seed):
    noise = ReaderNoise(missed_throws=0.7)
    board = SimulatedBoard(np.random.default_rng(seed), SHORT.opening(), noise)
    play_match(board, SHORT, turns=16)
    seen, events = glimpsed(board.seen), []
    search = HistorySearch(Referee(SHORT))
    for one in seen:
        events += search.observe(one)
    return [*events, *search.finish(1e6, 10**6)], search.state


def glimpsed(seen):
    """What is left of the observations when the board is covered most of the time."""
    return [one for one in seen if one.seconds % 20 < 8]


@pytest.mark.parametrize("seed", range(8))
def test_turns_whose_dice_were_not_read_accuse_nobody(seed):
    events, state = refereed_without_most_dice(seed)
    assert state.turns or any(isinstance(one, Unseen) for one in events)
    assert all(turn.event.legal for turn in state.turns)


@pytest.mark.parametrize("seed", [0, 9])
def test_what_they_led_to_is_found_and_marked(seed):
    events, state = refereed_without_most_dice(seed)
    (unseen, *_) = (one for one in events if isinstance(one, Unseen))
    found = next(one for one in events if isinstance(one, PositionFound))
    after = next(turn for turn in state.turns if turn.event.time >= found.time)
    assert unseen.reason == "unread"
    assert unseen.start < unseen.end == found.time
    assert "unseen" in after.event.uncertainties
    assert after.event.review
