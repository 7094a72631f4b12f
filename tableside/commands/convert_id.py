"""`tableside id`: position, match and XG ids in, every one of them out, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, TextIO

from engine.errors import EngineError
from engine.formats import InvalidId, Snapshot, gnubg_ids, parse_gnubg_ids, parse_xgid, xgid
from engine.position import Side

_SHAPE: Final = '{"position_id": "...", "match_id": "..."} or {"xgid": "..."}'
_LONGEST: Final = 4000
"""Characters of a line; the longest id has about a hundred."""


def run_id(lines: Iterable[str], out: TextIO) -> int:
    """Answer every line in its order, a bad one with its error; 1 if there was one, else 0.

    Empty lines are passed over.
    """
    failed = False
    for line in lines:
        if line.strip():
            answer = _answer(line)
            failed = failed or "error" in answer
            out.write(json.dumps(answer, ensure_ascii=False) + "\n")
    return int(failed)


def _answer(line: str) -> dict[str, Any]:
    try:
        return _told(_asked(line))
    except EngineError as error:
        return {"error": str(error)}


def _asked(line: str) -> Snapshot:
    if len(line) > _LONGEST:
        raise InvalidId(f"a line of {len(line)} characters is no id")
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidId(f"not JSON: {error}") from error
    if not isinstance(asked, dict):
        raise InvalidId(f"a line is an object such as {_SHAPE}")
    if "xgid" in asked:
        return parse_xgid(asked["xgid"])
    missing = [name for name in ("position_id", "match_id") if name not in asked]
    if missing:
        raise InvalidId(f"{' and '.join(missing)} missing in an object such as {_SHAPE}")
    return parse_gnubg_ids(asked["position_id"], asked["match_id"])


def _told(state: Snapshot) -> dict[str, Any]:
    """The state as JSON; light is the side on roll, whoever that is in the ids."""
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
    """Who owns the cube, light being the side on roll."""
    if state.owner is None:
        return "centre"
    return "light" if state.owner is state.on_roll else "dark"
