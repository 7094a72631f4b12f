"""What was read of a settled board, held against the record."""

from __future__ import annotations

import numpy as np
import pytest

from engine.evidence.likelihood import BoardMemory, both_moved
from engine.evidence.observation import LIGHT_OFF, cell_counts
from engine.play import Play
from engine.position import Course, Position, Side
from engine.rules import SHORT
from engine.rules.legal import apply_play
from engine.simulation.board import counts_of

OPENING = SHORT.opening()
TRAYS = (24, 25, 26, 27)


def after(*plays: tuple[Side, str]) -> Position:
    position = OPENING
    for side, play in plays:
        position = apply_play(position, side, Play.parse(play), SHORT)
    return position


def memory(read: Position, record: Position = OPENING, hidden=()) -> BoardMemory:
    return BoardMemory.of(counts_of(cell_counts(read), hidden), cell_counts(record))


def test_checkers_read_elsewhere_are_where_the_game_may_stand():
    moved = after((Side.LIGHT, "13/7 8/7"), (Side.DARK, "24/20"))
    assert memory(moved).stray_position(Course.OPPOSED) == moved
    assert memory(OPENING).stray_position(Course.OPPOSED) is None


def test_a_checker_too_many_is_a_misreading():
    counts = cell_counts(OPENING)
    counts[12] += 1
    counts[5] += 1
    table = counts_of(counts)
    assert BoardMemory.of(table, cell_counts(OPENING)).stray_position(Course.OPPOSED) is None


@pytest.mark.parametrize("taken", [(5, 7), (5, 12)])
def test_what_the_board_lacks_lies_in_trays_that_are_not_seen(taken):
    counts = cell_counts(OPENING)
    counts[list(taken)] -= 1
    table = counts_of(counts)
    table[LIGHT_OFF] = table[LIGHT_OFF].mean()
    found = BoardMemory.of(table, cell_counts(OPENING)).stray_position(Course.OPPOSED)
    assert found is not None
    assert found.light[0] == 2
    seen = BoardMemory.of(counts_of(counts), cell_counts(OPENING)).stray_position(Course.OPPOSED)
    assert seen is None, "the tray is seen, and empty"


def test_a_single_place_says_nothing():
    table = counts_of(cell_counts(OPENING))
    table[0] = np.roll(table[0], 1)
    assert BoardMemory.of(table, cell_counts(OPENING)).stray_position(Course.OPPOSED) is None


def test_no_turn_moves_checkers_of_both_sides():
    light = after((Side.LIGHT, "24/15"))
    both = after((Side.LIGHT, "24/15"), (Side.DARK, "13/10*"))
    assert not both_moved(OPENING, light)
    assert not both_moved(light, both), "who is hit comes to the bar"
    assert both_moved(OPENING, after((Side.LIGHT, "24/15"), (Side.DARK, "13/11")))
