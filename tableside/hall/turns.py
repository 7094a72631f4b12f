"""Turns as the hall's store keeps them: one row each, found by the position before the play.

The 26 counts of a side are two whole numbers, four bits a place: every database compares those, a
whole position by its index.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa

from engine import MatchState, Side
from engine.match.state import Turn
from engine.pattern import BoardPattern, PlaceCount
from engine.position import CHECKERS, PLACES
from tableside.analysis.catalog.facts import known_dice, standing_turns
from tableside.hall.schema import TURNS

_BITS: Final = 4
_HALF: Final = PLACES // 2
_COUNT: Final = (1 << _BITS) - 1
_SIDES: Final = tuple(Side)


def turn_rows(match: int, state: MatchState) -> list[dict[str, Any]]:
    """The rows of a match in `TURNS`."""
    return [
        {"match": match, "number": number, **_row(state, turn)}
        for number, turn in standing_turns(state)
    ]


def _row(state: MatchState, turn: Turn) -> dict[str, Any]:
    made = turn.event
    high, low = known_dice(made) or (None, None)
    own, other = (pack(turn.before.of(side)) for side in (made.player, made.player.other))
    return {
        "game": turn.game,
        "side": _SIDES.index(state.side_now(made.player, turn.game)),
        "color": _SIDES.index(made.player),
        "die1": high,
        "die2": low,
        "play": made.play,
        **dict(zip(("own_low", "own_high"), own, strict=True)),
        **dict(zip(("other_low", "other_high"), other, strict=True)),
    }


def pack(counts: Sequence[int]) -> tuple[int, int]:
    """The counts of a side vector as two numbers, the lower places first."""
    low, high = (
        sum(count << _BITS * at for at, count in enumerate(half))
        for half in (counts[:_HALF], counts[_HALF:])
    )
    return low, high


def unpack(low: int, high: int) -> list[int]:
    """The inverse of `pack`."""
    return [half >> _BITS * at & _COUNT for half in (low, high) for at in range(_HALF)]


def matches_pattern(pattern: BoardPattern) -> Iterator[sa.ColumnElement[bool]]:
    """The conditions on the rows of `TURNS` that a position fulfils which has the pattern."""
    columns = (TURNS.c.own_low, TURNS.c.own_high), (TURNS.c.other_low, TURNS.c.other_high)
    for counts, halves in zip((pattern.own, pattern.other), columns, strict=True):
        for first, column in zip((0, _HALF), halves, strict=True):
            within = [one for one in counts if first <= one.place < first + _HALF]
            yield from _in_half(column, first, within)


def _in_half(
    column: sa.Column[int], first: int, counts: Sequence[PlaceCount]
) -> Iterator[sa.ColumnElement[bool]]:
    exact = {one.place for one in counts if one.least == one.most}
    if len(exact) == len(counts) == _HALF:
        yield column == sum(one.least << _BITS * (one.place - first) for one in counts)
        return
    for one in counts:
        at = _BITS * (one.place - first)
        held = column.bitwise_and(_COUNT << at)
        if one.least == one.most:
            yield held == one.least << at
            continue
        if one.least > 0:
            yield held >= one.least << at
        if one.most < CHECKERS:
            yield held <= one.most << at
