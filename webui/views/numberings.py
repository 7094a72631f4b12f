"""The possible orientations of the board in a game joined midway, as pictures and words.

Functions return text in the reader's language.
"""

from __future__ import annotations

from typing import Final, Literal

from typing_extensions import TypedDict

from webui.contracts.state import Names, Numbering, SideName
from webui.i18n.locale import N_, gettext
from webui.views import geometry
from webui.views.piles import SIDES, Pile, borne_off, cells, course_of, piles

BEARS_OFF: Final = {
    (True, True): N_("%(name)s bears off bottom right"),
    (True, False): N_("%(name)s bears off bottom left"),
    (False, True): N_("%(name)s bears off top right"),
    (False, False): N_("%(name)s bears off top left"),
}
"""Phrases by whether the corner is at the bottom and at the right."""


class NumberingDrawing(TypedDict):
    """One orientation to choose: a small board, drawn as the camera sees it, and its caption."""

    turned: bool
    mirrored: bool
    home: Literal["right", "left"]
    sits: Literal["bottom", "top"]
    piles: list[Pile]
    off: dict[str, int]
    homes: dict[SideName, list[str]]
    """The cells of each side's home."""
    light: str
    """Where light bears off, in words."""
    dark: str


def drawing(one: Numbering, players: Names) -> NumberingDrawing:
    """A numbering as drawn."""
    position = one["position"]
    course = course_of(position)
    homes = {side: cells(side, course)[1:7] for side in SIDES}
    return NumberingDrawing(
        turned=one["turned"],
        mirrored=one["mirrored"],
        home=one["light_home"],
        sits=one["light_sits"],
        piles=piles(position),
        off=borne_off(position),
        homes=homes,
        light=_bears_off(players["light"], one, homes["light"][0]),
        dark=_bears_off(players["dark"], one, homes["dark"][0]),
    )


def _bears_off(name: str, one: Numbering, ace_point: str) -> str:
    """Where a player bears off, as the camera sees the board."""
    anchor = geometry.anchors()[ace_point]
    is_below = anchor["step"] < 0
    is_right = geometry.mirrored(anchor["x"], one["light_home"]) > geometry.WIDTH / 2
    is_upright = one["light_sits"] == "bottom"
    return gettext(BEARS_OFF[is_below == is_upright, is_right == is_upright], name=name)
