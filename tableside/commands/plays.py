"""`tableside plays`: reads positions and dice, writes every legal play, one JSON object a line."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any, Final

from engine.dice import Roll
from engine.errors import EngineError
from engine.position import Position, Setup, Side
from engine.rules import Rules, TurnContext, find_rules
from engine.rules.house import as_pips
from engine.rules.legal import LegalPlays, legal_plays
from engine.ruleset import GameOptions
from tableside.commands import COMMANDS
from tableside.commands.json_lines import answer_lines, parse_object
from tableside.commands.options import Subparsers, command, preset_option, variant_option

_SHAPE: Final = '{"light": [26], "dark": [26], "to_move": "light", "dice": [3, 1]}'


class InvalidRequest(EngineError):
    """Raised when a line is not a valid request for the plays of a position."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside plays` and its options."""
    parser = command(
        subparsers,
        "plays",
        COMMANDS["plays"],
        "tableside plays < positions.jsonl\n"
        "tableside plays --variant narde --preset site_classic < positions.jsonl",
        "Each line of standard input is a position and a roll:\n\n"
        '    {"light": [26 counts], "dark": [26 counts], "to_move": "light", "dice": [3, 1]}\n\n'
        "In narde it can also have `first_turn` (true or false) and `opponent_first_roll`\n"
        "(two dice or null). Each line of the output has the plays of one position.",
    )
    variant_option(parser)
    preset_option(parser)


def run(args: Namespace) -> int:
    """List the plays of every position on stdin; return 1 if a line was rejected, else 0."""
    rules = find_rules(args.variant, GameOptions(preset=args.preset))
    return answer_lines(sys.stdin, sys.stdout, lambda line: answer(line, rules))


def answer(line: str, rules: Rules) -> dict[str, Any]:
    """The legal plays that one line asks for, or why it cannot be answered."""
    try:
        position, side, roll, context = _request(line, rules)
        legal = legal_plays(position, side, roll, rules, context)
    except EngineError as error:
        return {"error": str(error)}
    return {"plays": [_one(legal, index, roll, rules) for index in range(len(legal))]}


def _one(legal: LegalPlays, index: int, roll: Roll, rules: Rules) -> dict[str, Any]:
    """One play, with the opponent's choices and the extra roll in games that have them."""
    play, after = legal[index]
    answer: dict[str, Any] = {"play": str(play), "light": after.light, "dark": after.dark}
    left = legal.leftover(index)
    if left:
        answer["left_over"] = left
    if rules.rolls_again(roll, left, tuple(legal.results[index, 0].tolist())):
        answer["rolls_again"] = True
    return answer


def _request(line: str, rules: Rules) -> tuple[Position, Side, Roll, TurnContext]:
    request = parse_object(line, _SHAPE, InvalidRequest)
    missing = [name for name in ("light", "dark", "to_move", "dice") if name not in request]
    if missing:
        raise InvalidRequest(f"{', '.join(missing)} missing; expected an object such as {_SHAPE}")
    setup = Setup(_counts(request, "light"), _counts(request, "dark"), rules.course)
    position, side = setup.checked(), _side(request["to_move"])
    rules.check_playable(position)
    return position, side, _roll(request["dice"], "dice"), _turn_context(request)


def _counts(request: dict[str, Any], name: str) -> list[Any]:
    counts = request[name]
    if not isinstance(counts, list):
        raise InvalidRequest(f"{name} must be a list of 26 counts")
    return counts


def _side(name: Any) -> Side:
    try:
        return Side(name)
    except ValueError as error:
        raise InvalidRequest(f"to_move must be light or dark, not {name!r}") from error


def _turn_context(request: dict[str, Any]) -> TurnContext:
    """What the line says about the game so far; the rest follows from the position."""
    first, opponents = request.get("first_turn"), request.get("opponent_first_roll")
    if first is not None and not isinstance(first, bool):
        raise InvalidRequest(f"first_turn must be true or false, not {first!r}")
    if opponents is None:
        return TurnContext(first)
    return TurnContext(first, as_pips(_roll(opponents, "opponent_first_roll")))


def _roll(dice: Any, name: str) -> Roll:
    if not isinstance(dice, list) or len(dice) != 2:
        raise InvalidRequest(f"{name} must be a list of two numbers")
    return Roll(*dice)
