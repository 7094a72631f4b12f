"""Events as the JSON objects of `events.jsonl`: `as_json` and `from_json` are exact inverses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

from engine.errors import EngineError
from engine.events.clock import ClockSet, ClockTurned
from engine.events.cup import (
    CupCommitted,
    CupDecided,
    CupDisagrees,
    CupEvent,
    CupRevealed,
    CupRolled,
    CupSealed,
    CupSetAside,
    CupTakenUp,
)
from engine.events.match import (
    Alternative,
    Beavered,
    DiceRolled,
    DiceVoid,
    DieAtRest,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    MatchEnd,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    PrematureRoll,
    Raccooned,
    Resigned,
    TakenBack,
    TurnEnded,
)
from engine.events.record import (
    BoardMoved,
    Confirmed,
    Corrected,
    MatchClosed,
    PlayersNamed,
    PositionFound,
    PositionSet,
    Resumed,
    SetUpError,
    Unfinished,
)
from engine.evidence.observation import DieAppearance
from engine.position import Course, Position, Setup, Side
from engine.ruleset import RuleSet
from engine.ruleset_file import rule_set_from_json, rule_set_json


class InvalidEvent(EngineError):
    """Raised when a stored object is no event of ours."""


EVENTS: Final[dict[str, type[Event]]] = {
    kind.type: kind
    for kind in (
        GameStart, OpeningRolled, DiceRolled, DiceVoid, PrematureRoll, PlayMade, IllegalMade,
        TurnEnded, PlayRejected, PlayAccepted, TakenBack, Doubled, Beavered, Raccooned, DoubleTaken,
        DoubleDropped, Resigned, BoardMoved, Confirmed, Corrected, Unfinished, Resumed, PositionSet,
        PositionFound, SetUpError, GameEnd, GameDrawn, MatchEnd, PlayersNamed, MatchClosed,
        CupCommitted, CupSealed, CupRolled, CupRevealed, CupDisagrees,
        CupDecided, CupSetAside, CupTakenUp, ClockSet, ClockTurned,
    )
}  # fmt: skip


def position_json(position: Position) -> dict[str, Any]:
    """`{"light": [26], "dark": [26]}`; narde adds its course."""
    sides: dict[str, Any] = {"light": list(position.light), "dark": list(position.dark)}
    return sides if position.course is Course.OPPOSED else {**sides, "course": "circling"}


def position_from_json(value: Any) -> Position:
    """The inverse of `position_json`; `EngineError` names what is wrong."""
    if not isinstance(value, dict) or not {"light", "dark"} <= value.keys():
        raise InvalidEvent('a position is {"light": [26 counts], "dark": [26 counts]}')
    light, dark = value["light"], value["dark"]
    if not isinstance(light, list) or not isinstance(dark, list):
        raise InvalidEvent("light and dark are lists of 26 counts")
    return Setup(light, dark, Course(value.get("course", "opposed"))).checked()


def as_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object, `time`, `frame` and `type` first."""
    head = {"time": round(event.time, 3), "frame": event.frame, "type": event.type}
    rest = {f.name: _plain(getattr(event, f.name)) for f in fields(event)}
    return {**head, **{name: value for name, value in rest.items() if name not in head}}


def _plain(value: Any) -> Any:
    match value:
        case Position():
            return position_json(value)
        case RuleSet():
            return rule_set_json(value)
        case Alternative() | DieAtRest() | DieAppearance():
            return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        case tuple():
            return [_plain(item) for item in value]
        case float():
            return round(value, 4)
        case _:
            return value.value if isinstance(value, Side) else value


def from_json(value: Any) -> Event:
    """The event that `as_json` wrote; `InvalidEvent` if it is none."""
    if not isinstance(value, dict):
        raise InvalidEvent(f"an event is a JSON object, not {value!r:.40}")
    kind = EVENTS.get(str(value.get("type", "")))
    if kind is None:
        raise InvalidEvent(f"there is no event of type {value.get('type')!r}")
    known = {f.name for f in fields(kind)}
    try:
        arguments = {n: _typed(n, v) for n, v in value.items() if n in known}
        if issubclass(kind, CupEvent):
            _check_cup(kind, arguments)
        return kind(**arguments)
    except (TypeError, ValueError, LookupError) as error:
        raise InvalidEvent(
            f"a {kind.type} event lacks a field or has a wrong one: {error}"
        ) from error


def _check_cup(kind: type[CupEvent], arguments: dict[str, Any]) -> None:
    """`ValueError` where a field is of another type than is told: proofs come from anybody."""
    for field in fields(kind):
        if field.name not in arguments:
            continue
        wanted, value = _PLAIN.get(str(field.type)), arguments[field.name]
        if wanted is not None and type(value) not in wanted:
            raise ValueError(f"{field.name} is {value!r:.40}")
        if field.name in _HEX:
            bytes.fromhex(value)
        if field.name == "dice" and not set(value) <= set(range(1, 7)):
            raise ValueError(f"dice are {value!r:.40}")


def _typed(name: str, value: Any) -> Any:
    reader = _READERS.get(name)
    is_open = value is None and name not in _ALWAYS_TOLD
    return value if reader is None or is_open else reader(value)


def _alternatives(value: list[dict[str, Any]]) -> tuple[Alternative, ...]:
    return tuple(Alternative(**one) for one in value)


def _lay(value: list[dict[str, Any]]) -> tuple[DieAtRest, ...]:
    return tuple(_die_lay(**one) for one in value)


def _die_lay(
    chances: list[float],
    place: list[float],
    flat: float,
    surface: str,
    side: str | None,
    make: dict[str, Any] | None = None,
) -> DieAtRest:
    x, y = place
    return DieAtRest(
        chances=tuple(chances),
        place=(x, y),
        flat=flat,
        surface=surface,
        side=None if side is None else Side(side),
        make=None if make is None else die_make(**make),
    )


def die_make(body: list[float], pips: list[float], side: float) -> DieAppearance:
    """What a die looks like out of JSON; `ValueError` where a colour has not three parts."""
    (b_light, b_a, b_b), (p_light, p_a, p_b) = body, pips
    return DieAppearance((b_light, b_a, b_b), (p_light, p_a, p_b), side)


_READERS: Final[dict[str, Callable[[Any], Any]]] = {
    "position": position_from_json,
    "player": Side,
    "winner": Side,
    "starter": Side,
    "runs": Side,
    "roller": Side,
    "seen": tuple,
    "to_move": Side,
    "rule_set": rule_set_from_json,
    "dice": tuple,
    "faults": tuple,
    "score": tuple,
    "alternatives": _alternatives,
    "doubts": tuple,
    "lay": _lay,
}
"""How the fields that JSON has no type for are read."""
_PLAIN: Final = {"str": (str,), "int": (int,), "bool": (bool,), "float": (int, float)}
"""What JSON has for a field of each of these types."""
_HEX: Final = {"host", "commitment", "salt", "chain", "seed"}
"""Bytes of a cup."""
_ALWAYS_TOLD: Final = {"position", "player", "winner"}
"""Those of them that are never null."""
