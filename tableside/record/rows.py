"""The rows of the record's tables, and the checksum that each of them carries."""

from __future__ import annotations

import base64
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "matches": ("id", "begun", "variant", "length", "light", "dark", "source"),
    "events": ("match", "seq", "payload"),
    "evidence": ("match", "seq", "frame", "payload"),
    "ends": ("match", "at"),
    "dice_words": ("seq", "at", "payload"),
}
"""The columns of each table before its `checksum`, those of its key first; a table comes after
those that it refers to."""
_KEYS: Final = {"matches": 1, "events": 2, "evidence": 2, "ends": 1, "dice_words": 1}
"""How many of the columns are the key."""
_BLOB: Final = ("evidence", "payload")

DAMAGED_TEXT: Final = -1
"""In place of a checksum; no row has it."""

Value = int | float | str | bytes
Key = tuple[str, tuple[int, ...]]
"""A table, and the values of its key."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    table: str
    values: tuple[Any, ...]
    """In the order of `COLUMNS`, without the checksum."""

    @property
    def key(self) -> Key:
        """What only one row has."""
        return self.table, tuple(int(value) for value in self.values[: _KEYS[self.table]])

    @property
    def named(self) -> dict[str, Any]:
        """Its values by column."""
        return dict(zip(COLUMNS[self.table], self.values, strict=True))

    @property
    def checksum(self) -> int:
        """Its checksum."""
        return checksum(*self.values)


def checksum(*values: Value) -> int:
    """The CRC-32 of the values of a row; `DAMAGED_TEXT` if one of them is no text."""
    try:
        parts = [value if isinstance(value, bytes) else str(value).encode() for value in values]
    except UnicodeEncodeError:
        return DAMAGED_TEXT
    return zlib.crc32(b"/".join(parts))


def select(table: str, has_checksum: bool = True) -> str:
    """The start of a query of a table's rows, each with its checksum, or NULL if it has none."""
    last = "checksum" if has_checksum else "NULL"
    return f"SELECT {', '.join(COLUMNS[table])}, {last} FROM {table}"  # noqa: S608 (our names)


def keys(table: str) -> str:
    """The query of the keys of a table's rows."""
    return f"SELECT {', '.join(COLUMNS[table][: _KEYS[table]])} FROM {table}"  # noqa: S608 (our names)


def insert(connection: sqlite3.Connection, row: Row) -> None:
    """Add a row with its checksum to its table."""
    columns = (*COLUMNS[row.table], "checksum")
    places = ", ".join("?" * len(columns))
    sql = f"INSERT INTO {row.table} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608 (our names)
    connection.execute(sql, (*row.values, row.checksum))


def line_of(row: Row, record: str | None = None) -> bytes:
    """The row as a line of JSON; `record` is the identity of the record that it is from."""
    named = row.named
    if (row.table, "payload") == _BLOB:
        named["payload"] = base64.b64encode(named["payload"]).decode()
    line = {"table": row.table, **named, "checksum": row.checksum}
    if record is not None:
        line["record"] = record
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def row_of(line: bytes) -> Row | None:
    """The inverse of `line_of`; None if the line is damaged."""
    try:
        named = json.loads(line)
        table = named["table"]
        values = [named[column] for column in COLUMNS[table]]
        if (table, "payload") == _BLOB:
            values[-1] = base64.b64decode(values[-1], validate=True)
        row = Row(table, tuple(values))
        return row if row.checksum == named["checksum"] else None
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def record_of(line: bytes) -> str | None:
    """The identity of the record that a line is from; None if it says nothing of it.

    Earlier versions wrote lines without one.
    """
    try:
        named = json.loads(line)
        return str(named["record"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def intact(table: str, found: Iterable[tuple[Any, ...]]) -> Iterator[Row | None]:
    """The rows that a query by `select` found; None for a damaged one."""
    for *values, kept in found:
        row = Row(table, tuple(values))
        found_sum = row.checksum
        is_intact = found_sum != DAMAGED_TEXT and kept in (None, found_sum)
        yield row if is_intact else None


def find(connection: sqlite3.Connection, row: Row) -> tuple[Any, ...] | None:
    """The stored values of the row with the key of this one, with their checksum; None if none."""
    _, key = row.key
    where = " AND ".join(f"{column} = ?" for column in COLUMNS[row.table][: len(key)])
    found: tuple[Any, ...] | None = connection.execute(
        f"{select(row.table)} WHERE {where}", key
    ).fetchone()
    return found
