"""A page's script and all that it imports, as one file: a slow phone waits for it once.

A file of static/ is an ES module and imports others. Over HTTP/1.1 a browser asks for six files at
a time, so a page of a dozen modules costs a phone two more ways to the laptop and back. Joined they
mean what they mean apart: each is evaluated once, in the order of the imports, with names of its
own; what cannot be joined without changing its meaning is refused, and a test joins them all.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, request

STATIC: Final = Path(__file__).parents[1] / "static"
FILES: Final = ("static", "scripts.joined")
"""Endpoints whose answers are the same for everybody, whatever the match."""
_IMPORT: Final = re.compile(r'^import \{ (\w+(?:, \w+)*) \} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
_OTHER: Final = re.compile(
    r"^(?:import|export)\b.*|\bimport[.(].*|^(?:const .* = |let .* = )?await\b.*", re.MULTILINE
)
"""What only a module of its own can say, or what is written otherwise than above."""

scripts: Final = Blueprint("scripts", __name__)


class CannotJoin(ValueError):
    """Raised when a file of static/ says what would mean something else in a joined one."""


@scripts.get("/static/joined/<name>")
def joined(name: str) -> Response:
    """A file of static/ with all that it imports; not sent again while it is the same."""
    if name not in {path.name for path in STATIC.glob("*.js")}:
        abort(404)
    text = join(name)
    response = Response(text, mimetype="text/javascript")
    response.set_etag(hashlib.sha256(text.encode()).hexdigest())
    response.cache_control.no_cache = True
    response.make_conditional(request)
    return response


@cache
def join(name: str, folder: Path = STATIC) -> str:
    """The module `name` of `folder` and all that it imports, each once and before its importer."""
    parts: dict[str, str] = {}
    _add(name, folder, parts, ())
    return "".join(parts.values())


def _add(name: str, folder: Path, parts: dict[str, str], importers: tuple[str, ...]) -> None:
    if name in importers:
        raise CannotJoin(f"{name} imports itself, by way of {importers[-1]}")
    if name in parts:
        return
    text = (folder / name).read_text(encoding="utf-8")
    for _, other in _IMPORT.findall(text):
        _add(other, folder, parts, (*importers, name))
    parts[name] = _wrapped(name, text)


def _wrapped(name: str, text: str) -> str:
    """A constant that holds what the module exports; its other names are nobody else's."""
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(_taken, text))
    if other := _OTHER.search(body):
        raise CannotJoin(f"{name} cannot be joined with others: {other.group()}")
    given = ", ".join(name for _, name in _EXPORT.findall(text))
    return (
        f"// {name}\nconst {_constant(name)} = (() => {{\n{body}\nreturn {{ {given} }};\n}})();\n\n"
    )


def _taken(found: re.Match[str]) -> str:
    names, module = found.groups()
    return f"const {{ {names} }} = {_constant(module)};\n"


def _constant(name: str) -> str:
    return f"${name.removesuffix('.js')}"
