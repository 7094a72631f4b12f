"""What is damaged in a record: rows against their checksums, their numbers and the journal."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Final

from engine.address import shown_address
from tableside.record.database import SQLITE_ERRORS, connect_read_only
from tableside.record.identity import identity_of
from tableside.record.journal import Journal
from tableside.record.parts import has_foreign_log, log_of
from tableside.record.rows import COLUMNS, Key, find, intact, keys, select
from tableside.record.schema import HAVE_CHECKSUMS, version_of

NUMBERED: Final = {"events": "event", "evidence": "observation"}
"""The tables whose rows are numbered from 1 in each match, and what a row is called."""
JOURNAL_S: Final = 0.5
"""Seconds that a row may take from the record to the journal."""
_MOST: Final = 20
"""Findings of SQLite to list."""


def missing_rows(connection: sqlite3.Connection, journal: Journal) -> Iterator[str]:
    """Rows that the numbers of the others, or the journal, say there must be; quick.

    Each finding is part of a line for the user.
    """
    # The journal first: a record that is being written is never behind it.
    journaled = journal.matches()
    least = {
        (table, match): journal.last(table, match) for table in NUMBERED for match in journaled
    }
    dice = journal.last("dice_words")
    found_ids = connection.execute("SELECT id FROM matches WHERE id > 0 ORDER BY id")
    ids = [match for (match,) in found_ids]
    most = max([*ids, *journaled], default=0)
    for before, match in pairwise([0, *ids, most + 1]):
        if match == before + 2:
            yield f"match {before + 1} is missing"
        elif match > before + 2:  # named together: a damaged name can be any number
            yield f"matches {before + 1} to {match - 1} are missing"
    for table, name in NUMBERED.items():
        if table not in tables_of(connection):
            continue
        found = {
            match: (count, last)
            for match, count, last in connection.execute(
                f"SELECT match, count(*), max(seq) FROM {table} GROUP BY match"  # noqa: S608 (our names)
            )
        }
        for match in ids:
            count, last = found.get(match, (0, 0))
            last = max(last, least.get((table, match), 0))
            if count < last:
                yield f"{last - count} of {last} {name}s of match {match} are missing"
    if dice > _last_dice_name(connection):
        yield "names of dice are missing"


def tables_of(connection: sqlite3.Connection) -> set[str]:
    """Our tables that a record of its format has."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {name for (name,) in found} & set(COLUMNS)


def _last_dice_name(connection: sqlite3.Connection) -> int:
    if "dice_words" not in tables_of(connection):
        return 0
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM dice_words").fetchone()[0])


def damaged_rows(connection: sqlite3.Connection, match: int | None = None) -> Iterator[str]:
    """Rows of one match, or of all, that do not fit their checksums."""
    has_all = version_of(connection) >= HAVE_CHECKSUMS
    for table in tables_of(connection):
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
    if has_foreign_log(path):
        found.append(f"{log_of(path).name} is not its log, and is kept aside by a repair")
    try:
        with closing(connect_read_only(path)) as connection:
            found += _sqlite_findings(connection)
            journal.identity = identity_of(connection)
            found += missing_rows(connection, journal)
            found += damaged_rows(connection)
            if version_of(connection) >= HAVE_CHECKSUMS:  # before, there was no journal
                found += _differences(connection, journal)
    except SQLITE_ERRORS as error:
        found.append(f"SQLite cannot read it: {error}")
    return found


def matches_with_secrets(path: Path) -> list[int]:
    """The matches that an earlier version recorded with the password of their stream."""
    with closing(connect_read_only(path)) as connection:
        found = connection.execute("SELECT id, source FROM matches ORDER BY id").fetchall()
    return [match for match, source in found if shown_address(source) != source]


def _sqlite_findings(connection: sqlite3.Connection) -> Iterator[str]:
    found = connection.execute(f"PRAGMA integrity_check({_MOST})")
    yield from (text for (text,) in found if text != "ok")
    orphan = connection.execute("PRAGMA foreign_key_check").fetchone()
    if orphan is not None:
        yield f"a row in the table {orphan[0]} refers to no match"


def _differences(connection: sqlite3.Connection, journal: Journal) -> Iterator[str]:
    """Rows that differ from the journal or are not in it, and damaged lines of it."""
    if not journal.exists:
        return
    damaged = different = 0
    for row in journal.rows():
        if row is None:
            damaged += 1
        elif (found := find(connection, row)) is None or found[:-1] != row.values:
            different += 1
    if damaged:
        yield f"{damaged} damaged lines in the journal {journal.folder.name}"
    if others := journal.lines_of_others():
        yield f"{others} lines of another record in the journal {journal.folder.name}"
    if different:
        yield f"{different} rows differ from the journal"
    # A match that is being recorded has its newest rows there a moment later.
    missing = _keys(connection) - {row.key for row in journal.rows() if row is not None}
    if missing:
        time.sleep(JOURNAL_S)
        missing -= {row.key for row in journal.rows() if row is not None}
    if missing:
        yield f"{len(missing)} rows are not in the journal"


def _keys(connection: sqlite3.Connection) -> set[Key]:
    """The keys of all rows."""
    return {
        (table, key) for table in tables_of(connection) for key in connection.execute(keys(table))
    }
