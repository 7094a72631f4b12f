"""Which record a file is: an identity of its own, which its journal repeats; which file it is."""

from __future__ import annotations

import secrets
import sqlite3
from pathlib import Path
from typing import Final

from tableside.record.rows import checksum

_BYTES: Final = 8


def identity_of(connection: sqlite3.Connection) -> str | None:
    """The identity of a record; None if it has none yet, or a damaged one."""
    has_table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'identity'"
    if not connection.execute(has_table).fetchone():
        return None
    found = connection.execute("SELECT id, checksum FROM identity").fetchall()
    return next((known for known, kept in found if checksum(known) == kept), None)


def identify(connection: sqlite3.Connection, identity: str | None) -> str:
    """Give a record this identity, or a new one, within a transaction; return it.

    It is no part of the record's format: versions that do not know the table leave it alone.
    """
    known = identity or secrets.token_hex(_BYTES)
    connection.execute(
        "CREATE TABLE IF NOT EXISTS identity (id TEXT NOT NULL, checksum INTEGER NOT NULL)"
    )
    connection.execute("DELETE FROM identity")
    connection.execute("INSERT INTO identity VALUES (?, ?)", (known, checksum(known)))
    return known


def file_numbers(path: Path) -> tuple[int, int] | None:
    """The device and the number of what lies at a path, which nothing else has while it exists.

    None if nothing does, or it cannot be seen.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
