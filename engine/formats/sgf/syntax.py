"""SGF's own syntax: trees of nodes of properties, read without recursion.

Source: https://www.red-bean.com/sgf/sgf4.html. In a tree with variations, the first line is used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.formats.model.errors import InvalidMatchFile

_TOKEN: Final = re.compile(r"\s*(?:([();])|([A-Za-z]{1,32})|\[((?:[^\]\\]++|\\.)*+)\])", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(\r\n|.)", re.DOTALL)
_MAX_DEPTH: Final = 200
"""Nesting of variations; gnubg writes none at all."""
_MAX_TOKENS: Final = 300_000
"""A long match with gnubg's complete analysis has a third of that."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node."""

    line: int
    properties: tuple[tuple[str, tuple[str, ...]], ...]

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of a property; empty if the node lacks it."""
        return next((values for key, values in self.properties if key == name), ())

    def value(self, name: str, default: str = "") -> str:
        """The first value of a property, or `default`."""
        return next(iter(self.values(name)), default)


def read_trees(text: str) -> list[list[Node]]:
    """The first line of every tree; raises `InvalidMatchFile`, which names the invalid line."""
    return _Trees(text).read()


class _Trees:
    """Processes the tokens one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.breaks = [match.start() for match in re.finditer("\n", text)]
        self.trees: list[list[Node]] = []
        self.open: list[bool] = []
        """For each open tree, whether its first branch has been read; the others are skipped."""
        self.skipped = 0
        """The number of open trees being skipped."""
        self.node: list[tuple[str, list[str]]] | None = None
        self.node_at = 0

    def read(self) -> list[list[Node]]:
        at = 0
        for at, match in self._tokens():
            self._take(at, match)
        self._close_node()
        if self.open:
            raise InvalidMatchFile(f"line {self._line(at)}: the file ends inside a game")
        if not any(self.trees):
            raise InvalidMatchFile("not a match file: the SGF has no nodes")
        return [tree for tree in self.trees if tree]

    def _tokens(self) -> Iterator[tuple[int, re.Match[str]]]:
        at, end = 0, len(self.text.rstrip())
        for _ in range(_MAX_TOKENS):
            if at >= end:
                return
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise InvalidMatchFile(f"line {self._line(at)}: {self._trouble(at)}")
            yield at, match
            at = match.end()
        what = f"more than {_MAX_TOKENS} tokens: too long for a match"
        raise InvalidMatchFile(f"line {self._line(at)}: {what}")

    def _trouble(self, at: int) -> str:
        rest = self.text[at : at + 60].lstrip()
        if rest.startswith("["):
            return "a value has no closing ]"
        return f"{rest[:20]!r} is not SGF"

    def _line(self, at: int) -> int:
        return bisect_right(self.breaks, at) + 1

    def _take(self, at: int, match: re.Match[str]) -> None:
        mark, name, value = match.groups()
        if mark == "(":
            self._open_tree(at)
        elif mark == ")":
            self._close_tree(at)
        elif not self.open:
            raise InvalidMatchFile(f"line {self._line(at)}: text outside any game")
        elif self.skipped:
            return
        elif mark == ";":
            self._close_node()
            self.node, self.node_at = [], match.start(1)
        else:
            self._property(at, name, value)

    def _open_tree(self, at: int) -> None:
        self._close_node()
        if len(self.open) >= _MAX_DEPTH:
            line = self._line(at)
            raise InvalidMatchFile(f"line {line}: trees are nested deeper than {_MAX_DEPTH}")
        if not self.open:
            self.trees.append([])
        elif self.skipped or self.open[-1]:
            self.skipped += 1
        else:
            self.open[-1] = True
        self.open.append(False)

    def _close_tree(self, at: int) -> None:
        self._close_node()
        if not self.open:
            raise InvalidMatchFile(f"line {self._line(at)}: unmatched )")
        self.open.pop()
        self.skipped = max(0, self.skipped - 1)

    def _property(self, at: int, name: str | None, value: str | None) -> None:
        if self.node is None:
            raise InvalidMatchFile(f"line {self._line(at)}: a property outside any node")
        if name is not None:
            # Old SGF has lowercase letters between the capitals; they have no meaning.
            self.node.append(("".join(c for c in name if c.isupper()), []))
        elif not self.node:
            raise InvalidMatchFile(f"line {self._line(at)}: a value without a property")
        else:
            self.node[-1][1].append(_ESCAPED.sub(r"\1", value or ""))

    def _close_node(self) -> None:
        if self.node is not None and not self.skipped:
            properties = tuple((name, tuple(values)) for name, values in self.node)
            self.trees[-1].append(Node(self._line(self.node_at), properties))
        self.node = None


def escaped(text: str) -> str:
    """A property value with its brackets escaped."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
