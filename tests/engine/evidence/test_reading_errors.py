"""Misreading rates are learned from places that nobody touched; such misreadings weigh little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.dice import ALL_ROLLS, Roll
from engine.evidence.likelihood import (
    BoardMemory,
    PositionEvidence,
    PositionView,
    errors_learnt,
)
from engine.evidence.observation import Observation, cell_counts
from engine.evidence.reading_errors import (
    MAX_MISREAD_SHARE,
    MIN_MISREAD_SHARE,
    NONE_LEARNT,
    ReadingErrors,
)
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import Illegal, judge
from engine.position import Position, Side
from engine.rules import SHORT
from engine.simulation.board import counts_of

OPENING = SHORT.opening()
CELLS = cell_counts(OPENING)


def seen(cells, change=None) -> StillPeriod:
    shift = np.zeros(28) if change is None else change
    return StillPeriod.of(Observation(counts_of(cells), change=shift.astype(np.float32)))


def misread(*places: int):
    cells = CELLS.copy()
    cells[list(places)] += 1
    return cells


def after_turns(turns: int, *places: int) -> ReadingErrors:
    """What is learned from this many turns, in each of which those places are misread anew."""
    errors = NONE_LEARNT
    for _ in range(turns):
        errors = errors_learnt(errors, seen(misread(*places)), CELLS, None, None)
    return errors


def test_a_board_that_is_read_right_keeps_the_least_share():
    assert after_turns(20).misread_share == MIN_MISREAD_SHARE
    assert after_turns(20).max_change_nats == pytest.approx(4.0, abs=0.01)


def test_the_share_follows_what_is_misread_and_has_a_bound():
    few, many = after_turns(12, 3), after_turns(12, 1, 3, 8, 9, 10, 14)
    assert MIN_MISREAD_SHARE < few.misread_share < many.misread_share == MAX_MISREAD_SHARE
    better = many
    for _ in range(40):
        better = errors_learnt(better, seen(CELLS), CELLS, None, None)
    assert better.misread_share == pytest.approx(MIN_MISREAD_SHARE, rel=0.1), "the lamp came on"


def test_what_was_touched_or_misread_alike_before_is_not_counted():
    cells = misread(3)
    counts: Any = counts_of(cells)
    memory = BoardMemory.of(counts, CELLS)
    once = errors_learnt(NONE_LEARNT, seen(cells), CELLS, memory, None)
    assert once.counts.wrong == 0, "the glare was there before"
    moved = CELLS.copy()
    moved[3] += 2
    assert errors_learnt(NONE_LEARNT, seen(cells), moved, memory, None).counts.wrong == 0


def test_pictures_that_show_changes_where_nobody_played_count_for_less():
    change = np.where(np.arange(28) % 3 == 0, 6.0, -6.0)
    errors = NONE_LEARNT
    for _ in range(10):
        errors = errors_learnt(errors, seen(CELLS, change), CELLS, None, CELLS)
    view = PositionView.of(seen(CELLS, change), errors=errors)
    assert np.abs(view.change).max() == pytest.approx(errors.max_change_nats)
    assert errors.max_change_nats < 2


@pytest.mark.parametrize(("held", "is_tall"), [(11, True), (5, False)])
def test_a_stack_misread_alike_again_may_have_lost_one_only_if_it_is_tall(held, is_tall):
    """Nobody counts eleven in three layers; a reader that sees fifteen sees fifteen of ten too."""
    cells = np.zeros(28, np.int64)
    cells[:2] = held, 15 - held
    read = cells.copy()
    read[0] += 4
    memory = BoardMemory.of(seen(read).table, cells)
    view = PositionView.of(seen(read)).with_memory(memory)
    same, lost = view.table[0, held + 15], view.table[0, held - 1 + 15]
    assert (abs(same - lost) < 0.5) == is_tall


def test_who_is_misread_often_is_not_accused():
    # 13/9 13/11 is no play of 4-3; the picture that changed there is the second witness.
    played = (*OPENING.light[:9], 1, 0, 1, 0, 3, *OPENING.light[14:])
    after = cell_counts(Position(played, OPENING.dark))
    period = seen(after, np.where(after == CELLS, -6.0, 6.0))
    chances = np.full(21, 1e-5)
    chances[ALL_ROLLS.index(Roll(4, 3))] = 1
    rolls = np.log(chances / chances.sum())

    def verdict(errors: ReadingErrors) -> object:
        sight = PositionEvidence(PositionView.of(period, errors=errors))
        return judge(OPENING, Side.LIGHT, sight, SHORT, rolls, np.log(0.003))

    doubtful = after_turns(12, 1, 3, 8, 9, 10, 14)
    change = np.where(np.arange(28) % 3 == 0, 6.0, -6.0)
    for _ in range(10):
        doubtful = errors_learnt(doubtful, seen(misread(1, 3, 8), change), CELLS, None, CELLS)
    assert isinstance(verdict(NONE_LEARNT), Illegal)
    assert not isinstance(verdict(doubtful), Illegal)
