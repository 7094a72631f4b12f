"""Positions as piles on the cells of the drawn board; see `webui.views.geometry`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from typing_extensions import TypedDict

from engine.position import BAR, OFF, Course
from webui.contracts.state import Board, SideName

SIDES: Final[tuple[SideName, SideName]] = ("light", "dark")


class Pile(TypedDict):
    """Checkers on one cell of the drawn board."""

    cell: str
    side: SideName
    count: int


def course_of(position: Board | None) -> Course:
    """How the two sides travel."""
    return Course.OPPOSED if position is None else Course(position.get("course", "opposed"))


def cell(side: SideName, place: int, course: Course) -> str:
    """The board's name for a place of `side`; see `webui.views.geometry`."""
    if place in (OFF, BAR):
        return f"{'off' if place == OFF else 'bar'}-{side}"
    return str(place if side == "light" else course.across(place))


def cells(side: SideName, course: Course) -> list[str]:
    """The board's names for all places of `side`, from borne off to the bar."""
    return [cell(side, place, course) for place in range(OFF, BAR + 1)]


def piles(position: Board | None) -> list[Pile]:
    """Every pile on the points and the bar."""
    return [] if position is None else list(_piles(position))


def _piles(position: Board) -> Iterator[Pile]:
    course = course_of(position)
    for side in SIDES:
        for place, count in enumerate(position[side]):
            if count and place != OFF:
                yield Pile(cell=cell(side, place, course), side=side, count=count)


def borne_off(position: Board | None) -> dict[str, int]:
    """How many checkers each side has borne off."""
    return {side: position[side][OFF] if position else 0 for side in SIDES}
