"""Which record a file is: an identity of its own, which its journal repeats, and its place."""

from __future__ import annotations

import logging
import secrets
import sqlite3
from pathlib import Path
from typing import Final

from engine.message import Sentence, join, msg
from tableside.errors import StoreError
from tableside.record.files import aside_name
from tableside.record.rows import checksum

_BYTES: Final = 8
_LOGGER: Final = logging.getLogger(__name__)


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


class Place:
    """Where a record that is written to lies, and whether it is still there."""

    def __init__(self, path: Path) -> None:
        self._path, self._log = path, path.with_name(f"{path.name}-wal")
        self._file, self._log_file = file_numbers(path), file_numbers(self._log)
        self._was_kept = True

    def is_kept(self) -> bool:
        """Whether the record is still at its path.

        If it is not, its write-ahead log is set aside: SQLite would take it for the log of whatever
        has come into the record's place, and so destroy that. Raises `OSError`.
        """
        if file_numbers(self._path) == self._file:
            self._log_file, self._was_kept = file_numbers(self._log), True
            return True
        if self._was_kept:
            self._was_kept = False
            _LOGGER.error("the record %s was moved or replaced", self._path)
        if self._log_file is not None and file_numbers(self._log) == self._log_file:
            self._log.replace(aside_name(self._log, "moved"))
            self._path.with_name(f"{self._path.name}-shm").unlink(missing_ok=True)
        return False

    def refuse_if_lost(self) -> None:
        """Raise `StoreError` if another record may be in the place of this one, or `OSError`."""
        if not self.is_kept():
            raise StoreError(self.fault)

    @property
    def fault(self) -> Sentence:
        """What is wrong if the record is no longer at its path."""
        moved = msg(
            "the record {path} was moved or replaced while it is written to", path=str(self._path)
        )
        return join([moved, msg("stop the program, put it back with its journal, and start again")])


def file_numbers(path: Path) -> tuple[int, int] | None:
    """The device and the number of what lies at a path, which nothing else has while it exists.

    None if nothing does, or it cannot be seen.
    """
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
