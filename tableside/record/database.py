"""Opening the record's file: checked, brought up to date, and every fault in one line."""

from __future__ import annotations

import logging
import os
import sqlite3
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tableside.errors import BrokenRecord, StoreError
from tableside.logs import ALREADY_SHOWN
from tableside.record.schema import APPLICATION_ID, Migration, migrate, refuse_newer

SUFFIX: Final = ".sqlite"
_MAGIC: Final = b"SQLite format 3\0"
_BUSY_SECONDS: Final = 5.0

_LOGGER: Final = logging.getLogger(__name__)
_ADVICE: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space, nothing recorded is lost",
    sqlite3.SQLITE_IOERR: "the disk takes no more; check it, nothing recorded is lost",
    sqlite3.SQLITE_READONLY: "it cannot be written; check its permissions",
    sqlite3.SQLITE_PERM: "it cannot be written; check its permissions",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check the folder and its permissions",
    sqlite3.SQLITE_BUSY: "another program is writing to it; close that and try again",
}
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def open_checked(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """A connection to a whole, current record in `path`; `StoreError` if there can be none.

    A damaged record is kept aside under another name; somebody else's file is left as it is.
    """
    _refuse_other_files(path)
    try:
        return _open(path, migrations)
    except sqlite3.Error as error:
        if _code(error) in _DAMAGED:
            raise _kept_aside(path) from error
        raise explained(path, error) from error


def open_reading(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """A connection that only reads the record in `path`, also while another process writes it.

    `StoreError` if there is none, `NewerRecord` if a later version wrote it. Nothing is brought
    up to date, and what is damaged stays where it is: whoever writes sees to that.
    """
    if not path.is_file():
        raise StoreError(f"there is no record {path}; name one with --record")
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _check_owner(connection, path)
            refuse_newer(connection, path, migrations)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        if _code(error) in _DAMAGED:
            raise _not_ours(path) from error
        raise explained(path, error) from error
    return connection


def explained(path: Path, error: sqlite3.Error) -> StoreError:
    """SQLite's error as one line that says what to do."""
    return StoreError(f"the record {path}: {_ADVICE.get(_code(error), str(error))}")


def _code(error: sqlite3.Error) -> int:
    """The primary result code; the extended ones carry detail above the low byte."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _refuse_other_files(path: Path) -> None:
    if path.is_dir():
        raise StoreError(f"{path} is a folder; name a file in it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("rb") as file:
            header = file.read(len(_MAGIC))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}") from error
    if header and header != _MAGIC:
        raise _kept_aside(path) if path.suffix == SUFFIX else _not_ours(path)


def _not_ours(path: Path) -> StoreError:
    return StoreError(f"{path} is no record of Tableside; name another file with --record")


def _open(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _check_owner(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: through the drive's own cache too
        connection.execute("PRAGMA foreign_keys = ON")
        _check_whole(connection)
        migrate(connection, path, migrations)
        _sync_folder(path.parent)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_owner(connection: sqlite3.Connection, path: Path) -> None:
    # In this order: another process may make the tables, with their owner, in between.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if owner != APPLICATION_ID and (owner or tables):
        raise _not_ours(path)


def _check_whole(connection: sqlite3.Connection) -> None:
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        error = sqlite3.DatabaseError(verdict)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def _sync_folder(folder: Path) -> None:
    """A file just made survives a power cut only once its folder is on the disk too."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _kept_aside(path: Path) -> BrokenRecord:
    """The damaged file and its companions under a new name, so that nothing overwrites them."""
    mark = time.strftime("damaged-%Y%m%d-%H%M%S", time.gmtime())
    aside = path.with_name(f"{path.name}.{mark}")
    for tail in ("", "-wal", "-shm"):
        part = path.with_name(path.name + tail)
        if part.exists():
            part.replace(aside.with_name(aside.name + tail))
    _LOGGER.error("the record %s is damaged, kept as %s", path, aside.name, extra=ALREADY_SHOWN)
    return BrokenRecord(
        f"the record {path} is damaged; it was kept as {aside.name}, start again for a new record"
    )
