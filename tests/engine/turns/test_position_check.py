"""A position is recognized by its counts and by what has changed since."""

from dataclasses import replace

import numpy as np
import pytest

from engine import Play, Side, apply_play, cell_counts, find_rules
from engine.evidence.still_period import StillPeriod
from engine.simulation.board import counts_of, observation_of
from engine.turns.position_check import shows_put_back

SHORT = find_rules("short")
OPENING = SHORT.opening()
ILLEGAL = apply_play(OPENING, Side.LIGHT, Play.parse("13/8 6/5"), SHORT)
"""Played with 3-1: no play of that roll."""
SURE_CHANGE = 4.0


def seen_since(shown, settled, confidence):
    """A doubtful look at `shown`, compared with a picture of `settled`."""
    cells = cell_counts(shown)
    change = np.where(cells != cell_counts(settled), SURE_CHANGE, -SURE_CHANGE)
    counts = counts_of(cells, confidence=confidence)
    return StillPeriod.of(
        replace(observation_of(shown), counts=counts, change=change.astype(np.float32))
    )


@pytest.mark.parametrize("confidence", [0.6, 0.9, 0.99])
def test_an_illegal_play_that_is_taken_back_has_changed_since_it_was_recorded(confidence):
    period = seen_since(OPENING, ILLEGAL, confidence)

    assert shows_put_back(period, ILLEGAL, OPENING, Side.LIGHT, (3, 1), SHORT)


@pytest.mark.parametrize("confidence", [0.6, 0.9, 0.99])
def test_an_illegal_play_that_is_left_has_not(confidence):
    period = seen_since(ILLEGAL, ILLEGAL, confidence)

    assert not shows_put_back(period, ILLEGAL, OPENING, Side.LIGHT, (3, 1), SHORT)


THIRD = apply_play(OPENING, Side.LIGHT, Play.parse("8/5 6/5 13/11"), SHORT)
"""Played with 3-1, and then a third checker was moved."""


@pytest.mark.parametrize("stood", [OPENING, THIRD])
def test_a_misread_place_is_no_replay_whatever_the_picture_is_compared_with(stood):
    # What ends a turn is compared with the board before it; what follows, with the illegal play.
    compared = seen_since(THIRD, stood, 0.99)
    read = cell_counts(THIRD) - (np.arange(28) == 10)
    seen = replace(
        observation_of(THIRD), counts=counts_of(read), change=compared.change.astype(np.float32)
    )
    args = (StillPeriod.of(seen), THIRD, OPENING, Side.LIGHT, (3, 1), SHORT)

    assert not shows_put_back(*args, reference=stood)
