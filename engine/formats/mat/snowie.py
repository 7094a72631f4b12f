"""Snowie's position text, the only way for `.mat` to hold a play that moves cannot express.

gnubg 1.07 reads `62: Illegal play (<position>)`: the checkers counted as positive belong to the
player whom the turn field does not name, and who made the illegal play.
"""

from __future__ import annotations

import re
from typing import Final

from engine.errors import InvalidNotation, InvalidPosition
from engine.formats.model.board import position_from_counts, signed_counts
from engine.formats.model.errors import NotInFormat
from engine.position import BAR, PLACES, Course, Position, Side

_HEAD: Final = 12
_NUMBER: Final = re.compile(r" *-?[0-9]{1,5} *")
_PLAYERS: Final = (Side.LIGHT, Side.DARK)


def parse_snowie(text: str) -> Position:
    """The position of a Snowie text; raises `InvalidNotation`, which names the wrong field."""
    fields = text.split(";")
    if len(fields) < _HEAD + PLACES:
        raise InvalidNotation(f"a Snowie position has {_HEAD + PLACES + 2} fields")
    turn = _number(fields[4])
    if turn not in {0, 1}:
        raise InvalidNotation(f"the turn of a Snowie position must be 0 or 1, not {turn}")
    counts = [_number(field) for field in fields[_HEAD : _HEAD + PLACES]]
    counts[0], counts[BAR] = -abs(counts[0]), abs(counts[BAR])
    try:
        return position_from_counts(counts, _PLAYERS[turn].other)
    except InvalidPosition as error:
        raise InvalidNotation(str(error)) from error


def _number(field: str) -> int:
    if _NUMBER.fullmatch(field) is None:
        raise InvalidNotation(f"{field[:20]!r} in a Snowie position is not a number")
    return int(field)


def snowie_text(
    position: Position, mover: Side, *, length: int, names: tuple[str, str],
    score: tuple[int, int], is_crawford: bool, cube: int, owner: Side | None,
) -> str:  # fmt: skip
    """The position that `mover` left, as gnubg 1.07 writes it, without dice."""
    if position.course is not Course.OPPOSED:
        raise NotInFormat("a Snowie position cannot describe narde")
    first = _PLAYERS.index(mover)
    fields = (
        *(length, 0, 0, int(length == 0), 1 - first, names[first], names[1 - first]),
        *(int(is_crawford), score[first], score[1 - first], cube),
        0 if owner is None else 1 if owner is mover else -1,
        *(*signed_counts(position, mover), 0, 0),
    )
    return "".join(f"{field};" for field in fields)
