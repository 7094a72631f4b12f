"""A match as our own JSON, which holds everything that a `MatchFile` does, and its reader.

`{"format": "tableside-match", "version": 1, "players": [..], "length": 7, "games": [..], ..}`; a
roll carries the position after it, whether it is legal and which rule it breaks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from engine.dice import Roll
from engine.errors import EngineError
from engine.events.codec import position_from_json, position_json
from engine.formats.mat.cells import parse_moves
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import (
    Action,
    BoardSet,
    CubeAction,
    CubeMove,
    Fault,
    GameFile,
    GameResult,
    MatchFile,
    RollAction,
)
from engine.formats.model.safe_text import whole_text
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import replay
from engine.position import Side
from engine.rules import find_rules

FORMAT: Final = "tableside-match"
VERSION: Final = 1
Json = dict[str, Any]
_T = TypeVar("_T")


def json_text(match: MatchFile) -> str:
    """The match as JSON, one action per line."""
    head: Json = {
        "format": FORMAT,
        "version": VERSION,
        "variant": match.variant,
        "players": list(match.players),
        "length": match.length,
        "headers": [list(header) for header in match.headers],
        "faults": [{"line": fault.line, "what": str(fault.message)} for fault in match.faults],
    }
    games = (
        _with_list(_game(game), "actions", (_dumped(_action(step)) for step in game.steps))
        for game in replay(match).games
    )
    return _with_list(head, "games", games) + "\n"


def _with_list(value: Json, name: str, items: Iterable[str]) -> str:
    """The object with one more member, a list with each item on its own line."""
    return f'{_dumped(value)[:-1]}, "{name}": [\n' + ",\n".join(items) + "\n]}"


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _game(replayed: ReplayedGame) -> Json:
    """Everything except the actions."""
    game, result = replayed.game, replayed.game.result
    written: Json = {"number": game.number, "score": list(game.score), "line": game.line}
    written["start"] = position_json(game.start) if game.start else None
    written["cube"] = game.cube
    if game.is_crawford is not None:
        written["is_crawford"] = game.is_crawford
    written["result"] = result and {
        "winner": result.winner and result.winner.value,
        "points": result.points,
        "how": replayed.how,
        "line": result.line,
    }
    return written


def _action(step: ReplayedAction) -> Json:
    match step.action:
        case CubeMove(side=side, cube_action=cube_action, value=value, line=line):
            return {"type": cube_action.value, "player": side.value, "value": value, "line": line}
        case BoardSet(position=position, line=line):
            return {"type": "board", "position": position_json(position), "line": line}
        case RollAction():
            return _rolled(step, step.action)


def _rolled(step: ReplayedAction, action: RollAction) -> Json:
    roll = action.roll
    written: Json = {"type": "roll", "player": action.side.value}
    written["dice"] = [roll.high, roll.low] if roll else list(action.seen)
    written["moves"] = None if action.moves is None else [str(move) for move in action.moves]
    written |= {"play": step.play, "text": action.text, "note": action.note, "line": action.line}
    written |= {"is_set": action.board is not None, "position": position_json(step.after)}
    return written | {"legal": not step.rule, "rule": step.rule}


def read_json(text: str) -> MatchFile:
    """Read what `json_text` wrote; raises `InvalidMatchFile`, which names the wrong place."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidMatchFile(f"not a match file: not JSON: {str(error)[:80]}") from error
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InvalidMatchFile(f'no match file: JSON of a match says "format": "{FORMAT}"')
    if value.get("version") != VERSION:
        raise InvalidMatchFile("this JSON was written by a later version of Tableside")
    return _read_at("the match", _match, value)


def _read_at(place: str, read: Callable[[Any], _T], value: Any) -> _T:
    """`read(value)`; raises `InvalidMatchFile`, which names the innermost wrong place."""
    try:
        return read(value)
    except InvalidMatchFile:
        raise
    except (EngineError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InvalidMatchFile(f"{place} cannot be read: {error!s:.80}") from error


def _match(value: Json) -> MatchFile:
    light, dark = value["players"]
    games = enumerate(value["games"], start=1)
    return MatchFile(
        players=(_text(light), _text(dark)),
        length=_count(value["length"]),
        games=tuple(_read_at(f"game {number}", _read_game, game) for number, game in games),
        variant=find_rules(_text(value["variant"])).name,
        headers=tuple((_text(name), _text(text)) for name, text in value["headers"]),
        faults=tuple(Fault(_count(f["line"]), _text(f["what"])) for f in value["faults"]),
    )


def _read_game(value: Json) -> GameFile:
    light, dark = value["score"]
    actions = enumerate(value["actions"], start=1)
    result = value["result"]
    return GameFile(
        number=_count(value["number"]),
        score=(_count(light), _count(dark)),
        actions=tuple(_read_at(f"action {number}", _read_action, one) for number, one in actions),
        result=_read_result(result) if result else None,
        start=position_from_json(value["start"]) if value["start"] else None,
        line=_count(value["line"]),
        cube=_count(value.get("cube", 1)),
        is_crawford=None if value.get("is_crawford") is None else bool(value["is_crawford"]),
    )


def _read_result(value: Json) -> GameResult:
    winner = value["winner"]
    return GameResult(winner and Side(winner), _count(value["points"]), _count(value["line"]))


def _read_action(value: Json) -> Action:
    line = _count(value["line"])
    if value["type"] == "board":
        return BoardSet(position_from_json(value["position"]), line)
    side = Side(value["player"])
    if value["type"] != "roll":
        return CubeMove(side, CubeAction(value["type"]), _count(value["value"]), line)
    moves = value["moves"]
    first, second = value["dice"]
    return RollAction(
        side=side,
        roll=None if first is None or second is None else Roll(first, second),
        moves=None if moves is None else parse_moves(" ".join(moves)),
        line=line,
        board=position_from_json(value["position"]) if value["is_set"] else None,
        text=_text(value["text"]),
        note=_text(value["note"]),
        seen=(first, second) if first is None or second is None else (None, None),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidMatchFile(f"{value!r:.40} is not text")
    return whole_text(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise InvalidMatchFile(f"{value!r:.40} is not a number of at least 0")
    return value
