"""Moves of a double that pass on to the opponent, and another roll for one that was completed.

In gulbar, crazy gulbar and giul the opponent makes with his own checkers what the roller could not,
before his own roll.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.dice import Roll
from engine.position import Position, Side
from engine.rules import Rules
from engine.rules.house import LeftoverMoves
from engine.rules.legal import leftover_after, leftover_plays

Numbers = tuple[int, ...]


class PlayOutcome(NamedTuple):
    """What a play leaves beside its position."""

    leftover: Numbers = ()
    """The numbers that the opponent moves before he rolls; none where he can move none of them."""
    rolls_again: bool = False
    """Whether who played it rolls once more."""


def outcome_of_play(
    before: Position,
    side: Side,
    dice: tuple[int | None, int | None] | None,
    after: Position,
    rules: Rules,
) -> PlayOutcome:
    """What `side` playing `dice` from `before` to `after` leaves; nothing where that is no play."""
    doubles = rules.doubles
    high, low = dice or (None, None)
    if high is None or low is None or high != low:
        return PlayOutcome()
    if doubles.passing is LeftoverMoves.NOTHING and not doubles.rolls_again:
        return PlayOutcome()
    roll = Roll(high, low)
    left = leftover_after(before, side, roll, after, rules)
    if left is None:
        return PlayOutcome()
    can_move = bool(left) and not leftover_plays(after, side.other, left, rules).is_pass
    return PlayOutcome(left if can_move else (), rules.rolls_again(roll, left))
