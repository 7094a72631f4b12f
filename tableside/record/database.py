"""Opens and checks the record's SQLite file; reports every failure as a one-line `StoreError`."""

from __future__ import annotations

import logging
import os
import sqlite3
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engine.message import Sentence, join, msg
from tableside.errors import BrokenRecord, StoreError
from tableside.logs import ALREADY_SHOWN
from tableside.record.schema import APPLICATION_ID, Migration, migrate, refuse_newer

SUFFIX: Final = ".sqlite"
_MAGIC: Final = b"SQLite format 3\0"
_BUSY_SECONDS: Final = 5.0

_LOGGER: Final = logging.getLogger(__name__)
_NOT_WRITABLE: Final = join([msg("it cannot be written to"), msg("check its permissions")])
_ADVICE: Final[dict[int, Sentence]] = {
    sqlite3.SQLITE_FULL: join(
        [msg("the disk is full"), msg("free some space; nothing recorded is lost")]
    ),
    sqlite3.SQLITE_IOERR: join(
        [msg("the disk accepts no more data"), msg("check it; nothing recorded is lost")]
    ),
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_PERM: _NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: join(
        [msg("it cannot be opened"), msg("check the folder and its permissions")]
    ),
    sqlite3.SQLITE_BUSY: join(
        [msg("another program is writing to it"), msg("close it and try again")]
    ),
}
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def open_for_writing(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """A connection to an intact record of the current format; creates the file if necessary.

    Raises `StoreError`. A damaged record is renamed; a file of another program is left untouched.
    """
    _refuse_other_files(path)
    try:
        return _open(path, migrations)
    except sqlite3.Error as error:
        if _code(error) in _DAMAGED:
            raise _set_aside(path) from error
        raise store_error(path, error) from error


def open_read_only(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """A read-only connection to the record, which another process may be writing.

    Raises `StoreError` if there is no record, `NewerRecord` if a later version wrote it. Nothing is
    migrated, and a damaged file stays in place: the writing process deals with both.
    """
    if path.is_dir():
        raise StoreError(
            join([msg("{path} is a folder", path=str(path)), msg("give a file in it")])
        )
    if not path.is_file():
        raise StoreError(
            join([msg("there is no record {path}", path=str(path)), msg("give one with --record")])
        )
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
        raise store_error(path, error) from error
    return connection


def store_error(path: Path, error: sqlite3.Error) -> StoreError:
    """SQLite's error as one line that says what to do."""
    advice = _ADVICE.get(_code(error), str(error))
    return StoreError(msg("the record {path}: {error}", path=str(path), error=advice))


def _code(error: sqlite3.Error) -> int:
    """The primary result code: the low byte of an extended code."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _refuse_other_files(path: Path) -> None:
    if path.is_dir():
        raise StoreError(
            join([msg("{path} is a folder", path=str(path)), msg("give a file in it")])
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("rb") as file:
            header = file.read(len(_MAGIC))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            msg("{path} cannot be opened: {error}", path=str(path), error=error.strerror or "")
        ) from error
    if header and header != _MAGIC:
        raise _set_aside(path) if path.suffix == SUFFIX else _not_ours(path)


def _not_ours(path: Path) -> StoreError:
    is_none = msg("{path} is not a Tableside record", path=str(path))
    return StoreError(join([is_none, msg("give another file with --record")]))


def _open(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        _check_owner(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: flush the drive's own cache too
        connection.execute("PRAGMA foreign_keys = ON")
        _check_integrity(connection)
        migrate(connection, path, migrations)
        _sync_folder(path.parent)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_owner(connection: sqlite3.Connection, path: Path) -> None:
    # The tables are counted first: another process may create them, and set the owner, in between.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if owner != APPLICATION_ID and (owner or tables):
        raise _not_ours(path)


def _check_integrity(connection: sqlite3.Connection) -> None:
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        error = sqlite3.DatabaseError(verdict)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def _sync_folder(folder: Path) -> None:
    """Flush the folder's entry; otherwise a new file may not survive a power cut."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _set_aside(path: Path) -> BrokenRecord:
    """Rename the damaged file and its WAL, so that nothing overwrites them; return the error."""
    mark = time.strftime("damaged-%Y%m%d-%H%M%S", time.gmtime())
    aside = path.with_name(f"{path.name}.{mark}")
    for tail in ("", "-wal", "-shm"):
        part = path.with_name(path.name + tail)
        if part.exists():
            part.replace(aside.with_name(aside.name + tail))
    _LOGGER.error("the damaged record %s was kept as %s", path, aside.name, extra=ALREADY_SHOWN)
    return BrokenRecord(
        join(
            [
                msg("the record {path} is damaged", path=str(path)),
                msg("it was kept as {name}; start again for a new record", name=aside.name),
            ]
        )
    )
