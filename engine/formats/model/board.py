"""Boards as 26 signed counts, as XG and Snowie write them.

From one side's view: index 0 is the opponent's bar, 1..24 its own points, 25 its own bar; its own
checkers count as positive, the opponent's as negative.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.position import BAR, CHECKERS, OFF, Position, Setup, Side


def signed_counts(position: Position, side: Side) -> list[int]:
    """The counts of a position as `side` sees it."""
    own, other = position.of(side), position.of(side.other)
    return [-other[BAR], *(own[p] or -other[BAR - p] for p in range(1, BAR)), own[BAR]]


def position_from_counts(counts: Sequence[int], side: Side) -> Position:
    """The position for counts from `side`'s view, others borne off; raises `InvalidPosition`."""
    own = [max(count, 0) for count in counts]
    other = [max(-count, 0) for count in reversed(counts)]
    for vector in (own, other):
        vector[OFF] = max(0, CHECKERS - sum(vector))
    light, dark = (own, other) if side is Side.LIGHT else (other, own)
    return Setup(light, dark).checked()
