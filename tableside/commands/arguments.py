"""Texts of the command line as values; argparse turns a refusal into one line."""

from __future__ import annotations

import json
import re
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Final

from engine.errors import EngineError, InvalidPosition
from engine.events.codec import position_from_json
from engine.position import Course, Position, Side

LONGEST_DELAY: Final = 600
"""Seconds; `webui.streaming.delay` keeps no more."""
_POSITION_ID: Final = re.compile(r"[A-Za-z0-9+/]{14}")


def pixel(text: str) -> tuple[float, float]:
    """`640,360` as (x, y)."""
    x, _, y = text.partition(",")
    try:
        return float(x), float(y)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no pixel such as 640,360") from error


def count(text: str) -> int:
    """A whole number from 0 up."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"{text!r} is no whole number from 0 up")
    return int(text)


def setting(text: str) -> tuple[str, float]:
    """`sight=0.01` as its name and a share from 0 to 1."""
    name, _, value = text.partition("=")
    try:
        share = float(value)
    except ValueError:
        share = -1.0
    if not name or not 0 <= share <= 1:
        raise ArgumentTypeError(f"{text!r} is no share from 0 to 1 such as sight=0.01")
    return name, share


def delay(text: str) -> float:
    """Seconds that viewers are behind."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_DELAY:
        raise ArgumentTypeError(f"{text!r} is no delay; give 0 to {LONGEST_DELAY} seconds")
    return seconds


def port(text: str) -> int:
    """A TCP port; 0 asks the system for a free one."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is no port; give 0 to 65535")
    return int(text)


def position(text: str) -> Position:
    """A position from JSON, from a file that holds it, from gnubg's Position ID or in words.

    In an ID light is on roll; the words are those that a `Position` writes, `light 6:5 | dark 8:3`.
    """
    try:
        return _position(text.strip())
    except (EngineError, OSError, ValueError) as error:
        raise ArgumentTypeError(f"cannot read a position from {text[:60]!r}: {error}") from error


def _position(text: str) -> Position:
    if "|" in text and not text.startswith("{"):
        return Position.parse(text)
    if _POSITION_ID.fullmatch(text) and not Path(text).exists():
        from engine.formats import parse_position_id

        return parse_position_id(text, Side.LIGHT)
    value = json.loads(text if text.startswith("{") else Path(text).read_text("utf-8"))
    try:
        return position_from_json(value)
    except InvalidPosition:
        if "course" in value:
            raise
        # Which points lie over each other is the variant's business, and not known here.
        return position_from_json({**value, "course": Course.CIRCLING.value})
