"""What Babel asks for the words of the code that its own extractors do not know.

`words` finds those of Python, `sentences` those that come from below in English
(`webui.i18n.messages`), `script` those of the browser's scripts. `translations/babel.cfg` says
which files are whose.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any, Final

from babel.messages.extract import extract_javascript

from webui.i18n.messages import BETWEEN

Found = tuple[int, str, tuple[str, ...], list[str]]
"""Line, gettext function, its arguments, comments: Babel's form."""
TAKEN: Final = {"gettext": 1, "N_": 1, "ngettext": 2, "pgettext": 2, "npgettext": 3}
"""Functions that say words, and how many of their arguments are words."""

PROSE: Final = re.compile(r"(^|[ \"'(}-])[a-z]{2,}[,:;]? |[}a-z,] [a-z]{2,}")
"""What a sentence has and a key, a pattern or an address has not: words with spaces between."""
NO_NAMES: Final = ("value", "strerror", "self", "str", "join", "len", "lower", "get")
"""Parts of an expression that do not say what it is."""
UNSAID: Final = re.compile(r"'[^']*'|\[[^\]]*\]")
"""Nor do texts and indices in it."""


def words(file: IO[bytes], _words: Any, _tags: Any, options: Any) -> Iterator[Found]:
    """The messages of a Python file, those within f-strings too, which Babel's own overlooks."""
    yield from _said(ast.parse(file.read()))


def _said(tree: ast.Module) -> Iterator[Found]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TAKEN:
            given = node.args[: TAKEN[node.func.id]]
            texts = tuple(str(arg.value) for arg in given if isinstance(arg, ast.Constant))
            if texts and len(texts) == len(given):
                yield node.lineno, node.func.id, texts, []


def sentences(file: IO[bytes], _words: Any, _tags: Any, options: dict[str, str]) -> Iterator[Found]:
    """The sentences of a Python file, without docstrings; and its words.

    Options: `within` names the functions in whose calls they stand, else they are everywhere;
    `but` is a pattern of strings that nobody reads; `words` names what is said in one word.
    """
    tree = ast.parse(file.read())
    yield from _said(tree)
    unread = re.compile(options.get("but") or r"(?!)")
    for word in filter(None, options.get("words", "").split("|")):
        yield 1, "pgettext", ("sentence", word), []
    for node in _strings(tree, options.get("within", "")):
        text = _template_of(node)
        if PROSE.search(text) and not unread.search(text):
            for part in text.split(BETWEEN):
                if re.search("[a-z]{2}", re.sub(r"\{\w+\}", "", part)):
                    yield node.lineno, "pgettext", ("sentence", part.strip()), []


def _strings(tree: ast.Module, within: str) -> Iterator[ast.Constant | ast.JoinedStr]:
    silent = {id(node) for node in _silent(tree)}
    roots = [tree] if not within else [node for node in ast.walk(tree) if _calls(node, within)]
    for root in roots:
        for node in ast.walk(root):
            if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in silent:
                yield node


def _calls(node: ast.AST, names: str) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    return called in names.split("|")


def script(file: IO[bytes], _words: Any, tags: Any, options: dict[str, Any]) -> Iterator[Found]:
    """The messages of `_("...")` in a script."""
    read: Any = {**options, "parse_template_string": True}
    for line, _, message, _ in extract_javascript(file, {"_": None}, tags, read):
        text = message if isinstance(message, str) else message[0]
        yield line, "pgettext", ("script", text), []


def _silent(tree: ast.Module) -> Iterator[ast.AST]:
    """Strings that are no sentence of their own: docstrings, and the parts of others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("_LOGGER."):
            yield from ast.walk(node)  # the log is English
        if isinstance(node, ast.JoinedStr):
            for part in node.values:
                yield part
                if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
                    yield part.format_spec


def _template_of(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    used: set[str] = set()
    return "".join(_parts(node.values, used))


def _parts(values: Iterable[ast.expr], used: set[str]) -> Iterator[str]:
    for part in values:
        if isinstance(part, ast.Constant):
            yield str(part.value)
        elif isinstance(part, ast.FormattedValue):
            yield f"{{{_name_of(part.value, used)}}}"


def _name_of(expression: ast.expr, used: set[str]) -> str:
    """A name for what stands there: the last word of the expression that says something."""
    text = UNSAID.sub("", ast.unparse(expression))
    words = [word for word in re.findall(r"[A-Za-z_]+", text) if word not in NO_NAMES]
    name = words[-1].strip("_").lower() if words else "text"
    while name in used:
        name += "_"
    used.add(name)
    return name
