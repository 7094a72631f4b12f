"""A position adopted from a single reading marks every play as doubtful until it is confirmed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.dice import Roll
from engine.events.match import PlayMade
from engine.events.record import Confirmed, PositionFound, PositionSet
from engine.evidence.observation import Observation
from engine.match.fold import apply_event
from engine.match.state import MatchState
from engine.play import Play
from engine.position import CHECKERS, Position, Side
from engine.referee.referee import Referee
from engine.rules import SHORT
from engine.rules.legal import apply_play
from engine.simulation.board import SimulatedBoard

MIDPOINT, SIX_POINT = 12, 5
"""Cells of two of light's stacks."""
PLAYS = (
    (Side.LIGHT, Roll(3, 1), "8/5 6/5"),
    (Side.DARK, Roll(4, 2), "8/4 6/4"),
    (Side.LIGHT, Roll(6, 2), "24/16"),
)


def found_position() -> Position:
    """The starting position with a checker of light's moved from the six point to the midpoint."""
    light = list(SHORT.opening().light)
    light[MIDPOINT + 1] += 1
    light[SIX_POINT + 1] -= 1
    return Position(tuple(light), SHORT.opening().dark)


def unclear(seen: Observation) -> Observation:
    """The same, read by a reader that cannot tell how tall two of the stacks are."""
    counts = seen.counts.copy()
    for cell in (MIDPOINT, SIX_POINT):
        counts[cell] = -9.0
        counts[cell, CHECKERS + 3 : CHECKERS + 8] = np.log(0.2)
    return replace(seen, counts=counts)


def after_found(*, is_unclear: bool) -> tuple[list[PlayMade], MatchState]:
    """The plays recorded after the position was found, and the state after them."""
    board = SimulatedBoard(np.random.default_rng(1), SHORT.opening())
    board.rest()
    referee = Referee(SHORT)
    made: list[PlayMade] = []
    for seen in board.seen:
        referee.observe(seen)
    referee.record(PositionFound(time=board.clock, frame=9, position=found_position()))
    board.position, board.seen = found_position(), []
    for side, roll, text in PLAYS:
        board.throw(roll, side)
        board.play(apply_play(board.position, side, Play.parse(text), SHORT))
        board.lift()
    for seen in board.seen:
        shown = unclear(seen) if is_unclear and isinstance(seen, Observation) else seen
        made += [event for event in referee.observe(shown) if isinstance(event, PlayMade)]
    return made, referee.state


def test_a_clear_look_at_the_board_after_the_next_play_bears_it_out():
    made, state = after_found(is_unclear=False)
    assert [one.play for one in made] == [text for _, _, text in PLAYS]
    assert not any(one.review for one in made)
    assert state.places_in_doubt == ()


def test_while_the_places_are_not_read_clearly_every_play_is_marked():
    made, state = after_found(is_unclear=True)
    assert [one.play for one in made] == [text for _, _, text in PLAYS]
    assert all("record" in one.uncertainties and one.review for one in made)
    assert {MIDPOINT, SIX_POINT} <= set(state.places_in_doubt)


@pytest.mark.parametrize(
    "entry",
    [
        Confirmed(time=9.0, frame=99, turn=3, by="hand"),
        PositionSet(time=9.0, frame=99, position=SHORT.opening(), to_move=Side.DARK),
    ],
)
def test_who_looks_at_it_himself_ends_the_doubt(entry):
    _, state = after_found(is_unclear=True)
    assert apply_event(state, entry).places_in_doubt == ()
