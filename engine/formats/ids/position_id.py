"""GNUBG Position ID: 14 characters, base64 of 80 bits.

Source: https://www.gnu.org/software/gnubg/manual/html_node/
A-technical-description-of-the-Position-ID.html
"""

from __future__ import annotations

from typing import Final

from engine.errors import InvalidPosition
from engine.formats.ids.bits import coded, decoded
from engine.formats.model.errors import InvalidId, NotInFormat
from engine.position import BAR, CHECKERS, OFF, PLACES, Course, Position, Setup, Side, SideVector

_BYTES: Final = 10


def position_id(position: Position, on_roll: Side) -> str:
    """The id as the player on roll has it; `NotInFormat` for narde, whose sides run alike."""
    if position.course is not Course.OPPOSED:
        raise NotInFormat("a Position ID is for sides that run against each other, not for narde")
    number, shift = 0, 0
    for vector in (position.of(on_roll.other), position.of(on_roll)):
        for count in vector[1:]:
            number |= ((1 << count) - 1) << shift
            shift += count + 1
    return coded(number, _BYTES)


def parse_position_id(text: str, on_roll: Side) -> Position:
    """The position of an id that `on_roll` has; `InvalidId` says why there is none.

    gnubg refuses the same ids: both sides on a point, more than 15 checkers, both on the bar
    against two closed boards.
    """
    number = decoded(text, _BYTES, "Position ID")
    other, number = _side(number, text)
    own, number = _side(number, text)
    if number:
        raise InvalidId(f"{text!r} is no Position ID: it holds more than two sides")
    light, dark = (own, other) if on_roll is Side.LIGHT else (other, own)
    try:
        position = Setup(light, dark).checked()
    except InvalidPosition as error:
        raise InvalidId(f"{text!r} is no position: {error}") from error
    refuse_deadlock(position, text)
    return position


def _side(number: int, text: str) -> tuple[SideVector, int]:
    """One side's vector, and the bits after it."""
    vector = [0] * PLACES
    for place in range(1, PLACES):
        count = (~number & (number + 1)).bit_length() - 1
        vector[place] = count
        number >>= count + 1
    if sum(vector) > CHECKERS:
        raise InvalidId(f"{text!r} is no position: a side has {sum(vector)} checkers")
    vector[OFF] = CHECKERS - sum(vector)
    return tuple(vector), number


def refuse_deadlock(position: Position, text: str) -> None:
    """`InvalidId` where both are on the bar against closed boards: no play leads there."""
    shut = all(
        position.of(side)[BAR] and all(n >= 2 for n in position.of(side)[1:7]) for side in Side
    )
    if shut:
        raise InvalidId(f"{text!r}: both sides are on the bar against closed boards")
