"""Moves of a double that pass to the opponent, and another roll for a completed double.

In gulbar, crazy gulbar and giul, the opponent makes with their own checkers, before rolling, the
moves that the roller could not make.
"""

from __future__ import annotations

from typing import NamedTuple, NoReturn

from engine.dice import Roll
from engine.errors import IllegalPlay
from engine.message import msg
from engine.play import Play
from engine.position import Position, Side
from engine.rules import Rules
from engine.rules.house import LeftoverMoves
from engine.rules.legal import can_move_leftover, leftover_after

Numbers = tuple[int, ...]


class PlayOutcome(NamedTuple):
    """What a play leaves besides its position."""

    leftover: Numbers = ()
    """The numbers that the opponent moves before rolling; empty if none of them can be moved."""
    rolls_again: bool = False
    """Whether the same player rolls once more."""


def outcome_of_play(
    before: Position,
    side: Side,
    dice: tuple[int | None, int | None] | None,
    after: Position,
    rules: Rules,
) -> PlayOutcome:
    """What `side` leaves by playing `dice` from `before` to `after`; nothing if that is no play."""
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
    can_move = can_move_leftover(after, side.other, left, rules)
    return PlayOutcome(left if can_move else (), rules.rolls_again(roll, left, after.of(side)))


def refuse_leftover_play(moves: Play, leftover: Numbers) -> NoReturn:
    """Raise `IllegalPlay`: these moves are not what was left over, so the game cannot go on."""
    numbers = ", ".join(map(str, leftover))
    raise IllegalPlay(
        msg(
            "{moves} is not what was left over: play as many of {numbers} as possible",
            moves=str(moves),
            numbers=numbers,
        )
    )
