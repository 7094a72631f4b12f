"""`tableside id`: converts position, match and XG IDs into one another, one JSON object a line."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any, Final

from engine.errors import EngineError
from engine.formats.ids.match_id import gnubg_ids, parse_gnubg_ids
from engine.formats.ids.snapshot import Snapshot
from engine.formats.ids.xgid import parse_xgid, xgid
from engine.formats.model.errors import InvalidId
from engine.position import Side
from tableside.commands import COMMANDS
from tableside.commands.json_lines import answer_lines, parse_object
from tableside.commands.options import Subparsers, command

_SHAPE: Final = '{"position_id": "...", "match_id": "..."} or {"xgid": "..."}'
_LONGEST: Final = 4000
"""The maximum length of a line, in characters; the longest ID has about a hundred."""


def add_parser(subparsers: Subparsers) -> None:
    """Add `tableside id` and its options."""
    details = (
        "Each line of standard input has a Position ID with a Match ID, or an XGID:\n\n"
        '    {"position_id": "4HPwATDgc/ABMA", "match_id": "cInlAAAAAAAE"}\n'
        '    {"xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"}\n\n'
        "Each line of the output has all three IDs and what they stand for."
    )
    command(subparsers, "id", COMMANDS["id"], "tableside id < ids.jsonl", details)


def run(_args: Namespace) -> int:
    """Translate the IDs on stdin; return 1 if a line was rejected, else 0."""
    return answer_lines(sys.stdin, sys.stdout, answer)


def answer(line: str) -> dict[str, Any]:
    """Every ID of the position that one line names, or why there is none."""
    try:
        return _ids(_snapshot(line))
    except EngineError as error:
        return {"error": str(error)}


def _snapshot(line: str) -> Snapshot:
    if len(line) > _LONGEST:
        raise InvalidId(f"a line of {len(line)} characters is too long for an ID")
    request = parse_object(line, _SHAPE, InvalidId)
    if "xgid" in request:
        return parse_xgid(request["xgid"])
    missing = [name for name in ("position_id", "match_id") if name not in request]
    if missing:
        raise InvalidId(f"{' and '.join(missing)} missing; expected an object such as {_SHAPE}")
    return parse_gnubg_ids(request["position_id"], request["match_id"])


def _ids(state: Snapshot) -> dict[str, Any]:
    """The state as JSON; light is the side on roll, whichever side that is in the IDs."""
    mover = state.on_roll
    position_id, match_id = gnubg_ids(state)
    position = state.position
    score = state.score if mover is Side.LIGHT else state.score[::-1]
    return {
        "position_id": position_id,
        "match_id": match_id,
        "xgid": xgid(state),
        "position": {"light": position.of(mover), "dark": position.of(mover.other)},
        "dice": state.dice,
        "cube": {"value": state.cube, "place": _place(state)},
        "score": score,
        "length": state.length,
        "crawford": state.is_crawford,
        "jacoby": state.has_jacoby,
        "doubled": state.is_doubled,
        "resigned": state.resigned,
        "on_roll": "player 0 (O)" if mover is Side.LIGHT else "player 1 (X)",
        "to_act": "light" if state.decider is mover else "dark",
    }


def _place(state: Snapshot) -> str:
    """Who owns the cube, where light is the side on roll."""
    if state.owner is None:
        return "centre"
    return "light" if state.owner is state.on_roll else "dark"
