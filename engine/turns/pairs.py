"""Which of many dice are a player's throw: both players' pairs may lie there at once."""

from __future__ import annotations

from itertools import combinations

from engine.evidence.still_period import DieTrack
from engine.position import Side
from engine.turns.throw import is_right_half
from engine.turns.zones import RollZone

Tracks = tuple[DieTrack, ...]


def own_pair(dice: Tracks, roller: Side | None, ground: RollZone) -> tuple[Tracks, Tracks]:
    """The two dice that are `roller`'s by where they lie and by their colour, and the others.

    Of pairs that fit alike it is the one that is read most surely.
    """
    if len(dice) <= 2:
        return dice, ()
    ranked = sorted(dice, key=lambda die: (-die.looks, -float(die.faces.max())))
    pairs = combinations(ranked, 2)
    pair: Tracks = min(pairs, key=lambda two: _misfit(two, roller, ground))
    return pair, tuple(die for die in ranked if die not in pair)


def _misfit(pair: Tracks, roller: Side | None, ground: RollZone) -> int:
    """How much speaks against one throw of `roller`: two of a kind first, then whose they are."""
    halves = {half for die in pair if (half := is_right_half(die)) is not None}
    sides = {die.side for die in pair} - {None}
    unlike = (len(halves) > 1) + (len(sides) > 1)
    unfit = sum(ground.unfit(die.surface, die.board) is not None for die in pair)
    own = None if roller is None else ground.right_of(roller)
    foreign = sum(own is not None and is_right_half(die) is not own for die in pair)
    foreign += 2 * sum(roller is not None and die.side is roller.other for die in pair)
    return 4 * unlike + 3 * unfit + foreign
