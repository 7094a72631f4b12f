"""The journal: a second copy of every row of the record, from which it can be rebuilt.

A folder beside the record holds two files of JSON lines for each match, one for its events and one
for its evidence, and one file for the names of dice. Every line carries the checksum of its row.
Lines are only ever appended. An event is on the disk, here and in the record, before anybody sees
it.

A row is committed to the record first. So whatever is here is in the record too, unless the record
is damaged; what a kill or a full disk left out here is added with the next rows.
"""

from __future__ import annotations

import logging
import os
import re
import sqlite3
from collections.abc import Container, Iterable, Iterator
from itertools import chain, takewhile
from pathlib import Path
from typing import Final

from calibration.files import sync_folder, write_whole
from tableside.errors import StoreError
from tableside.paths import own_folder
from tableside.record.files import aside_name
from tableside.record.identity import identify, identity_of
from tableside.record.rows import Key, Row, find, intact, line_of, record_of, row_of, select

TAIL_BYTES: Final = 16 * 1024
"""How much of a file's end is read at first in search of its last row."""
MARK_BYTES: Final = 40
"""The end of a line in which its record is named."""
_LOGGER: Final = logging.getLogger(__name__)
_EVENTS: Final = re.compile(r"match-(\d+)\.jsonl")


class Journal:
    """The journal of one record.

    Only the transaction that holds the record's write lock adds to it; anybody may read it.
    """

    def __init__(self, record: Path) -> None:
        self.folder = record.with_name(f"{record.name}.journal")
        self.identity: str | None = None
        """The record's; lines of another are not read. None for a record that has none."""
        self._last: dict[tuple[str, int], int] = {}
        """The number of the last row in each file, by table and match."""

    @property
    def exists(self) -> bool:
        """Whether there is a journal."""
        return self.folder.is_dir()

    def matches(self) -> list[int]:
        """The numbers of its matches, in order; an empty file says nothing of any."""
        found = (_EVENTS.fullmatch(path.name) for path in self._files() if _size(path) > 0)
        return sorted(int(match[1]) for match in found if match)

    def last(self, table: str, match: int = 0) -> int:
        """The number of the last row of `events`, `evidence` or `dice_words`, or 0."""
        path = self._path(table, match)
        found = chain(self._backward(path, TAIL_BYTES), self._backward(path))
        return next((_number(row) for row in found if row.table == table), 0)

    def has_end(self, match: int) -> bool:
        """Whether the match is over here; False if much was added after its end."""
        found = self._backward(self._path("events", match), TAIL_BYTES)
        return any(row.table == "ends" for row in found)

    def is_of(self, connection: sqlite3.Connection) -> bool:
        """Whether this is the journal of a record, as far as both are intact.

        It is not if the record was replaced by another, or by a copy that was played on elsewhere.
        """
        if any(self._is_foreign(path) for path in self._files()):
            return False
        for match in self.matches():
            path = self._path("events", match)
            heads = (row for row in self._lines(path) if row is not None and row.table == "matches")
            last = (row for row in self._backward(path) if row.table == "events")
            for row in (next(heads, None), *_common(connection, last)):
                if row is not None and not _agrees(connection, row):
                    return False
        return True

    def identity_in_lines(self) -> str | None:
        """The identity of the record that it was written for; None if no line tells."""
        for path in self._files():
            with path.open("rb") as file:
                if (found := next(filter(None, map(record_of, file)), None)) is not None:
                    return found
        return None

    def lines_of_others(self) -> int:
        """How many intact lines of other records have got into it."""
        count = 0
        for path in self._files():
            with path.open("rb") as file:
                count += sum(not self._is_ours(line) and row_of(line) is not None for line in file)
        return count

    def _is_ours(self, line: bytes) -> bool:
        """Whether nothing says that a line is another record's."""
        if self.identity is None or self.identity.encode() in line[-MARK_BYTES:]:
            return True
        return record_of(line) is None

    def _is_foreign(self, path: Path) -> bool:
        """Whether another record began a file."""
        with path.open("rb") as file:
            first = next((line for line in file if row_of(line) is not None), b"")
        return not self._is_ours(first)

    def begin(self, connection: sqlite3.Connection) -> None:
        """Belong to a record from now on, within its transaction; set aside another record's.

        A record of an earlier version gets an identity: the journal's, if that was written for a
        later state of it. Raises `StoreError`.
        """
        try:
            known = identity_of(connection)
            if known is None:
                theirs = self.identity_in_lines() if self.is_of(connection) else None
                known = identify(connection, theirs)
            self.identity = known
            if not self.is_of(connection):
                self.set_aside("other")
                _LOGGER.warning("the journal of another record was kept aside")
        except OSError as error:
            raise StoreError(f"the journal {self.folder}: {error.strerror}") from error

    def set_aside(self, why: str) -> None:
        """Rename it, so that a new one begins; raises `OSError`."""
        self.folder.replace(aside_name(self.folder, why))
        self._last.clear()

    def rows(self) -> Iterator[Row | None]:
        """Every row, file by file; None for a damaged line."""
        for path in self._files():
            yield from self._lines(path)

    def doubts(self, known: Container[Key]) -> Iterator[str]:
        """Which ends of a match are damaged here, and may not be among the rows that are known."""
        for path in self._files():
            if _lost(list(self._lines(path)), known) > 0:
                yield f"{path.name} is damaged at its end, so that something may be lost"

    def add_all(self, connection: sqlite3.Connection) -> None:
        """Add all rows that only the record has; raises `OSError` if they cannot be written."""
        newest_open = connection.execute(
            "SELECT max(id) FROM matches WHERE id NOT IN (SELECT match FROM ends)"
        ).fetchone()[0]
        if newest_open is not None:
            self._renew_torn(connection, newest_open)
        for (match,) in connection.execute("SELECT id FROM matches ORDER BY id").fetchall():
            self.add_match(connection, match)
        self.add_dice(connection)

    def add_match(self, connection: sqlite3.Connection, match: int) -> None:
        """Add the rows of a match that only the record has; raises `OSError`."""
        path = self._path("events", match)
        # A disk that failed may have left the file empty.
        is_begun = path.exists() and _whole_lines(path) > 0
        head = [] if is_begun else _rows(connection, "matches", "id = ?", match)
        evidence = _rows(connection, "evidence", *self._after("evidence", match))
        events = _rows(connection, "events", *self._after("events", match))
        end = _rows(connection, "ends", "match = ?", match)
        if end and self.has_end(match):
            end = []
        self._append("evidence", match, evidence, flush=bool(end))
        self._append("events", match, [*head, *events, *end])

    def drop(self, match: int) -> None:
        """Remove the files of a match; raises `OSError`."""
        for table in ("evidence", "events"):
            self._path(table, match).unlink(missing_ok=True)
            self._last.pop((table, match), None)
        if self.exists:
            sync_folder(self.folder)

    def _renew_torn(self, connection: sqlite3.Connection, match: int) -> None:
        """Write the files of a match anew in which a power cut left holes."""
        for table in ("events", "evidence"):
            path = self._path(table, match)
            rows = list(self._lines(path)) if path.exists() else []
            numbers = {_number(row) for row in rows if row is not None and row.table == table}
            if None in rows or numbers != set(range(1, len(numbers) + 1)):
                head = _rows(connection, "matches", "id = ?", match) if table == "events" else []
                known = _rows(connection, table, "match = ? ORDER BY seq", match)
                lines = [line_of(row, self.identity) for row in [*head, *known]]
                write_whole(path, b"".join(lines), mode=0o600)

    def add_dice(self, connection: sqlite3.Connection) -> None:
        """Add the names of dice that only the record has; raises `OSError`."""
        where, _, last = self._after("dice_words", 0)
        self._append("dice_words", 0, _rows(connection, "dice_words", where, 0, last))

    def _after(self, table: str, match: int) -> tuple[str, int, int]:
        """The condition for rows of a match that are not here, and its two values."""
        if (table, match) not in self._last or not self._path(table, match).exists():
            self._last[table, match] = self.last(table, match)
        key = "0 = ?" if table == "dice_words" else "match = ?"
        return f"{key} AND seq > ? ORDER BY seq", match, self._last[table, match]

    def _append(self, table: str, match: int, rows: list[Row], *, flush: bool = True) -> None:
        """Write the rows to the end of a file, and flush it to the disk.

        Evidence is flushed at the end of a match: what a power cut leaves out before that is added
        from the record when it is opened.
        """
        if not rows and not (table == "evidence" and flush):
            return
        path = self._path(table, match)
        if not self.exists:
            own_folder(self.folder)
            sync_folder(self.folder.parent)
        is_new = not path.exists()
        path.touch(0o600)
        with path.open("r+b") as file:
            file.seek(_whole_lines(path))
            file.truncate()
            file.write(b"".join(line_of(row, self.identity) for row in rows))
            file.flush()
            if flush:
                os.fsync(file.fileno())
        if is_new:
            sync_folder(self.folder)
        self._last[table, match] = max(
            [self._last[table, match], *(_number(row) for row in rows if row.table == table)]
        )

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.jsonl")) if self.exists else []

    def _lines(self, path: Path) -> Iterator[Row | None]:
        """The rows of a file; None for a damaged line.

        A line that a kill tore is none, and neither is one of another record.
        """
        with path.open("rb") as file:
            yield from map(row_of, filter(self._is_ours, takewhile(_is_whole, file)))

    def _backward(self, path: Path, length: int | None = None) -> Iterator[Row]:
        """The intact rows of a file, the last first, or those in its last `length` bytes.

        There are none if it cannot be read: writing to it then fails, and says so.
        """
        try:
            with path.open("rb") as file:
                if length is not None:
                    file.seek(max(0, file.seek(0, os.SEEK_END) - length))
                lines = file.read().split(b"\n")
        except OSError:
            return
        ours = filter(self._is_ours, reversed(lines))
        yield from (row for row in map(row_of, ours) if row is not None)

    def _path(self, table: str, match: int) -> Path:
        if table == "dice_words":
            return self.folder / "dice-names.jsonl"
        return self.folder / f"match-{match}{'.evidence' * (table == 'evidence')}.jsonl"


def _is_whole(line: bytes) -> bool:
    return line.endswith(b"\n")


def _size(path: Path) -> int:
    """The length of a file in bytes; 0 if it has just been removed."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _whole_lines(path: Path) -> int:
    """The length of a file in bytes up to the end of its last whole line; a kill may tear one."""
    size = path.stat().st_size
    for length in (1, TAIL_BYTES, size):
        with path.open("rb") as file:
            start = file.seek(max(0, size - length))
            end = file.read().rfind(b"\n")
        if end >= 0:
            return start + end + 1
    return 0


def _lost(rows: list[Row | None], known: Container[Key]) -> int:
    """How many damaged lines at the end of a file are not among the rows that are known."""
    damaged = len(list(takewhile(lambda row: row is None, reversed(rows))))
    good = [row for row in rows if row is not None]
    if not damaged or not good:
        return damaged
    keys = [row.key for row in good if row.table != "ends"]
    table, key = max(keys, key=lambda key: key[1], default=good[0].key)
    if table == "matches":
        table, key = "events", (*key, 0)
    *match, last = key
    later = [(table, (*match, last + n)) in known for n in range(1, damaged + 1)]
    has_end = any(row.table == "ends" for row in good)
    later.append(not has_end and ("ends", tuple(match)) in known)
    return damaged - sum(later)


def _common(connection: sqlite3.Connection, rows: Iterable[Row]) -> Iterator[Row]:
    """The first of these rows whose key the record has too."""
    for row in rows:
        if find(connection, row) is not None:
            yield row
            return


def _agrees(connection: sqlite3.Connection, row: Row) -> bool:
    """Whether the record has the same row, none, or a damaged one."""
    found = find(connection, row)
    if found is None:
        return True
    (there,) = intact(row.table, [found])
    return there is None or there == row


def _number(row: Row) -> int:
    """The row's number within its file."""
    value = row.values[0 if row.table == "dice_words" else 1]
    return value if isinstance(value, int) else 0


def _rows(connection: sqlite3.Connection, table: str, where: str, *values: int) -> list[Row]:
    """The intact rows of a table: damaged ones must not replace good ones here."""
    found = connection.execute(f"{select(table)} WHERE {where}", values)
    return [row for row in intact(table, found) if row is not None]
