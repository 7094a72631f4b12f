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


def contradicting(table) -> Position | None:
    return BoardMemory.of(table, cell_counts(OPENING)).contradicting_position(Course.OPPOSED)


def test_checkers_read_elsewhere_may_be_the_true_position():
    moved = after((Side.LIGHT, "13/7 8/7"), (Side.DARK, "24/20"))
    assert memory(moved).contradicting_position(Course.OPPOSED) == moved
    assert memory(OPENING).contradicting_position(Course.OPPOSED) is None


def test_a_checker_too_many_is_a_misreading():
    counts = cell_counts(OPENING)
    counts[12] += 1
    counts[5] += 1
    table = counts_of(counts)
    assert contradicting(table) is None


@pytest.mark.parametrize("taken", [(5, 7), (5, 12)])
def test_what_the_board_lacks_lies_in_trays_that_are_not_seen(taken):
    counts = cell_counts(OPENING)
    counts[list(taken)] -= 1
    table = counts_of(counts)
    table[LIGHT_OFF] = table[LIGHT_OFF].mean()
    found = contradicting(table)
    assert found is not None
    assert found.light[0] == 2
    assert contradicting(counts_of(counts)) is None, "the tray is seen, and empty"


def test_a_single_contradicting_place_is_a_misreading():
    table = counts_of(cell_counts(OPENING))
    table[0] = np.roll(table[0], 1)
    assert contradicting(table) is None


def test_no_turn_moves_checkers_of_both_sides():
    light = after((Side.LIGHT, "24/15"))
    both = after((Side.LIGHT, "24/15"), (Side.DARK, "13/10*"))
    assert not both_moved(OPENING, light)
    assert not both_moved(light, both), "who is hit comes to the bar"
    assert both_moved(OPENING, after((Side.LIGHT, "24/15"), (Side.DARK, "13/11")))
