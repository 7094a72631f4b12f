"""`tableside plays`: positions and dice in, every legal play out, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, TextIO

from engine.dice import Roll
from engine.errors import EngineError
from engine.position import Position, Setup, Side
from engine.rules import Rules, TurnContext
from engine.rules.house import as_pips
from engine.rules.legal import LegalPlays, legal_plays

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
        position, side, roll, moment = _request(line, rules)
        legal = legal_plays(position, side, roll, rules, moment)
    except EngineError as error:
        return {"error": str(error)}
    return {"plays": [_one(legal, index, roll, rules) for index in range(len(legal))]}


def _one(legal: LegalPlays, index: int, roll: Roll, rules: Rules) -> dict[str, Any]:
    """One play; what it leaves to the opponent and another roll are told where a game has them."""
    play, after = legal[index]
    answer: dict[str, Any] = {"play": str(play), "light": after.light, "dark": after.dark}
    left = legal.leftover(index)
    if left:
        answer["left_over"] = left
    if rules.rolls_again(roll, left):
        answer["rolls_again"] = True
    return answer


def _request(line: str, rules: Rules) -> tuple[Position, Side, Roll, TurnContext]:
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
    position, side = setup.checked(), _side(asked["to_move"])
    return position, side, _roll(asked["dice"], "dice"), _moment(asked)


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


def _moment(asked: dict[str, Any]) -> TurnContext:
    """What the line says of the game's past; the position tells the rest."""
    first, opponents = asked.get("first_turn"), asked.get("opponent_first_roll")
    if first is not None and not isinstance(first, bool):
        raise InvalidRequest(f"first_turn is true or false, not {first!r}")
    if opponents is None:
        return TurnContext(first)
    return TurnContext(first, as_pips(_roll(opponents, "opponent_first_roll")))


def _roll(dice: Any, name: str) -> Roll:
    if not isinstance(dice, list) or len(dice) != 2:
        raise InvalidRequest(f"{name} is a list of two numbers")
    return Roll(*dice)
