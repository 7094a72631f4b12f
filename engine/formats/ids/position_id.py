"""GNUBG Position ID: 14 characters, base64 of 80 bits.

Source: https://www.gnu.org/software/gnubg/manual/html_node/
A-technical-description-of-the-Position-ID.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.errors import InvalidPosition
from engine.formats.ids.bits import coded, decoded
from engine.formats.model.errors import InvalidId, NotInFormat
from engine.position import BAR, CHECKERS, OFF, PLACES, Course, Position, Setup, Side, SideVector

_BYTES: Final = 10


def position_id(position: Position, on_roll: Side) -> str:
    """The ID from the view of the player on roll; raises `NotInFormat` for narde."""
    if position.course is not Course.OPPOSED:
        raise NotInFormat("a Position ID cannot describe narde")
    number, shift = 0, 0
    for vector in (position.of(on_roll.other), position.of(on_roll)):
        for count in vector[1:]:
            number |= ((1 << count) - 1) << shift
            shift += count + 1
    return coded(number, _BYTES)


def parse_position_id(text: str, on_roll: Side) -> Position:
    """The position of an ID from the view of `on_roll`; raises `InvalidId` if there is none.

    gnubg rejects the same IDs: both sides on a point, more than 15 checkers, both on the bar
    against two closed boards.
    """
    number = decoded(text, _BYTES, "Position ID")
    other, number = _side(number, text)
    own, number = _side(number, text)
    if number:
        raise InvalidId(f"{text!r} is not a Position ID: it has more than two sides")
    light, dark = (own, other) if on_roll is Side.LIGHT else (other, own)
    return checked_position(lambda: Setup(light, dark).checked(), text)


def _side(number: int, text: str) -> tuple[SideVector, int]:
    """One side's vector, and the bits after it."""
    vector = [0] * PLACES
    for place in range(1, PLACES):
        count = (~number & (number + 1)).bit_length() - 1
        vector[place] = count
        number >>= count + 1
    if sum(vector) > CHECKERS:
        raise InvalidId(f"{text!r} is not a position: a side has {sum(vector)} checkers")
    vector[OFF] = CHECKERS - sum(vector)
    return tuple(vector), number


def checked_position(position_of_id: Callable[[], Position], text: str) -> Position:
    """The position; raises `InvalidId`, also if both are on the bar against closed boards."""
    try:
        position = position_of_id()
    except InvalidPosition as error:
        raise InvalidId(f"{text!r} is not a position: {error}") from error
    vectors = [position.of(side) for side in Side]
    if all(vector[BAR] and min(vector[1:7]) >= 2 for vector in vectors):
        raise InvalidId(f"{text!r}: both sides are on the bar against closed boards")
    return position
