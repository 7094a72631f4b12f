"""`/overlay`: the match on a transparent page, for the browser source of OBS and similar programs.

Everything about it is set in its address, because that is all that a streamer can set. An
impossible value gets a 400 and one line that names the possible ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from flask import Blueprint, Response, render_template, request

from engine.message import Message, message_of, msg
from webui.context import least_delay, released, shown_late
from webui.http.auth import TOKEN, stream_visibility
from webui.http.errors import one_line
from webui.i18n.locale import LANGUAGES, SOURCE
from webui.streaming.delay import LONGEST
from webui.views import geometry
from webui.views.board import as_shown

USUAL_PARTS: Final = ("board", "dice", "cube", "score", "pips", "flag", "names", "last", "clock")
PARTS: Final = (*USUAL_PARTS, "study", "chances", "event")
POSITIONS: Final = (
    "top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom",
    "bottom-right",
)  # fmt: skip
THEMES: Final = ("dark", "light", "plain")
SWITCH: Final = ("on", "off")

WIDE: Final = 760
STRIP: Final = 84
FOOT: Final = 84
STUDY: Final = 64
CHANCES: Final = 84
EVENT: Final = 48
GAP: Final = 10
"""The gap of the block and its rows at scale 1, in pixels; overlay.css has the same, 16 to a
rem."""


class Span(NamedTuple):
    """A number between two bounds, with its default."""

    least: float
    most: float
    usual: float
    unit: Message
    whole: bool = True


NUMBERS: Final = {
    "width": Span(160, 7680, 1920, msg("pixels")),
    "height": Span(90, 4320, 1080, msg("pixels")),
    "margin": Span(0, 1000, 40, msg("pixels")),
    "scale": Span(0.2, 5, 1, msg("times"), whole=False),
    "delay": Span(0, LONGEST, 0, msg("seconds"), whole=False),
}
WORDS: Final = {
    "position": (POSITIONS, "bottom-right"),
    "theme": (THEMES, "dark"),
    "lang": (tuple(LANGUAGES), SOURCE),
    **dict.fromkeys(PARTS, (SWITCH, "on")),
}
PARAMETERS: Final = (*NUMBERS, *WORDS, "only", TOKEN)
"""Every name that an overlay's address may contain."""

overlay: Final = Blueprint("overlay", __name__)


class BadParameter(ValueError):
    """Raised for an impossible value; the message names the possible ones."""


def number(given: Mapping[str, str], name: str) -> float:
    """The number called `name`, in its own unit; raises `BadParameter` if out of bounds."""
    span = NUMBERS[name]
    text = given.get(name)
    if text is None:
        return span.usual
    try:
        value = float(int(text) if span.whole else text)
    except ValueError:
        value = float("nan")
    if not span.least <= value <= span.most:
        unit = span.unit
        raise BadParameter(
            msg(
                "{name}={text} is not valid: give {what} from {least:g} to {most:g}",
                name=name,
                text=repr(text[:40]),
                what=msg("a whole number of {unit}", unit=unit)
                if span.whole
                else msg("a number of {unit}", unit=unit),
                least=span.least,
                most=span.most,
            )
        )
    return value


def word(given: Mapping[str, str], name: str) -> str:
    """The word called `name`; raises `BadParameter` if it is not one of those allowed."""
    known, usual = WORDS[name]
    value = given.get(name, usual)
    return value if value in known else _refuse(name, value, known)


def _refuse(name: str, value: str, known: tuple[str, ...]) -> str:
    raise BadParameter(
        msg(
            "{name}={text} is not valid: give one of {known}",
            name=name,
            text=repr(value[:40]),
            known=", ".join(known),
        )
    )


def parts(given: Mapping[str, str]) -> list[str]:
    """The usual parts, or those named by `only`; a part's own parameter overrides both."""
    named = given["only"].split(",") if "only" in given else USUAL_PARTS
    for name in named:
        if name not in PARTS:
            _refuse("only", name, PARTS)
    switched = {part: word(given, part) == "on" for part in PARTS if part in given}
    return [part for part in PARTS if switched.get(part, part in named)]


def look(given: Mapping[str, str]) -> dict[str, Any]:
    """The appearance that the address asks for; raises `BadParameter` if it is impossible."""
    for name in given:
        if name not in PARAMETERS:
            raise BadParameter(
                msg(
                    "there is no parameter {name}; the parameters are {parameters}",
                    name=repr(name[:40]),
                    parameters=", ".join(PARAMETERS),
                )
            )
    shown, size = parts(given), {name: number(given, name) for name in NUMBERS}
    where = {name: word(given, name) for name in ("position", "theme", "lang")}
    return {**size, **where, "parts": shown, "slot": slot(shown), **fitted(size, shown)}


def slot(shown: list[str]) -> str:
    """The row that the flag takes when it appears, so that nothing else moves."""
    if "last" in shown or shown == ["flag"]:
        return "foot"
    return "board" if "board" in shown else "strip"


def fitted(size: Mapping[str, float], shown: list[str]) -> dict[str, float]:
    """The scale and the margin at which the parts shown fit in the overlay."""
    width, height = size["width"], size["height"]
    margin = min(size["margin"], width / 4, height / 4)
    rows: list[float] = []
    if {"names", "score", "pips", "clock"} & {*shown} or ("dice" in shown and "board" not in shown):
        rows.append(STRIP)
    if "board" in shown:
        rows.append(WIDE * geometry.HEIGHT / geometry.WIDTH)
    if slot(shown) == "foot":
        rows.append(FOOT)
    if "study" in shown:
        rows.append(STUDY)
    if "chances" in shown:
        rows.append(CHANCES)
    if "event" in shown:
        rows.append(EVENT)
    high = sum(rows) + GAP * max(0, len(rows) - 1)
    room = min((width - 2 * margin) / WIDE, (height - 2 * margin) / max(high, 1))
    return {"scale": min(size["scale"], room), "margin": margin}


@overlay.get("/overlay")
def show() -> str | Response:
    """The overlay, rendered with what may be shown."""
    try:
        how = look(request.args)
    except BadParameter as wrong:
        return one_line(400, message_of(wrong), request.path)
    how["delay"] = max(how["delay"], least_delay())
    # Without a delay these are the players' states, which are read by default.
    sees = released(stream_visibility())
    state = as_shown(shown_late(how["delay"], sees).state())
    return render_template(
        "overlay.html", state=state, look={**how, "sees": sees.value}, token=request.args.get(TOKEN)
    )
