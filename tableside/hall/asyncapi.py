"""The messages of tables and hall as an AsyncAPI document, and as a page of the reference."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter

from tableside.hall.messages import KINDS, NOTICES, Notice, Presence, encode, topic

_TABLE: Final = "{table}"
BINDING: Final = "0.2.0"
"""The version of AsyncAPI's bindings for MQTT."""


class Facts(NamedTuple):
    """How messages of one kind are sent."""

    sender: str
    qos: int
    is_retained: bool
    when: str


_FACTS: Final = {
    "presence": Facts("table", 1, True, "when a table connects and leaves; also its last will"),
    "state": Facts("table", 0, True, "after each change and every 5 s: what players may see"),
    "referee": Facts("table", 0, True, "the same, as the referee sees it"),
    "events": Facts("table", 1, False, "each event of the record, in order"),
    "stored": Facts("hall", 1, False, "to a table that appears, and after a gap"),
}
_NOTICE: Final = Facts("hall", 1, False, "for other programs: what webhooks are sent for")
_GONE: Final = Presence(online=False, instance="7f3a", page="", sent=1764225023.5)
"""An example of a last will."""


def channels() -> Iterator[tuple[str, Facts, Any]]:
    """Each topic, how its messages are sent, and their payload."""
    for kind, payload in KINDS.items():
        yield topic(_TABLE, kind), _FACTS[kind], payload
    yield NOTICES, _NOTICE, Notice


def document() -> dict[str, Any]:
    """The AsyncAPI document."""
    schemas: dict[str, Any] = {}
    found: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    messages: dict[str, Any] = {}
    for address, facts, payload in channels():
        kind, name = address.rpartition("/")[2], payload.__name__
        schema = TypeAdapter(payload).json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[name] = schema
        messages[name] = {"payload": {"$ref": f"#/components/schemas/{name}"}}
        parameters = {"parameters": {"table": {"description": "The table's name."}}}
        found[kind] = {
            "address": address,
            "description": _sentence(facts.when),
            "messages": {name: {"$ref": f"#/components/messages/{name}"}},
            **(parameters if _TABLE in address else {}),
        }
        operations[f"{facts.sender}_{kind}"] = {
            "action": "send",
            "channel": {"$ref": f"#/channels/{kind}"},
            "summary": f"Sent by the {facts.sender}.",
            "bindings": _mqtt(qos=facts.qos, retain=facts.is_retained),
        }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Tableside: a hall of tables",
            "version": "1",
            "description": "What tables and the hall tell each other over MQTT 5.",
        },
        "defaultContentType": "application/json",
        "servers": {"broker": _server()},
        "channels": found,
        "operations": operations,
        "components": {"messages": messages, "schemas": dict(sorted(schemas.items()))},
    }


def _server() -> dict[str, Any]:
    """The broker, and what it is told when a table connects."""
    facts = _FACTS["presence"]
    will = {
        "topic": topic(_TABLE, "presence"),
        "qos": facts.qos,
        "message": encode(_GONE).decode(),
        "retain": facts.is_retained,
    }
    return {
        "host": "{host}",
        "protocol": "mqtt",
        "protocolVersion": "5.0",
        "description": "Any MQTT 5 broker; with TLS the protocol is mqtts.",
        "variables": {"host": {"default": "hall.local:1883"}},
        "bindings": _mqtt(lastWill=will),
    }


def _mqtt(**fields: Any) -> dict[str, Any]:
    return {"mqtt": {**fields, "bindingVersion": BINDING}}


def page_lines() -> Iterator[str]:
    """The lines of the page about the messages."""
    yield from ("| topic | from | QoS | when | payload |", "| --- | --- | --- | --- | --- |")
    for address, facts, payload in channels():
        link = f"[{payload.__name__}](#{payload.__name__.lower()})"
        quality = f"{facts.qos}, retained" if facts.is_retained else f"{facts.qos}"
        yield f"| <code>{address}</code> | {facts.sender} | {quality} | {facts.when} | {link} |"
    told = dict.fromkeys(channel[-1] for channel in channels())
    for payload in told:
        about = " ".join((inspect.getdoc(payload) or "").split())
        schema = TypeAdapter(payload).json_schema()
        yield from ("", f"## {payload.__name__}", "", about, "")
        yield from ("| field | type | |", "| --- | --- | --- |")
        yield from _rows(schema)
        for name, inner in schema.get("$defs", {}).items():
            yield from ("", f"`{name}`: {' '.join(inner.get('description', '').split())}", "")
            yield from ("| field | type | |", "| --- | --- | --- |")
            yield from _rows(inner)


def _rows(schema: dict[str, Any]) -> Iterator[str]:
    for name, field in schema["properties"].items():
        kind = field.get("type") or field.get("$ref", "").rpartition("/")[2]
        yield f"| `{name}` | {kind} | {' '.join(field.get('description', '').split())} |"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
