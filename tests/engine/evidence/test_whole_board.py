"""Positions of 15 checkers a side, inferred from the readings of all places together."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from engine.arrays import Floats
from engine.evidence.likelihood import both_moved, position_of, with_floor
from engine.evidence.observation import DARK_OFF, LIGHT_OFF, cell_counts
from engine.evidence.whole_board import (
    contradicting_position,
    most_probable,
    position_probability,
)
from engine.play import Play
from engine.position import CHECKERS, Course, Position, Side
from engine.rules import SHORT, find_rules
from engine.rules.legal import apply_play
from engine.simulation.board import counts_of

OPENING = SHORT.opening()
TRAYS = (LIGHT_OFF, DARK_OFF)
NARDE = find_rules("narde")
NARDE_PLAYED = apply_play(NARDE.opening(), Side.LIGHT, Play.parse("24/18 24/20"), NARDE)


def after(*plays: tuple[Side, str]) -> Position:
    position = OPENING
    for side, play in plays:
        position = apply_play(position, side, Play.parse(play), SHORT)
    return position


def table_of(read: Position, hidden: tuple[int, ...] = TRAYS) -> Floats:
    table: Any = counts_of(cell_counts(read), hidden)
    return with_floor(table)


def with_badly_counted(table: Floats, cell: int, likeliest: int) -> Floats:
    """A tall stack of which only the owner and the approximate height are known."""
    counts = np.arange(-CHECKERS, CHECKERS + 1)
    log_p = np.where(counts * likeliest > 0, -((counts - likeliest) ** 2) / 50.0, -9.0)
    table[cell] = log_p - np.logaddexp.reduce(log_p)
    return table


def test_a_tall_stack_holds_what_all_other_places_lack():
    table = with_badly_counted(table_of(NARDE_PLAYED), 23, 7)
    cells = most_probable(table, NARDE_PLAYED)
    assert position_of(cells, Course.CIRCLING) == NARDE_PLAYED
    assert cells[23] == 13
    assert contradicting_position(table, NARDE_PLAYED) is None


def test_a_hidden_tray_takes_checkers_once_all_others_are_home():
    home = [0] * 26
    home[6], home[5], home[4] = 5, 5, 5
    before = Position(tuple(home), tuple(home))
    borne_off = apply_play(before, Side.LIGHT, Play.parse("4/off(2)"), SHORT)
    assert most_probable(table_of(borne_off), before)[LIGHT_OFF] == 2
    assert contradicting_position(table_of(borne_off), before) is None, (
        "only one place of the board"
    )


def test_checkers_read_elsewhere_may_be_the_true_position():
    moved = after((Side.LIGHT, "13/7 8/7"), (Side.DARK, "24/20"))
    assert contradicting_position(table_of(moved), OPENING) == moved
    assert contradicting_position(table_of(OPENING), OPENING) is None


@pytest.mark.parametrize("changes", [{12: 1, 5: 1}, {5: -1, 7: -1}, {5: -1, 12: -1}])
@pytest.mark.parametrize("hidden", [(), TRAYS])
def test_checkers_too_many_or_too_few_are_a_misreading(changes, hidden):
    counts = cell_counts(OPENING)
    for cell, change in changes.items():
        counts[cell] += change
    table: Any = counts_of(counts, hidden)
    assert contradicting_position(with_floor(table), OPENING) is None


def test_a_single_contradicting_place_is_a_misreading():
    table = table_of(OPENING)
    table[0] = np.roll(table[0], 1)
    assert contradicting_position(table, OPENING) is None


def test_a_position_is_as_probable_as_its_places_in_doubt_together():
    table, places = table_of(NARDE_PLAYED), np.array([17, 19, 23])
    table = with_badly_counted(table, 23, 7)
    cells = cell_counts(NARDE_PLAYED)
    rivals = [
        float(table[places, np.array(counts) + CHECKERS].sum())
        for counts in product(range(CHECKERS + 1), repeat=3)
        if sum(counts) == cells[places].sum()
    ]
    own = float(table[places, cells[places] + CHECKERS].sum())
    expected = np.exp(own - np.logaddexp.reduce(rivals))
    p = position_probability(table, NARDE_PLAYED, places)
    assert p == pytest.approx(expected, rel=1e-2)  # the rest: a dark checker next to it
    assert position_probability(table, NARDE_PLAYED, np.array([], np.int64)) == pytest.approx(1.0)


def test_no_turn_moves_checkers_of_both_sides():
    light = after((Side.LIGHT, "24/15"))
    both = after((Side.LIGHT, "24/15"), (Side.DARK, "13/10*"))
    assert not both_moved(OPENING, light)
    assert not both_moved(light, both), "who is hit comes to the bar"
    assert both_moved(OPENING, after((Side.LIGHT, "24/15"), (Side.DARK, "13/11")))
