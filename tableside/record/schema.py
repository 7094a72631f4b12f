"""The record's tables, and the migration of records from earlier versions."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Final

from calibration.files import sync_folder
from tableside.errors import NewerRecord
from tableside.record.rows import COLUMNS, checksum

APPLICATION_ID: Final = 0x54626C73
"""`Tbls` in the file's header, which tells our record apart from other programs' databases."""

CHECKSUM: Final = "row_checksum"
"""The SQL function that migrations call; see `tableside.record.rows.checksum`."""

_LOGGER: Final = logging.getLogger(__name__)

IS_DELETION: Final = """instr(payload, '"type":"deletion"') > 0"""
"""The condition for a row of `events` that deletes or restores its match."""

Migration = Sequence[str]
"""SQL statements, run with all others that a record lacks in one transaction."""


def _checksums(table: str) -> tuple[str, ...]:
    """The statements that give every row of a table its checksum."""
    trigger, _ = _append_only(table)
    return (
        f"ALTER TABLE {table} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0",
        f"DROP TRIGGER no_update_of_{table}",
        f"UPDATE {table} SET checksum = {CHECKSUM}({', '.join(COLUMNS[table])})",  # noqa: S608 (our names)
        trigger,
    )


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
    # A checksum in every row of every table, not of the events alone.
    tuple(
        statement
        for table in ("matches", "ends", "evidence", "dice_words")
        for statement in _checksums(table)
    ),
    # Deletions, notes, and rolls and plays from files, which earlier programs cannot read.
    (f"CREATE INDEX deletions ON events (match, seq) WHERE {IS_DELETION}",),
    # Pauses, which earlier programs cannot read.
    (),
)
"""In order; the n-th brings the record to version n."""
HAVE_CHECKSUMS: Final = 5
"""The version from which every row has a checksum; before, only events had one."""
HAVE_DELETIONS: Final = 6
"""The version from which matches can be deleted, noted on and read from files."""


@contextmanager
def changeable(connection: sqlite3.Connection, table: str) -> Iterator[None]:
    """Allow changes to the rows of a table, within a transaction."""
    for change in ("update", "delete"):
        connection.execute(f"DROP TRIGGER no_{change}_of_{table}")
    yield
    for trigger in _append_only(table):
        connection.execute(trigger)


def migrate(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Upgrade the record after copying it, all or nothing.

    Raises `NewerRecord` if a later version wrote it.
    """
    connection.create_function(CHECKSUM, -1, checksum, deterministic=True)
    if refuse_newer(connection, path, migrations) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it in the meantime.
        version = refuse_newer(connection, path, migrations)
        if 0 < version < len(migrations):
            with closing(sqlite3.connect(path)) as unchanged:
                copy_whole(unchanged, path.with_name(f"{path.name}.format{version}"))
            _LOGGER.info("migrating the record %s to format %s", path, len(migrations))
        for statement in chain.from_iterable(migrations[version:]):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def refuse_newer(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """The version of the record's format; raises `NewerRecord` if it is later than ours."""
    version = version_of(connection)
    if version > len(migrations):
        raise NewerRecord(
            f"{path} was written by a later version of Tableside (format {version}, this one knows "
            f"{len(migrations)}); update the program or name another --record"
        )
    return version


def version_of(connection: sqlite3.Connection) -> int:
    """The number of the record's format; 0 for a new file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def copy_whole(connection: sqlite3.Connection, target: Path) -> None:
    """Copy the record into a file of its own, whole or not at all, which only this user may read.

    Raises `OSError` or `sqlite3.Error`.
    """
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        beside.touch(0o600)
        with closing(sqlite3.connect(beside)) as copy:
            copy.execute("PRAGMA synchronous = FULL")
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a write-ahead log
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(target.parent)
