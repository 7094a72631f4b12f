"""Dice, and what looks like one, that lie there for longer than a turn."""

from __future__ import annotations

import pytest

from engine import DiceRolled, DiceVoid, PlayMade
from engine.simulation.board import die
from tests.refereed_board import DARK, LIGHT, match

SPOT = die(6, (0.15, 0.5))


@pytest.mark.parametrize("is_seen_first", [True, False])
def test_a_spot_that_looks_like_a_die_makes_no_throw_however_long_it_lies_there(is_seen_first):
    """It is seen before anybody throws, or only beside the dice of the first throw."""
    one = match()
    if is_seen_first:
        one.dice(SPOT)
    rolls = [(LIGHT, 3, 1, "8/5 6/5"), (DARK, 4, 2, "8/4 6/4"), (LIGHT, 5, 3, "8/3 6/3"),
             (DARK, 6, 4, "24/18 13/9"), (LIGHT, 2, 1, "13/11 6/5")]  # fmt: skip
    for side, high, low, play in rolls:
        thrown = die(high, (0.7, 0.4)), die(low, (0.8, 0.6))
        one.dice(*thrown, SPOT)
        one.play(side, play)
        one.dice(SPOT)
    assert [event.dice for event in one.of(PlayMade)][:4] == [
        (high, low) for _, high, low, _ in rolls[:4]
    ]
    assert one.of(DiceVoid) == []
    assert len(one.of(DiceRolled)) == len(rolls)
