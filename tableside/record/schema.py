"""The record's tables, and the migration of records from earlier versions."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from tableside.errors import NewerRecord

APPLICATION_ID: Final = 0x54626C73
"""`Tbls` in the file's header, which tells our record apart from other programs' databases."""

_LOGGER: Final = logging.getLogger(__name__)

Migration = Sequence[str]
"""SQL statements, run in one transaction."""


def _append_only(table: str) -> tuple[str, ...]:
    """The triggers that refuse every change to a row."""
    return tuple(
        f"CREATE TRIGGER no_{change.lower()}_of_{table} BEFORE {change} ON {table}"
        " BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
        for change in ("UPDATE", "DELETE")
    )


MIGRATIONS: Final[tuple[Migration, ...]] = (
    (
        "CREATE TABLE matches (id INTEGER PRIMARY KEY AUTOINCREMENT, begun REAL NOT NULL,"
        " variant TEXT NOT NULL, length INTEGER NOT NULL, light TEXT NOT NULL,"
        " dark TEXT NOT NULL, source TEXT NOT NULL)",
        "CREATE TABLE ends (match INTEGER PRIMARY KEY REFERENCES matches(id), at REAL NOT NULL)",
        "CREATE TABLE events (match INTEGER NOT NULL REFERENCES matches(id), seq INTEGER NOT NULL,"
        " payload TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (match, seq))"
        " WITHOUT ROWID",
        *_append_only("matches"),
        *_append_only("ends"),
        *_append_only("events"),
    ),
    # Observations and manual entries, from which corrections replay a game.
    (
        "CREATE TABLE evidence (match INTEGER NOT NULL REFERENCES matches(id),"
        " seq INTEGER NOT NULL, frame INTEGER NOT NULL, payload BLOB NOT NULL,"
        " PRIMARY KEY (match, seq))",
        *_append_only("evidence"),
    ),
    # Observations hold the appearance of dice, which earlier programs cannot read.
    (),
    # Names that users gave dice, for all matches.
    (
        "CREATE TABLE dice_words (seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL,"
        " payload TEXT NOT NULL)",
        *_append_only("dice_words"),
    ),
)
"""In order; the n-th brings the record to version n."""


def migrate(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Upgrade the record after copying it; raises `NewerRecord` if a later version wrote it."""
    version = refuse_newer(connection, path, migrations)
    if 0 < version < len(migrations):
        _copy(connection, path.with_name(f"{path.name}.format{version}"))
        _LOGGER.info("migrating the record %s to format %s", path, len(migrations))
    for number, migration in enumerate(migrations[version:], start=version + 1):
        _apply(connection, migration, number)


def refuse_newer(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """The version of the record's format; raises `NewerRecord` if it is later than ours."""
    version = _version(connection)
    if version > len(migrations):
        raise NewerRecord(
            f"{path} was written by a later version of Tableside (format {version}, this one knows "
            f"{len(migrations)}); update the program or name another --record"
        )
    return version


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    with closing(sqlite3.connect(target)) as copy:
        connection.backup(copy)


def _apply(connection: sqlite3.Connection, migration: Migration, number: int) -> None:
    """Run one migration in a transaction, unless another process has already done it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) < number:
            for statement in migration:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
