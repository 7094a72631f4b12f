"""The messages of tables and hall as an AsyncAPI document, and as a page of the reference."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Final

from pydantic import TypeAdapter

from tableside.hall.messages import KINDS, NOTICES, Notice, topic

_TABLE: Final = "{table}"
_FACTS: Final = {
    "presence": ("table", "1, retained", "when a table connects and leaves; also its last will"),
    "state": ("table", "0, retained", "after each change and every 5 s: what players may see"),
    "referee": ("table", "0, retained", "the same, as the referee sees it"),
    "events": ("table", "1", "each event of the record, in order"),
    "stored": ("hall", "1", "to a table that appears, and after a gap"),
}
"""By kind: who sends it, its quality of service, and when."""


def channels() -> Iterator[tuple[str, str, str, str, Any]]:
    """Each topic with its sender, quality of service, occasion and payload."""
    for kind, payload in KINDS.items():
        yield (topic(_TABLE, kind), *_FACTS[kind], payload)
    yield (NOTICES, "hall", "1", "for other programs: what webhooks are sent for", Notice)


def document() -> dict[str, Any]:
    """The AsyncAPI document."""
    schemas: dict[str, Any] = {}
    found: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    messages: dict[str, Any] = {}
    for address, sender, _, when, payload in channels():
        kind, name = address.rpartition("/")[2], payload.__name__
        schema = TypeAdapter(payload).json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[name] = schema
        messages[name] = {"payload": {"$ref": f"#/components/schemas/{name}"}}
        parameters = {"parameters": {"table": {"description": "The table's name."}}}
        found[kind] = {
            "address": address,
            "description": _sentence(when),
            "messages": {name: {"$ref": f"#/components/messages/{name}"}},
            **(parameters if _TABLE in address else {}),
        }
        operations[f"{sender}_{kind}"] = {
            "action": "send",
            "channel": {"$ref": f"#/channels/{kind}"},
            "summary": f"Sent by the {sender}.",
        }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Tableside: a hall of tables",
            "version": "1",
            "description": "What tables and the hall tell each other over MQTT 5.",
        },
        "defaultContentType": "application/json",
        "channels": found,
        "operations": operations,
        "components": {"messages": messages, "schemas": dict(sorted(schemas.items()))},
    }


def page_lines() -> Iterator[str]:
    """The lines of the page about the messages."""
    yield from ("| topic | from | QoS | when | payload |", "| --- | --- | --- | --- | --- |")
    for address, sender, quality, when, payload in channels():
        link = f"[{payload.__name__}](#{payload.__name__.lower()})"
        yield f"| <code>{address}</code> | {sender} | {quality} | {when} | {link} |"
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
