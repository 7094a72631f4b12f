"""The record's tables, and how a record of an earlier version becomes one of this version."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tableside.errors import NewerRecord

APPLICATION_ID: Final = 0x54626C73
"""`Tbls` in the file's header: marks our record among the databases of other programs."""

_LOGGER: Final = logging.getLogger(__name__)

Migration = Callable[[sqlite3.Connection], None]


def create_matches_and_events(connection: sqlite3.Connection) -> None:
    """Version 1: matches, their ends and their events, all append-only."""
    connection.execute(
        "CREATE TABLE matches (id INTEGER PRIMARY KEY AUTOINCREMENT, begun REAL NOT NULL,"
        " variant TEXT NOT NULL, length INTEGER NOT NULL, light TEXT NOT NULL,"
        " dark TEXT NOT NULL, source TEXT NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE ends (match INTEGER PRIMARY KEY REFERENCES matches(id), at REAL NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE events (match INTEGER NOT NULL REFERENCES matches(id), seq INTEGER NOT NULL,"
        " payload TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (match, seq)) WITHOUT ROWID"
    )
    for table in ("matches", "ends", "events"):
        _make_append_only(connection, table)


def create_evidence(connection: sqlite3.Connection) -> None:
    """Version 2: observations and manual entries, from which corrections replay a game."""
    connection.execute(
        "CREATE TABLE evidence (match INTEGER NOT NULL REFERENCES matches(id),"
        " seq INTEGER NOT NULL, frame INTEGER NOT NULL, payload BLOB NOT NULL,"
        " PRIMARY KEY (match, seq))"
    )
    _make_append_only(connection, "evidence")


def mark_appearances(connection: sqlite3.Connection) -> None:
    """Version 3: observations hold the appearance of dice, which earlier programs cannot read."""


def create_dice_edits(connection: sqlite3.Connection) -> None:
    """Version 4: names that users gave dice, for all matches."""
    connection.execute(
        "CREATE TABLE dice_words (seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL,"
        " payload TEXT NOT NULL)"
    )
    _make_append_only(connection, "dice_words")


def _make_append_only(connection: sqlite3.Connection, table: str) -> None:
    for change in ("UPDATE", "DELETE"):
        connection.execute(
            f"CREATE TRIGGER no_{change.lower()}_of_{table} BEFORE {change} ON {table}"
            " BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
        )


MIGRATIONS: Final[tuple[Migration, ...]] = (
    create_matches_and_events,
    create_evidence,
    mark_appearances,
    create_dice_edits,
)
"""In order; after the n-th the version is n."""


def migrate(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Upgrade the record after copying it; `NewerRecord` if a later version wrote it."""
    version = refuse_newer(connection, path, migrations)
    if 0 < version < len(migrations):
        _copy(connection, path.with_name(f"{path.name}.format{version}"))
        _LOGGER.info("the record %s is migrated to format %s", path, len(migrations))
    for number, step in enumerate(migrations[version:], start=version + 1):
        _apply(connection, step, number)


def refuse_newer(
    connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """The version of the record's format; `NewerRecord` if it is later than ours."""
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
    copy = sqlite3.connect(target)
    try:
        connection.backup(copy)
    finally:
        copy.close()


def _apply(connection: sqlite3.Connection, step: Migration, number: int) -> None:
    """Run one migration in a transaction, unless another process has done it meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) < number:
            step(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
