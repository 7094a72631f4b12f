"""`tableside plays`: positions and dice in, every legal play out, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, TextIO

from engine.dice import Roll
from engine.errors import EngineError
from engine.legal import legal_plays
from engine.position import Position, Setup, Side
from engine.rules import Rules

_SHAPE: Final = '{"light": [26], "dark": [26], "to_move": "light", "dice": [3, 1]}'


class InvalidRequest(EngineError):
    """Raised when a line does not ask for the plays of a position."""


def run_plays(lines: Iterable[str], out: TextIO, rules: Rules) -> int:
    """Answer every line in its order, a malformed one with its error; 1 if there was one, else 0.

    Empty lines are passed over.
    """
    failed = False
    for line in lines:
        if line.strip():
            answer = _answer(line, rules)
            failed = failed or "error" in answer
            out.write(json.dumps(answer, ensure_ascii=False) + "\n")
    return int(failed)


def _answer(line: str, rules: Rules) -> dict[str, Any]:
    try:
        position, side, roll = _request(line, rules)
    except EngineError as error:
        return {"error": str(error)}
    legal = legal_plays(position, side, roll, rules)
    return {"plays": [_one(str(play), after) for play, after in legal]}


def _one(play: str, after: Position) -> dict[str, Any]:
    return {"play": play, "light": after.light, "dark": after.dark}


def _request(line: str, rules: Rules) -> tuple[Position, Side, Roll]:
    try:
        asked = json.loads(line)
    except ValueError as error:
        raise InvalidRequest(f"not JSON: {error}") from error
    if not isinstance(asked, dict):
        raise InvalidRequest(f"a line is an object such as {_SHAPE}")
    missing = [name for name in ("light", "dark", "to_move", "dice") if name not in asked]
    if missing:
        raise InvalidRequest(f"{', '.join(missing)} missing in an object such as {_SHAPE}")
    setup = Setup(_counts(asked, "light"), _counts(asked, "dark"), rules.course)
    return setup.checked(), _side(asked["to_move"]), _roll(asked["dice"])


def _counts(asked: dict[str, Any], name: str) -> list[Any]:
    counts = asked[name]
    if not isinstance(counts, list):
        raise InvalidRequest(f"{name} is a list of 26 counts")
    return counts


def _side(name: Any) -> Side:
    try:
        return Side(name)
    except ValueError as error:
        raise InvalidRequest(f"to_move is light or dark, not {name!r}") from error


def _roll(dice: Any) -> Roll:
    if not isinstance(dice, list) or len(dice) != 2:
        raise InvalidRequest("dice is a list of two numbers")
    return Roll(*dice)
