"""Bundles of the pages' ES modules: an entry module and everything it imports, as one file.

Over HTTP/1.1 a browser opens six connections per host, so a page of a dozen modules would cost a
phone several round trips. A bundle means the same as its separate modules: each is evaluated once,
in import order, in its own scope, without the comments that have lines of their own: they are a
quarter of the size. Anything that cannot be bundled without changing its meaning is refused; a test
bundles every module.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from functools import cache
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, abort, request

STATIC: Final = Path(__file__).parents[1] / "static"
FILES: Final = ("static", "scripts.joined")
"""Endpoints whose responses are the same for everyone, whatever the match."""
_IMPORT: Final = re.compile(
    r'^import \{ (\w+(?:, \w+)*) \} from "(\.{1,2}/[\w/]+\.js)";\n', re.MULTILINE
)
_EXPORT: Final = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)
_UNSUPPORTED: Final = re.compile(
    r"^(?:import|export)\b.*|\bimport[.(].*|^(?:const .* = |let .* = )?await\b.*", re.MULTILINE
)
"""Syntax that only a separate module allows, or import and export forms not handled above."""

_COMMENT: Final = re.compile(r"^[ \t]*(?://.*|/\*\*(?:(?!\*/).)*\*/)\n", re.MULTILINE)
"""A comment on a line of its own."""

scripts: Final = Blueprint("scripts", __name__)


class CannotJoin(ValueError):
    """Raised when a module contains something that would change its meaning in a bundle."""


@scripts.get("/static/joined/<path:name>")
def joined(name: str) -> Response:
    """The bundle of a module in static/; 304 if the client already has it."""
    if name not in {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js")}:
        abort(404)
    text = join(name)
    response = Response(text, mimetype="text/javascript")
    response.set_etag(hashlib.sha256(text.encode()).hexdigest())
    response.cache_control.no_cache = True
    response.make_conditional(request)
    return response


@cache
def join(name: str, folder: Path = STATIC) -> str:
    """The module `name` in `folder` and everything it imports, each once and before its importers.

    Raises `CannotJoin`.
    """
    parts: dict[str, str] = {}
    _add(name, folder, parts, ())
    return "".join(parts.values())


def imports_of(name: str, text: str) -> list[str]:
    """The modules that module `name` with this text imports, as paths below static/."""
    return [_resolve(name, target) for _, target in _IMPORT.findall(text)]


def _resolve(name: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), target))


def _add(name: str, folder: Path, parts: dict[str, str], importers: tuple[str, ...]) -> None:
    if name in importers:
        raise CannotJoin(f"{name} imports itself, by way of {importers[-1]}")
    if name in parts:
        return
    text = (folder / name).read_text(encoding="utf-8")
    for imported in imports_of(name, text):
        _add(imported, folder, parts, (*importers, name))
    parts[name] = _wrapped(name, text)


def _wrapped(name: str, text: str) -> str:
    """Wrap a module in a constant that holds its exports; its other names stay private."""

    def bound(found: re.Match[str]) -> str:
        return f"const {{ {found[1]} }} = {_constant(_resolve(name, found[2]))};\n"

    text = _COMMENT.sub("", text)
    if split := next((line for line in text.splitlines() if line.count("`") % 2), None):
        raise CannotJoin(f"{name} has a template literal of several lines: {split}")
    body = _EXPORT.sub(r"\1 \2", _IMPORT.sub(bound, text))
    if unsupported := _UNSUPPORTED.search(body):
        raise CannotJoin(f"{name} cannot be joined with others: {unsupported.group()}")
    exports = ", ".join(export for _, export in _EXPORT.findall(text))
    return (
        f"// {name}\nconst {_constant(name)} = (() => {{\n{body}\n"
        f"return {{ {exports} }};\n}})();\n\n"
    )


def _constant(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("/", "$")
