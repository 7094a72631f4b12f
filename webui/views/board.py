"""What the page shows of a state, worked out once for the server's drawing and the browser's.

`as_shown` adds `shown` to the state. All that needs the rules of the board (which cell is
dark's 8 point, where a play began and ended) happens here, so that the browser only draws.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from engine.errors import InvalidNotation
from engine.play import Play
from engine.position import BAR, OFF, Course
from webui.views import phrases as words
from webui.views.cup_status import cup_line

SIDES: Final = ("light", "dark")

DEFAULT_COLOURS: Final = {
    "light": "#f1e6d0",
    "dark": "#33302e",
    "field": "#d6c3a1",
    "odd": "#a4553f",
    "even": "#4d6b66",
    "frame": "#4a3428",
}
INKS: Final = ("#ffffff", "#000000")
"""One of them has a contrast of at least 4.5 on any colour."""
_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}")


def as_shown(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state and, under `shown`, all that the page draws and says of it."""
    state = {**state, "players": words.players(state["players"])}
    position = state["position"]
    course = Course((position or {}).get("course", "opposed"))
    shown = {
        "headline": words.headline(state),
        "title": words.title(state),
        "variant": words.variant(state),
        "length": words.goal(state),
        "lines": words.message_lines(state["message"]),
        "alert": words.alert(state),
        "flag": words.flag(state),
        "spoken": {"position": words.position(state), "event": words.event(state)},
        "piles": list(piles(position, course)),
        "off": {side: position[side][OFF] if position else 0 for side in SIDES},
        "marks": marks(state["last_play"], course),
        "dice": dice(state),
        "cube": cube(state["cube"]),
        "clock": clocks(state["clock"]),
        "cup": cup_line(state["cup"]),
        "cells": {side: cells(side, course) for side in SIDES},
        "numbers": point_numbers(state["to_move"] or "light", course),
        "colours": colours(state["colours"]),
        "last": words.last_play(state),
        "doubts": [words.doubt(state, one) for one in state["review"]],
        "source": words.source(state["source"], by_hand=state["by_hand"]),
    }
    return {**state, "shown": shown}


def cell(side: str, place: int, course: Course) -> str:
    """The board's name for a place of `side`, see `webui.views.geometry`."""
    if place in (OFF, BAR):
        return f"{'off' if place == OFF else 'bar'}-{side}"
    return str(place if side == "light" else course.across(place))


def cells(side: str, course: Course) -> list[str]:
    """The board's names for all places of `side`, borne off first and the bar last."""
    return [cell(side, place, course) for place in range(OFF, BAR + 1)]


def piles(position: Mapping[str, Any] | None, course: Course) -> Iterator[dict[str, Any]]:
    """Every pile on points and bar."""
    for side in SIDES if position else ():
        for place, count in enumerate(position[side] if position else ()):
            if count and place != OFF:
                yield {"cell": cell(side, place, course), "side": side, "count": count}


def marks(last: Mapping[str, Any] | None, course: Course) -> dict[str, Any]:
    """Where the last play began and ended; a point only touched on the way is neither."""
    if last is None:
        return {"side": None, "legal": True, "left": {}, "reached": {}}
    moves = _moves(last["play"])
    left, reached = Counter(m.source for m in moves), Counter(m.target for m in moves)
    side = last["player"]
    named = [
        {cell(side, place, course): count for place, count in ends.items()}
        for ends in (left - reached, reached - left)
    ]
    return {"side": side, "legal": last["legal"], "left": named[0], "reached": named[1]}


def _moves(notation: str) -> Iterable[Any]:
    try:
        return Play.parse(notation).moves
    except InvalidNotation:
        # An illegal play need not be one that notation has a word for; then nothing is marked.
        return ()


def cube(lies: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The cube to draw: its face, and at whose side it lies; None without one.

    An offered cube lies before the one who is to answer. A cube that was never turned shows 64,
    for it has no face with a one.
    """
    if lies is None or lies["crawford"]:
        return None
    if lies["offered"] is not None:
        answers = "dark" if lies["by"] == "light" else "light"
        return {"face": lies["offered"], "place": f"offered-{answers}"}
    face = 64 if lies["value"] == 1 else lies["value"]
    return {"face": face, "place": lies["owner"] or "middle"}


def clocks(told: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Each player's clock as it is shown; None without one."""
    if told is None:
        return None
    return {
        side: {
            "text": words.clock(told[side]),
            "delay": f"+{told['delay']}" if told["runs"] == side and told["delay"] else "",
            "runs": told["runs"] == side,
            "out": told[side] == 0,
        }
        for side in SIDES
    }


def dice(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The dice to draw: those that lie there, else the roll that is still to be played."""
    if state["dice"]:
        return [_die(die, state["to_move"]) for die in state["dice"]]
    roll = state["roll"]
    seen = ({**roll, "value": value, "flat": True} for value in roll["dice"]) if roll else ()
    return [_die(die, state["to_move"]) for die in seen]


def _die(die: Mapping[str, Any], to_move: str | None) -> dict[str, Any]:
    return {
        "side": die["player"] or to_move or "light",
        "value": die["value"],
        "flat": die["flat"],
        "sure": die["value"] is not None and die["confidence"] >= words.SURE,
    }


def point_numbers(side: str, course: Course) -> list[int]:
    """The numbers on the rim of light's points 1..24, counted by `side`."""
    return [p if side == "light" else course.across(p) for p in range(1, 25)]


def colours(true: Mapping[str, Any]) -> dict[str, str]:
    """The set's colours, with defaults for those not known, and an ink legible on the frame."""
    points = true["points"] or (None, None)
    given = {**true, "odd": points[0], "even": points[1]}
    kept = {name: _colour(given.get(name), spare) for name, spare in DEFAULT_COLOURS.items()}
    return {**kept, "ink": max(INKS, key=lambda ink: contrast(ink, kept["frame"]))}


def _colour(value: Any, spare: str) -> str:
    return value if isinstance(value, str) and _COLOUR.fullmatch(value) else spare


def luminance(colour: str) -> float:
    """Relative luminance 0..1 of `#rrggbb`, as WCAG defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    """The contrast ratio 1..21 of two `#rrggbb`, as WCAG defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
