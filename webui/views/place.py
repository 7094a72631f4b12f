"""Where in a tournament a match is played, and the players' flags, in words and letters."""

from __future__ import annotations

from typing import Final

from typing_extensions import TypedDict

from webui.contracts.state import NO_PLACE, PlaceShown, SideName
from webui.i18n.locale import country_codes, country_name, gettext

_SEPARATOR: Final = "\u00a0· "
"""A line may end with the dot, but none begins with it."""


class Flag(TypedDict):
    """The country that a player represents."""

    code: str
    name: str


class PlaceView(TypedDict):
    """Where a match is played, for the header of a page."""

    line: str
    """Empty if nothing is known."""
    flags: dict[SideName, Flag | None]
    logo: str
    """The address of the logo; empty without one."""


def place_view(place: PlaceShown | None) -> PlaceView:
    """The place in one line, with the flags and the logo."""
    known: PlaceShown = {**NO_PLACE, **(place or NO_PLACE)}  # an older table of a hall says less
    return PlaceView(
        line=place_line(known["event"], known["round"], known["table"]),
        flags={"light": _flag(known["light_country"]), "dark": _flag(known["dark_country"])},
        logo=f"/api/logos/{known['logo']}.png" if known["logo"] else "",
    )


def place_line(event: str, stage: str, table: str = "") -> str:
    """What is known of the event, the round and the table, in one line.

    Numbers are preceded by what they count: `Round 3`. A name, such as a final's, stays as it is.
    """
    if stage.isdecimal():
        stage = gettext("Round %(number)s", number=stage)
    if table.isdecimal():
        table = gettext("Table %(name)s", name=table)
    return _SEPARATOR.join(filter(None, (event, stage, table)))


def _flag(code: str) -> Flag | None:
    if not code:
        return None
    return Flag(code=code, name=country_name(code))


def countries() -> list[tuple[str, str]]:
    """The two letters and the name of every country, by name."""
    return sorted(((code, country_name(code)) for code in country_codes()), key=lambda one: one[1])
