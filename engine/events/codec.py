"""Events as the JSON objects of `events.jsonl`: `as_json` and `from_json` are exact inverses.

The type hints of an event's class are its schema; unknown keys are ignored, so that older programs
can read newer records.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, Final

from engine.errors import EngineError
from engine.events import clock, cup, record  # noqa: F401 (their classes register in `EVENTS`)
from engine.events.match import EVENTS, Event
from engine.message import Message
from engine.position import Course, Position, Setup
from engine.ruleset import RuleSet
from engine.ruleset_file import rule_set_from_json, rule_set_json
from engine.typed_json import InvalidValue, Reader, reader, register


class InvalidEvent(EngineError):
    """Raised when JSON is not an event; the message names the invalid field."""


_PLACEHOLDER: Final = re.compile(r"\{\w+(?::[,+]?\d{0,2}(?:\.\d)?[a-z%]?)?\}")
"""The placeholders allowed in a stored message: formats with lengths that cannot fill the
memory."""


def position_json(position: Position) -> dict[str, Any]:
    """`{"light": [26], "dark": [26]}`; narde adds its course."""
    sides: dict[str, Any] = {"light": list(position.light), "dark": list(position.dark)}
    return sides if position.course is Course.OPPOSED else {**sides, "course": "circling"}


def position_from_json(value: Any) -> Position:
    """The inverse of `position_json`; raises `EngineError`, which says what is wrong."""
    if not isinstance(value, dict) or not {"light", "dark"} <= value.keys():
        raise InvalidEvent('a position is {"light": [26 counts], "dark": [26 counts]}')
    light, dark, course = value["light"], value["dark"], value.get("course", "opposed")
    if not isinstance(light, list) or not isinstance(dark, list):
        raise InvalidEvent("light and dark must be lists of 26 counts")
    if course not in ("opposed", "circling"):
        raise InvalidEvent(f"there is no course {course!r:.40}")
    return Setup(light, dark, Course(course)).checked()


def message_json(message: Message) -> dict[str, Any]:
    """`{"id": text, "values": {name: value}}`, with `plural` if there is another text for it.

    A value that is a message is another such object.
    """
    values = {
        name: message_json(value) if isinstance(value, Message) else value
        for name, value in message.values.items()
    }
    plural = {"plural": message.plural} if message.plural else {}
    return {"id": message.text, "values": values, **plural}


def message_from_json(value: Any) -> Message:
    """The inverse of `message_json`; raises `EngineError`, which says what is wrong."""
    if not isinstance(value, dict) or not isinstance(value.get("id"), str):
        raise InvalidEvent('a message is {"id": text, "values": {..}}')
    values = value.get("values")
    if not isinstance(values, dict):
        raise InvalidEvent(f"the values of a message must be an object, not {values!r:.40}")
    plural = value.get("plural", "")
    if not isinstance(plural, str) or (plural and type(values.get("number")) is not int):
        raise InvalidEvent("a message with a `plural` needs a whole `number`")
    read = {name: _message_value(one) for name, one in values.items()}
    message = Message(value["id"], read, plural)
    if set("{}") & set(_PLACEHOLDER.sub("", message.text + plural)):
        raise InvalidEvent(f"{message.text!r:.80} has an unknown placeholder")
    try:
        message.text.format_map(read)
        plural.format_map(read)
    except (LookupError, ValueError) as error:
        raise InvalidEvent(f"the values do not match {message.text!r:.80}") from error
    return message


def _message_value(value: Any) -> str | int | float | Message:
    if isinstance(value, dict):
        return message_from_json(value)
    if type(value) in (str, int):
        return value  # type: ignore[no-any-return]
    return reader(float)(value)  # type: ignore[no-any-return]


def _reads(read: Reader, kind: str) -> Reader:
    """`read` with an error that says where it occurred."""

    def read_checked(value: Any) -> Any:
        try:
            return read(value)
        except EngineError as error:
            raise InvalidValue(f"is not a valid {kind}: {error}") from error

    return read_checked


register(Position, _reads(position_from_json, "position"))
register(RuleSet, _reads(rule_set_from_json, "rule set"))
register(Message, _reads(message_from_json, "message"))


def as_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object, `time`, `frame` and `type` first."""
    head = {"time": round(event.time, 3), "frame": event.frame, "type": event.type}
    return {**head, **{key: one for key, one in _members(event).items() if key not in head}}


@cache
def _fields(kind: Any) -> tuple[tuple[str, str, bool], ...]:
    """For each field: its JSON key, its name, and whether it is omitted when empty."""
    return tuple(
        (one.metadata.get("json", one.name), one.name, "omit_empty" in one.metadata)
        for one in fields(kind)
    )


def _members(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    return {
        key: _plain(getattr(value, name))
        for key, name, omits_empty in _fields(kind)
        if not (omits_empty and not getattr(value, name))
    }


def _plain(value: Any) -> Any:
    match value:
        case float():
            plain: Any = round(value, 4)
        case tuple():
            plain = [_plain(item) for item in value]
        case Enum():
            plain = value.value
        case Position():
            plain = position_json(value)
        case RuleSet():
            plain = rule_set_json(value)
        case Message():
            plain = message_json(value)
        case _:
            plain = _members(value) if is_dataclass(value) else value
    return plain


def from_json(value: Any) -> Event:
    """The inverse of `as_json`; raises `InvalidEvent`, which says what is wrong."""
    if not isinstance(value, dict):
        raise InvalidEvent(f"an event must be a JSON object, not {value!r:.40}")
    kind: Any = EVENTS.get(str(value.get("type", "")))
    if kind is None:
        raise InvalidEvent(f"there is no event of type {value.get('type')!r}")
    read: Callable[[Any], Event] = reader(kind)
    try:
        return read(value)
    except InvalidValue as error:
        article = "an" if kind.type[0] in "aeiou" else "a"
        raise InvalidEvent(f"{article} {kind.type} event: {error}") from error
