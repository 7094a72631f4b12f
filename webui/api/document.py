"""What routes do not say of themselves in the OpenAPI document: names, and the parts of addresses.

Clients are generated from it, so every operation has a name made from its address, and every type
the plain name of its class.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from webui.http.auth import HEADER
from webui.http.converters import MOST

IN_ADDRESSES: Final[dict[str, Any]] = {
    "number": {"schema": {"type": "integer", "minimum": 1, "maximum": 99999}},
    "match": {"schema": {"type": "integer", "minimum": 0, "maximum": MOST}, "example": 1},
    "frame": {"schema": {"type": "integer", "minimum": 0, "maximum": MOST}, "example": 96},
    "turn": {"schema": {"type": "integer", "minimum": 0, "maximum": MOST}, "example": 2},
    "name": {"schema": {"type": "string", "minLength": 1}, "example": "match.mat"},
    "link": {"schema": {"type": "string", "minLength": 1}, "example": "3fa912bc"},
    "camera": {"schema": {"type": "string", "minLength": 1}, "example": "0"},
}
"""Descriptions of the variable parts of addresses, by name."""
ORIGIN: Final = {
    "name": HEADER,
    "in": "header",
    "required": True,
    "schema": {"type": "string", "enum": ["1"]},
    "description": "That a program means it; a browser's own Origin does as well.",
}
SINGULAR: Final = {"matches": "match"}
"""Of words that lose more than an `s`."""
_SCHEMAS: Final = "#/components/schemas/"


def documented(spec: Any) -> Any:
    """Name operations and types; add the header of commands and the parts of addresses."""
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            operation["operationId"] = operation_id(method, path)
            if method == "post":
                operation["parameters"].append(ORIGIN)
                if "requestBody" in operation:
                    operation["requestBody"]["required"] = True
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path":
                    parameter.update(IN_ADDRESSES[parameter["name"]])
    # Blueprints that share a tag name it once.
    spec["tags"] = [*{tag["name"]: tag for tag in spec["tags"]}.values()]
    return with_plain_names(spec)


def operation_id(method: str, path: str) -> str:
    """`get_match_still` for `get /api/matches/{match}/stills/{frame}.jpg`."""
    steps = path.removeprefix("/api").strip("/").split("/")
    words = [method]
    for step, following in zip(steps, [*steps[1:], ""], strict=True):
        if step.startswith("{"):
            continue
        word, _, _ending = step.partition(".")
        if following.startswith("{"):
            word = SINGULAR.get(word, word.removesuffix("s"))
        words.append(word.replace("-", "_"))
    return "_".join(words)


def with_plain_names(spec: Any) -> Any:
    """The document with one type for each class, called as the class is.

    By default a type is repeated for each response, as `StateAnswer.Board`, and a response's own
    type only refers to another.
    """
    named = spec["components"]["schemas"]
    same = {
        name: one["$ref"].removeprefix(_SCHEMAS) for name, one in named.items() if "$ref" in one
    }
    plain = {name: same.get(name, name).rpartition(".")[2] for name in named}
    text = re.sub(
        rf'"{_SCHEMAS}([^"]+)"',
        lambda found: f'"{_SCHEMAS}{plain.get(found[1], found[1])}"',
        json.dumps(spec),
    )
    spec = json.loads(text)
    schemas: dict[str, Any] = {}
    for name, schema in spec["components"]["schemas"].items():
        if name in same:
            continue
        known = schemas.setdefault(plain[name], schema)
        if known != schema:
            raise ValueError(f"two types of the API are called {plain[name]}")
    spec["components"]["schemas"] = dict(sorted(schemas.items()))
    return spec
