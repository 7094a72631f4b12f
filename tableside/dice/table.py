"""Reads a table of rolls in chunks into columns, checks it and notices oddities."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.fairness.rolls import DiceLog, Labels
from engine.message import Message, join, msg, ngettext
from tableside.dice.cells import (
    PROBABILITY_COLUMNS,
    LabelColumn,
    check_columns,
    checked_probabilities,
    confidence_of_values,
    parse_confidence,
    parse_face,
    parse_number,
    parse_probability,
    parse_timestamp,
    parse_yes_or_no,
)
from tableside.errors import BadDice

REQUIRED_COLUMNS: Final = ("time", "player", "die", "value")
MAX_CHANGE_NOTICES: Final = 3
MIN_ROWS_BEFORE_CHANGE: Final = 20
"""Rows in which a player must have used the same dice before other dice count as a change."""
ROWS_PER_CHUNK: Final = 50_000
"""Rows that are parsed at a time."""
NO_THROW: Final = -(2**40)
NUMBER_COLUMNS: Final[dict[str, tuple[Callable[[str], float], str]]] = {
    "time": (parse_timestamp, "is not a time: give seconds, or 2026-05-01 18:30:00"),
    "confidence": (parse_confidence, "is not a number from 0 to 1"),
    "x": (parse_number, "is not a number"),
    "y": (parse_number, "is not a number"),
    **dict.fromkeys(PROBABILITY_COLUMNS, (parse_probability, "is not a number from 0 to 1")),
}
"""How the cells of a column are parsed, and what is wrong with those that cannot be."""
UNBOUNDED_COLUMNS: Final = ("time", "x", "y")
LABEL_COLUMNS: Final = ("die", "player", "name", "cup", "session", "reason")

T = TypeVar("T")


@dataclass(slots=True)
class DiceTable:
    """The columns of a file, which `read` fills chunk by chunk."""

    path: Path
    line: int = 1
    labels: dict[str, LabelColumn] = field(default_factory=dict)
    numbers: dict[str, array[float]] = field(default_factory=dict)
    values: array[int] = field(default_factory=lambda: array("b"))
    counted: array[int] = field(default_factory=lambda: array("b"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    throws: array[int] = field(default_factory=lambda: array("q"))
    throw_names: dict[str, int] = field(default_factory=dict)

    def read(self, file: TextIO) -> None:
        """Parse the whole file; raises `BadDice`, which names the unusable line."""
        first = file.readline()
        if not first.strip():
            raise BadDice(f"{self.path} is empty; its first line names the columns")
        delimiter = max(";,\t", key=first.count)
        (head,) = csv.reader([first], delimiter=delimiter)
        names = [name.strip().lower() for name in head]
        self._check_head(names, delimiter)
        reader = csv.reader(file, delimiter=delimiter)
        while rows := list(islice(reader, ROWS_PER_CHUNK)):
            lines = self._lines(rows, reader.line_num)
            if set(map(len, rows)) != {len(names)}:
                rows, lines = self._whole_rows(rows, lines, len(names))
            if rows:
                self._append(dict(zip(names, zip(*rows, strict=True), strict=True)), lines)

    def _check_head(self, names: list[str], delimiter: str) -> None:
        missing = [name for name in REQUIRED_COLUMNS if name not in names]
        if missing:
            found = ", ".join(names[:8])
            raise BadDice(
                f"{self.path}, line 1: there is no column {', '.join(missing)}; the "
                f"first line must name time, player, die and value (it names {found})"
            )
        twice = sorted({name for name in names if names.count(name) > 1 and name})
        if twice:
            raise BadDice(f"{self.path}, line 1: two columns are called {twice[0]}; rename one")
        check_columns(self.path, names)

    def _lines(self, rows: list[list[str]], last: int) -> NDArray[np.int64]:
        """(N,) the line number of each row; a quoted cell may span several lines."""
        first, self.line = self.line, last + 1
        if self.line - first == len(rows):
            return np.arange(first + 1, self.line + 1)
        # A quoted cell spans several lines, or the reader has skipped empty ones.
        heights = [1 + sum(cell.count("\n") for cell in row) for row in rows]
        before = np.cumsum(heights, dtype=np.int64) - heights
        return np.asarray(first + 1 + before, np.int64)

    def _whole_rows(
        self, rows: list[list[str]], lines: NDArray[np.int64], width: int
    ) -> tuple[list[list[str]], NDArray[np.int64]]:
        """The rows without blank lines; raises `BadDice` for one with the wrong number of cells."""
        kept = [n for n, row in enumerate(rows) if any(cell.strip() for cell in row)]
        for n in kept:
            if len(rows[n]) != width:
                raise BadDice(
                    f"{self.path}, line {lines[n]}: {len(rows[n])} cells instead of {width} as in "
                    "the first line"
                )
        return [rows[n] for n in kept], lines[kept]

    def _append(self, columns: Mapping[str, Sequence[str]], lines: NDArray[np.int64]) -> None:
        self.lines.frombytes(lines.tobytes())
        advice = "correct it, or leave the cell empty if the die could not be read"
        wrong = f"a die shows 1 to 6, not {{cell}}; {advice}"
        self.values.extend(self._parse(columns["value"], lines, parse_face, wrong))
        counted = columns.get("counted") or ("",) * len(lines)
        wrong = "counted {cell} is not 0 or 1"
        self.counted.extend(map(int, self._parse(counted, lines, parse_yes_or_no, wrong)))
        for name in LABEL_COLUMNS:
            if name in columns:
                self.labels.setdefault(name, LabelColumn()).add(columns[name])
        for name, (parse, fault) in NUMBER_COLUMNS.items():
            if name in columns:
                wrong = f"{name} {{cell}} {fault}"
                numbers = _floats(columns[name]) if name in UNBOUNDED_COLUMNS else None
                numbers = numbers or self._parse(columns[name], lines, parse, wrong)
                self.numbers.setdefault(name, array("d")).extend(numbers)
        if "throw" in columns:
            self.throws.extend(self._throws_of(columns["throw"]))

    def _throws_of(self, cells: Sequence[str]) -> list[int]:
        if all(map(str.isdecimal, cells)) and max(map(len, cells)) < 16:
            return list(map(int, cells))
        return [self._throw(cell.strip()) for cell in cells]

    def _throw(self, cell: str) -> int:
        """Its number, or a negative one for a name: ten million names would fill the memory."""
        if cell.isdecimal() and len(cell) < 16:
            return int(cell)
        if not cell:
            return NO_THROW
        return -1 - self.throw_names.setdefault(cell, len(self.throw_names))

    def _parse(
        self, cells: Sequence[str], lines: NDArray[np.int64], parse: Callable[[str], T], wrong: str
    ) -> list[T]:
        """The cells as converted by `parse`; each distinct one is parsed once.

        wrong: the message about a `{cell}` for which `parse` raises `ValueError`.
        """
        known: dict[str, T] = {}
        for cell in dict.fromkeys(cells):
            try:
                known[cell] = parse(cell)
            except ValueError as error:
                line, shown = lines[cells.index(cell)], repr(cell.strip()[:40])
                raise BadDice(f"{self.path}, line {line}: {wrong.format(cell=shown)}") from error
        return [known[cell] for cell in cells]

    def log(self) -> DiceLog:
        """All rows as a log."""
        count = len(self.values)
        player = self._labels("player", count)
        if "name" in self.labels:
            player = _named(player, self.labels["name"].labels())
        time = self._floats("time", count, np.float64)
        session = self._labels("session", count)
        counted = np.frombuffer(self.counted, np.int8).astype(np.bool_)
        value = np.frombuffer(self.values, np.int8)
        confidence = self._floats("confidence", count, np.float32, 1.0)
        given = self._together(PROBABILITY_COLUMNS, np.float64)
        chances = None
        if given is not None:
            lines = np.frombuffer(self.lines, np.int64)
            chances = checked_probabilities(self.path, given, value, lines)
            confidence = confidence_of_values(confidence, chances, value)
        log = DiceLog(
            value=value,
            die=self._labels("die", count),
            player=player,
            cup=self._labels("cup", count),
            session=session,
            throw=self._throws(player, session, time),
            counted=counted,
            reason=self._labels("reason", count),
            confidence=confidence,
            time=time,
            place=self._together(("x", "y"), np.float32),
            chances=chances,
        )
        return _by_throw(log)

    def _labels(self, name: str, count: int) -> Labels:
        found = self.labels.get(name)
        return Labels.constant("", count) if found is None else found.labels()

    def _floats(
        self, name: str, count: int, kind: type[np.floating[Any]], blank: float = np.nan
    ) -> NDArray[Any]:
        found = self.numbers.get(name)
        if found is None:
            return np.full(count, blank, kind)
        return np.frombuffer(found, np.float64).astype(kind)

    def _together(
        self, names: tuple[str, ...], kind: type[np.floating[Any]]
    ) -> NDArray[Any] | None:
        if any(name not in self.numbers for name in names):
            return None
        columns = [np.frombuffer(self.numbers[name], np.float64) for name in names]
        return np.column_stack(columns).astype(kind)

    def _throws(
        self, player: Labels, session: Labels, time: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Throw numbers: those in the file, else pairs of dice with the same player and time."""
        if self.throws:
            given = np.frombuffer(self.throws, np.int64)
            keys = given * max(len(session.names), 1) + session.codes
            alone = given == NO_THROW  # a die without a throw gets one of its own
            keys[alone] = keys.max() + 1 + np.arange(int(alone.sum()))
            return _by_first(keys)
        if not len(time):
            return np.zeros(0, np.int64)
        with np.errstate(invalid="ignore"):
            same = time[1:] == time[:-1]
        same &= (player.codes[1:] == player.codes[:-1]) & (session.codes[1:] == session.codes[:-1])
        runs = np.cumsum(np.r_[True, ~same])
        starts = np.flatnonzero(np.r_[True, ~same])
        within = np.arange(len(time)) - starts[runs - 1]
        return np.cumsum(np.r_[True, ~same] | (within % 2 == 0)).astype(np.int64)

    def notices(self) -> Iterator[Message]:
        """Notices of oddities: players who change dice, names that differ only in case."""
        if not self.values:
            return
        dice, players = self.labels["die"].labels(), self.labels["player"].labels()
        lines = np.frombuffer(self.lines, np.int64)
        yield from changed_dice(dice, players, lines)
        yield from similar_spellings(dice)


def _floats(cells: Sequence[str]) -> list[float] | None:
    """The cells as numbers; None if one is a date, empty, or has a decimal comma."""
    try:
        return list(map(float, cells))
    except ValueError:
        return None


def _named(player: Labels, name: Labels) -> Labels:
    """The names, and the player's side where a name is empty."""
    both = player.codes.astype(np.int64) * len(name.names) + name.codes
    pairs, codes = np.unique(both, return_inverse=True)
    width = len(name.names)
    shown = [name.names[pair % width] or player.names[pair // width] for pair in pairs]
    known: dict[str, int] = {}
    numbers = np.array([known.setdefault(text, len(known)) for text in shown] or [0], np.int32)
    return Labels(tuple(known), numbers[codes.ravel()])


def _by_first(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The keys numbered in the order of their first appearance."""
    if not len(keys):
        return keys
    if (np.diff(keys) >= 0).all():
        return np.cumsum(np.r_[True, np.diff(keys) != 0]).astype(np.int64)
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(1, len(first) + 1)
    return rank[codes.ravel()]


def _by_throw(log: DiceLog) -> DiceLog:
    """The log with the dice of each throw adjacent."""
    if len(log) < 2 or (np.diff(log.throw) >= 0).all():
        return log
    return log.at(np.argsort(log.throw, kind="stable"))


def similar_spellings(dice: Labels) -> Iterator[Message]:
    """A notice for each die whose name differs from another's only in case."""
    spelled: dict[str, str] = {}
    for name in dice.names:
        like = spelled.setdefault(name.casefold(), name)
        if like != name:
            two = msg("{like} and {name} count as two dice", like=repr(like), name=repr(name))
            yield join([two, msg("spell each die the same way throughout")])


def changed_dice(dice: Labels, players: Labels, lines: NDArray[np.int64]) -> Iterator[Message]:
    """A notice for each player who used certain dice and, from some line on, only others."""
    for code, player in enumerate(players.names):
        rows = np.flatnonzero(players.codes == code)
        own = dice.codes[rows]
        used = np.unique(own)
        if len(used) < 2 or len(used) > 1000:
            continue
        spans = sorted(
            (int(where[0]), int(where[-1]), int(one))
            for one in used
            for where in [np.flatnonzero(own == one)]
        )
        changes, who = list(_handovers(spans)), player or msg("the player")
        for gone, come, at in changes[:MAX_CHANGE_NOTICES]:
            changed = msg(
                "line {line}: {who} throws {new} from here on, but {old} before",
                line=int(lines[rows[at]]),
                who=who,
                new=repr(dice.names[come]),
                old=repr(dice.names[gone]),
            )
            yield join([changed, msg("they count as two dice")])
        if (more := len(changes) - MAX_CHANGE_NOTICES) > 0:
            yield ngettext(
                "{who} changes dice {number} more time",
                "{who} changes dice {number} more times",
                more,
                who=who,
            )


def _handovers(spans: list[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """(old, new, row) for each die whose last row is just before another's first."""
    for begin, _, come in spans:
        if begin < MIN_ROWS_BEFORE_CHANGE:
            continue
        gone = [(end, one) for _, end, one in spans if end < begin]
        if gone and begin - max(gone)[0] <= 2:
            yield max(gone)[1], come, begin
