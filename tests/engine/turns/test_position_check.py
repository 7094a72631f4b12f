"""What stands on the board is told by its counts and by what has changed since."""

from dataclasses import replace

import numpy as np
import pytest

from engine import Play, Side, apply_play, cell_counts, find_rules
from engine.evidence.still_period import StillPeriod
from engine.simulation.board import counts_of, look
from engine.turns.position_check import shows_put_back

SHORT = find_rules("short")
OPENING = SHORT.opening()
SLIP = apply_play(OPENING, Side.LIGHT, Play.parse("13/8 6/5"), SHORT)
"""Played with 3-1: no play of that roll."""
SURE_CHANGE = 4.0


def seen_since(shown, settled, sharp):
    """A doubtful look at `shown`, compared with a picture of `settled`."""
    cells = cell_counts(shown)
    change = np.where(cells != cell_counts(settled), SURE_CHANGE, -SURE_CHANGE)
    counts = counts_of(cells, sharp=sharp)
    return StillPeriod.of(replace(look(shown), counts=counts, change=change.astype(np.float32)))


@pytest.mark.parametrize("sharp", [0.6, 0.9, 0.99])
def test_a_slip_that_is_taken_back_has_changed_since_it_was_recorded(sharp):
    stretch = seen_since(OPENING, SLIP, sharp)

    assert shows_put_back(stretch, SLIP, OPENING, Side.LIGHT, (3, 1), SHORT)


@pytest.mark.parametrize("sharp", [0.6, 0.9, 0.99])
def test_a_slip_that_stands_has_not(sharp):
    stretch = seen_since(SLIP, SLIP, sharp)

    assert not shows_put_back(stretch, SLIP, OPENING, Side.LIGHT, (3, 1), SHORT)


THIRD = apply_play(OPENING, Side.LIGHT, Play.parse("8/5 6/5 13/11"), SHORT)
"""Played with 3-1, and then a third checker was moved."""


@pytest.mark.parametrize("stood", [OPENING, THIRD])
def test_a_misread_place_is_no_replay_whatever_the_picture_is_compared_with(stood):
    # The look that ends a turn is compared with the board before it, later ones with the slip.
    compared = seen_since(THIRD, stood, 0.99)
    read = cell_counts(THIRD) - (np.arange(28) == 10)
    seen = replace(look(THIRD), counts=counts_of(read), change=compared.change.astype(np.float32))
    args = (StillPeriod.of(seen), THIRD, OPENING, Side.LIGHT, (3, 1), SHORT)

    assert not shows_put_back(*args, stood=stood)
