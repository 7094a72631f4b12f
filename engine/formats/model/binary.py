"""What readers of binary match files share: numbers in them may make no sense."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.dice import Roll
from engine.errors import InvalidPosition, InvalidRoll
from engine.formats.model.board import position_from_counts
from engine.formats.model.match_file import FaultList, Headers
from engine.formats.model.safe_text import whole_text
from engine.message import message_of, msg
from engine.play import Move
from engine.position import BAR, OFF, Position, Side


def roll_of(dice: tuple[int, int], line: int, faults: FaultList) -> Roll | None:
    """The roll; None, and a fault, if these are no dice."""
    try:
        return Roll(*dice)
    except InvalidRoll as error:
        faults.add(line, message_of(error))
        return None


def board_of(counts: Sequence[int], side: Side, line: int, faults: FaultList) -> Position | None:
    """The position for counts as `position_from_counts` takes them; None, and a fault, if none."""
    try:
        return position_from_counts(counts, side)
    except InvalidPosition as error:
        why = message_of(error)
        faults.add(line, msg("the position set here cannot be read: {error}", error=why))
        return None


def moves_of(places: Iterable[tuple[int, int]]) -> tuple[Move, ...] | None:
    """The moves between these places, off being 0 or less; None if no checker moves like that."""
    moves = []
    for source, target in places:
        move = Move(source, max(OFF, target))
        if not OFF < move.source <= BAR or move.target >= BAR or move.target == move.source:
            return None
        moves.append(move)
    return tuple(moves)


def headers_of(named: Headers, length: int, *, jacoby: bool, crawford: bool) -> Headers:
    """The headers that are not empty, and those of the rules where they are not the usual ones."""
    rules = (
        ("Jacoby", "On" if length == 0 and jacoby else ""),
        ("Crawford", "" if length == 0 or crawford else "Off"),
    )
    return tuple((name, whole_text(text)) for name, text in (*named, *rules) if text)
