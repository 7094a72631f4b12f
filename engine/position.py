"""Where the checkers are: unchecked `Setup`, checked `Position`.

A *side vector* is 26 counts from its own player's view: index 0 = borne off, 1..24 = own points (1
is the ace point, 24 the furthest), 25 = on the bar. A position holds one for each side; how the two
sides' numbers overlay is the board's `Course`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from engine.errors import InvalidPosition
from engine.message import Message, join, msg, ngettext

OFF: Final = 0
BAR: Final = 25
PLACES: Final = 26
CHECKERS: Final = 15
HOME_POINTS: Final = 6
MIDDLE: Final = 12
"""The first point of the second half of a path."""
"""Home is a side's own points 1 to 6."""

SideVector = tuple[int, ...]

_SIDES: Final = re.compile(r"light(?P<light>[^|]*)\|\s*dark(?P<dark>[^|]*)")
_COUNT: Final = re.compile(r"(?P<place>bar|off|\d{1,2}):(?P<count>\d{1,2})")


class Side(Enum):
    """The two sides, by the brightness of their checkers."""

    LIGHT = "light"
    DARK = "dark"

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side.DARK if self is Side.LIGHT else Side.LIGHT

    def __repr__(self) -> str:
        return f"Side.{self.name}"


SIDE_NAMES: Final = {Side.LIGHT: msg("light"), Side.DARK: msg("dark")}
"""The sides' names within sentences."""
SIDE_TITLES: Final = {Side.LIGHT: msg("Light"), Side.DARK: msg("Dark")}
"""The names of players without one."""


class Course(Enum):
    """How the two sides travel, and so how their numbers overlay."""

    OPPOSED = "opposed"
    """Short backgammon: the sides move against each other; own p is the opponent's 25 - p."""
    CIRCLING = "circling"
    """Narde: both move the same way around; own p is the opponent's p + 12, wrapped."""

    def across(self, point: int) -> int:
        """The opponent's number for own point 1..24."""
        return 25 - point if self is Course.OPPOSED else (point + 11) % 24 + 1


@dataclass(frozen=True, slots=True)
class Setup:
    """Unchecked counts from outside; not even their total is checked."""

    light: Sequence[int]
    dark: Sequence[int]
    course: Course = Course.OPPOSED

    def faults(self) -> tuple[Message, ...]:
        """Every reason why this is not a valid position; empty if it is one."""
        return (
            *_side_faults(Side.LIGHT, self.light),
            *_side_faults(Side.DARK, self.dark),
            *self._shared_points(),
        )

    def _shared_points(self) -> Iterator[Message]:
        if len(self.light) != PLACES or len(self.dark) != PLACES:
            return
        if set(map(type, (*self.light, *self.dark))) != {int}:
            return
        light, dark, across = self.light, self.dark, self.course.across
        for point in range(1, BAR):
            if light[point] > 0 and dark[across(point)] > 0:
                yield msg("light's {point} point holds checkers of both sides", point=point)

    def checked(self) -> Position:
        """The position; raises `InvalidPosition`, which lists every error, if it is invalid."""
        faults = self.faults()
        if faults:
            raise InvalidPosition(join(faults))
        return Position(tuple(self.light), tuple(self.dark), self.course)


def _side_faults(side: Side, vector: Sequence[int]) -> Iterator[Message]:
    name = SIDE_NAMES[side]
    if len(vector) != PLACES:
        yield msg(
            "{side} needs {places} counts, not {count}", side=name, places=PLACES, count=len(vector)
        )
        return
    if set(map(type, vector)) != {int}:
        yield msg("{side} has a count that is not a whole number", side=name)
        return
    for place, count in enumerate(vector):
        if count < 0:
            where = place_name(place)
            yield msg("{side} has {count} checkers on {place}", side=name, count=count, place=where)
    if sum(vector) != CHECKERS:
        yield wrong_number(side, sum(vector))


def wrong_number(side: Side, count: int) -> Message:
    """The message that a side has too many or too few checkers."""
    return ngettext(
        "{side} has {number} checker, not {checkers}",
        "{side} has {number} checkers, not {checkers}",
        count,
        side=SIDE_NAMES[side],
        checkers=CHECKERS,
    )


def place_name(place: int) -> Message:
    """`the 6 point`, `the bar` or `off`: a place of a side vector in words."""
    if place == OFF:
        return msg("off")
    return msg("the bar") if place == BAR else msg("the {place} point", place=place)


def place_symbol(place: int) -> str:
    """`6`, `bar` or `off`: a place of a side vector in notation."""
    return {OFF: "off", BAR: "bar"}.get(place, str(place))


def place_number(symbol: str) -> int:
    """The inverse of `place_symbol`; the range of a number is not checked."""
    return {"off": OFF, "bar": BAR}[symbol] if symbol.isalpha() else int(symbol)


@dataclass(frozen=True, slots=True)
class Position:
    """A checked position: 15 checkers a side, no point held by both.

    Make it with `Setup(...).checked()` if the counts come from outside.
    """

    light: SideVector
    dark: SideVector
    course: Course = Course.OPPOSED

    @classmethod
    def parse(cls, text: str, course: Course = Course.OPPOSED) -> Position:
        """Read what `str` writes: `light bar:1 24:1 6:13 | dark 8:15`.

        Checkers that are not named are borne off. Give `Course.CIRCLING` for narde and its kin,
        whose sides travel the same way around. Raises `InvalidPosition`, which says what is wrong.
        """
        sides = _SIDES.fullmatch(text.strip())
        if sides is None:
            raise InvalidPosition(f"cannot read {text[:60]!r} as light 6:5 .. | dark 6:5 ..")
        return Setup(_side_counts(sides["light"]), _side_counts(sides["dark"]), course).checked()

    def of(self, side: Side) -> SideVector:
        """The side vector of `side`."""
        return self.light if side is Side.LIGHT else self.dark

    def with_colors_swapped(self) -> Position:
        """The same board with light's checkers as dark's, in the numbers of their side."""
        return Position(self.dark, self.light, self.course)

    def with_sides(self, mover: Side, own: SideVector, other: SideVector) -> Position:
        """The position with `own` for `mover` and `other` for the opponent."""
        light, dark = (own, other) if mover is Side.LIGHT else (other, own)
        return Position(light, dark, self.course)

    def pips(self, side: Side) -> int:
        """The pip count of `side`; a checker on the bar counts 25."""
        return sum(place * count for place, count in enumerate(self.of(side)))

    @property
    def has_contact(self) -> bool:
        """Whether a side can still hit or block the other."""
        light, dark = (_farthest(self.of(side)) for side in Side)
        if self.course is Course.OPPOSED:
            return light + dark > BAR
        # Both circle: past the middle of its path, no side meets the other again.
        return max(light, dark) > MIDDLE

    def signed(self) -> tuple[int, ...]:
        """24 counts by light's numbers 1..24; light positive, dark negative."""
        return tuple(
            self.light[point] - self.dark[self.course.across(point)] for point in range(1, BAR)
        )

    def __str__(self) -> str:
        return f"light {_side_text(self.light)} | dark {_side_text(self.dark)}"


def _farthest(vector: SideVector) -> int:
    """The place of the rearmost checker."""
    return max(place for place, count in enumerate(vector) if count)


def _side_text(vector: SideVector) -> str:
    return " ".join(f"{place_symbol(p)}:{vector[p]}" for p in range(BAR, -1, -1) if vector[p])


def _side_counts(text: str) -> list[int]:
    counts = [0] * PLACES
    for word in text.split():
        part = _COUNT.fullmatch(word)
        if part is None:
            raise InvalidPosition(f"cannot read {word!r} as a place and its count, such as 13:5")
        place = place_number(part["place"])
        if place >= PLACES:
            raise InvalidPosition(msg("there is no point {place}", place=place))
        counts[place] += int(part["count"])
    counts[OFF] += max(0, CHECKERS - sum(counts))
    return counts
