"""Texts of the command line as values; argparse turns a refusal into one line."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from pathlib import Path

from engine.errors import EngineError
from engine.events import position_from_json
from engine.position import Position


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


def port(text: str) -> int:
    """A TCP port; 0 asks the system for a free one."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is no port; give 0 to 65535")
    return int(text)


def position(text: str) -> Position:
    """A position from JSON, or from a file that holds it."""
    try:
        coded = text if text.lstrip().startswith("{") else Path(text).read_text("utf-8")
        return position_from_json(json.loads(coded))
    except (EngineError, OSError, ValueError) as error:
        raise ArgumentTypeError(f"cannot read a position from {text[:60]!r}: {error}") from error
