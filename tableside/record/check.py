"""What is damaged in a record: rows against their checksums, their numbers and the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from tableside.record.database import SQLITE_ERRORS, connect_read_only
from tableside.record.journal import Journal
from tableside.record.rows import COLUMNS, Row, intact, select
from tableside.record.schema import HAVE_CHECKSUMS, version_of

NUMBERED: Final = {"events": "event", "evidence": "observation"}
"""The tables whose rows are numbered from 1 in each match, and what a row is called."""
_MOST: Final = 20
"""Findings of SQLite to list."""


def missing_rows(connection: sqlite3.Connection, journal: Journal) -> Iterator[str]:
    """Rows that the numbers of the others, or the journal, say there must be; quick.

    Each finding is part of a line for the user.
    """
    ids = [match for (match,) in connection.execute("SELECT id FROM matches ORDER BY id")]
    most = max([*ids, *journal.matches()], default=0)
    yield from (f"match {match} is missing" for match in sorted({*range(1, most + 1)} - {*ids}))
    for table, name in NUMBERED.items():
        found = {
            match: (count, last)
            for match, count, last in connection.execute(
                f"SELECT match, count(*), max(seq) FROM {table} GROUP BY match"  # noqa: S608 (our names)
            )
        }
        for match in ids:
            count, last = found.get(match, (0, 0))
            last = max(last, journal.last(table, match))
            if count < last:
                yield f"{last - count} of {last} {name}s of match {match} are missing"
    if journal.last("dice_words") > _last_dice_name(connection):
        yield "names of dice are missing"


def _last_dice_name(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM dice_words").fetchone()[0])


def damaged_rows(connection: sqlite3.Connection, match: int | None = None) -> Iterator[str]:
    """Rows of one match, or of all, that do not fit their checksums."""
    has_all = version_of(connection) >= HAVE_CHECKSUMS
    for table in COLUMNS:
        column = {"matches": "id", "dice_words": None}.get(table, "match")
        if match is not None and column is None:
            continue
        where = "" if match is None else f" WHERE {column} = {match}"
        rows = connection.execute(select(table, has_all or table == "events") + where)
        bad = sum(row is None for row in intact(table, rows))
        if bad:
            yield f"{bad} damaged rows in the table {table}"


def findings(path: Path) -> list[str]:
    """Everything that is damaged in the record or its journal; may take seconds."""
    journal, found = Journal(path), list[str]()
    try:
        with closing(connect_read_only(path)) as connection:
            found += _sqlite_findings(connection)
            found += missing_rows(connection, journal)
            found += damaged_rows(connection)
            found += _differences(connection, journal)
    except SQLITE_ERRORS as error:
        found.append(f"SQLite cannot read it: {error}")
    return found


def _sqlite_findings(connection: sqlite3.Connection) -> Iterator[str]:
    found = connection.execute(f"PRAGMA integrity_check({_MOST})")
    yield from (text for (text,) in found if text != "ok")
    yield from (f"a {table} row refers to no match" for table, *_ in islice(
        connection.execute("PRAGMA foreign_key_check"), 1
    ))  # fmt: skip


def _differences(connection: sqlite3.Connection, journal: Journal) -> Iterator[str]:
    """Rows that differ from the journal, and damaged lines of the journal."""
    damaged = different = 0
    for row in journal.rows():
        if row is None:
            damaged += 1
        elif not _is_in(connection, row):
            different += 1
    if damaged:
        yield f"{damaged} damaged lines in the journal {journal.folder.name}"
    if different:
        yield f"{different} rows differ from the journal"


def _is_in(connection: sqlite3.Connection, row: Row) -> bool:
    _, key = row.key
    where = " AND ".join(f"{column} = ?" for column in COLUMNS[row.table][: len(key)])
    found = connection.execute(f"{select(row.table, has_checksum=False)} WHERE {where}", key)
    return bool(found.fetchone() == (*row.values, None))
