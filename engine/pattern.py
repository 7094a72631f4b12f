"""Patterns of checkers, which many positions match: `6:2+ 5:2+ | bar:1+`.

Before the bar stand the places of the player on turn, after it those of the opponent, each in its
own numbers. A place that is not named may hold anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

from engine.errors import InvalidPosition
from engine.message import msg
from engine.position import CHECKERS, PLACES, SideVector, place_number, place_symbol

_WANTED: Final = re.compile(
    r"(?P<place>bar|off|\d{1,2}):(?P<least>\d{1,2})(?:(?P<open>\+)|-(?P<most>\d{1,2}))?"
)


@dataclass(frozen=True, slots=True)
class PlaceCount:
    """How many checkers a side has on a place: from `least` to `most`."""

    place: int
    """As in a side vector."""
    least: int
    most: int

    def __str__(self) -> str:
        if self.least == self.most:
            count = str(self.least)
        elif self.most == CHECKERS:
            count = f"{self.least}+"
        else:
            count = f"{self.least}-{self.most}"
        return f"{place_symbol(self.place)}:{count}"


@dataclass(frozen=True, slots=True)
class BoardPattern:
    """What a position must have to match."""

    own: tuple[PlaceCount, ...]
    """Of the player on turn."""
    other: tuple[PlaceCount, ...] = ()
    """Of the opponent."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what `str` writes; raises `InvalidPosition`, which says what is wrong."""
        own, _, other = text.partition("|")
        return cls(tuple(_counts(own)), tuple(_counts(other)))

    @classmethod
    def of_position(cls, own: SideVector, other: SideVector) -> Self:
        """The pattern that one position alone matches."""
        sides = (tuple(PlaceCount(at, n, n) for at, n in enumerate(one)) for one in (own, other))
        return cls(*sides)

    def __str__(self) -> str:
        own, other = (" ".join(map(str, counts)) for counts in (self.own, self.other))
        return f"{own} | {other}".strip() if other else own


def _counts(text: str) -> Iterator[PlaceCount]:
    for word in text.split():
        found = _WANTED.fullmatch(word.lower())
        if found is None:
            raise InvalidPosition(
                msg("cannot read {word} as a place and its count, such as 6:2+", word=repr(word))
            )
        place, least = place_number(found["place"]), int(found["least"])
        most = CHECKERS if found["open"] else int(found["most"] or least)
        if place >= PLACES:
            raise InvalidPosition(msg("there is no point {place}", place=place))
        if not least <= most <= CHECKERS:
            raise InvalidPosition(msg("{word}: no place holds that many checkers", word=word))
        yield PlaceCount(place, least, most)
