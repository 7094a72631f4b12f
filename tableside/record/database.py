"""Opens and checks the record's SQLite file; reports every failure as a one-line `StoreError`."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from calibration.files import sync_folder
from engine.message import Sentence, join, msg
from tableside.errors import BrokenRecord, StoreError
from tableside.paths import private_folder
from tableside.record.journal import Journal
from tableside.record.schema import APPLICATION_ID, Migration, migrate, refuse_newer

_MAGIC: Final = b"SQLite format 3\0"
_BUSY_SECONDS: Final = 5.0

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
WRITER_CACHE_KIB: Final = 256
"""Pages of the file that the writer keeps in memory: it adds to the end and reads little again."""
SQLITE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises; the second for a message that quotes a damaged name."""
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def open_for_writing(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """A connection to a record of the current format; creates the file if necessary.

    Raises `StoreError`, and `BrokenRecord` if the file is damaged; it stays as it is, as does a
    file of another program. Rows may still be damaged: see `tableside.record.check`.
    """
    _refuse_other_files(path)
    try:
        return _open(path, migrations)
    except SQLITE_ERRORS as error:
        if is_damage(error):
            raise damaged(path) from error
        raise store_error(path, error) from error
    except OSError as error:
        raise StoreError(
            msg(
                "the record {path}: {error}", path=str(path), error=_ADVICE[sqlite3.SQLITE_CANTOPEN]
            )
        ) from error


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
        connection = connect_read_only(path)
        try:
            if not _check_owner(connection, path):
                raise _not_a_record(path)
            refuse_newer(connection, path, migrations)
        except BaseException:
            connection.close()
            raise
    except SQLITE_ERRORS as error:
        if is_damage(error):
            raise _not_a_record(path) from error
        raise store_error(path, error) from error
    return connection


def connect_read_only(path: Path) -> sqlite3.Connection:
    """A read-only connection to a file that may be damaged, also on a medium that is read-only.

    Raises `StoreError` if such a medium has events that only a copy elsewhere can show.
    """
    connection = _connect_read_only(path)
    # To read a record of ours, SQLite makes a write-ahead log and an index of it, if there is none.
    if not _lacks_log(connection) or os.access(path.parent, os.W_OK):
        return connection
    connection.close()
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > 0:
        newest = msg("the newest events of {path} are in {log}", path=str(path), log=log.name)
        raise StoreError(join([newest, msg("copy both files to a folder that can be written to")]))
    # Nobody can write to it, which is what SQLite must be promised to do without them.
    return connect_file_alone(path)


def connect_file_alone(path: Path) -> sqlite3.Connection:
    """A read-only connection to a file without its write-ahead log, and without any lock."""
    return _connect_read_only(path, "&immutable=1")


def _lacks_log(connection: sqlite3.Connection) -> bool:
    """Whether a file cannot be read for want of a log; other faults show when it is read."""
    try:
        connection.execute("PRAGMA schema_version")
    except SQLITE_ERRORS as error:
        return _code(error) == sqlite3.SQLITE_CANTOPEN
    return False


def _connect_read_only(path: Path, option: str = "") -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro{option}",
        uri=True,
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.text_factory = _readable_text
    return connection


def empty_log(path: Path) -> None:
    """Move all that is in a record's write-ahead log to its file.

    The log of a damaged record stays if SQLite cannot read it. Raises `StoreError` if that fails
    for another reason: others may keep reading from the log for so long.
    """
    is_busy = False
    try:
        with closing(sqlite3.connect(path, _BUSY_SECONDS, isolation_level=None)) as connection:
            # It reads the log, though the tables be damaged; closing the file then empties it.
            connection.execute("PRAGMA schema_version")
            is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except SQLITE_ERRORS as error:
        if not is_damage(error) and _code(error) != sqlite3.SQLITE_ERROR:  # a damaged schema
            raise store_error(path, error) from error
    if is_busy:
        busy = _ADVICE[sqlite3.SQLITE_BUSY]
        raise StoreError(msg("the record {path}: {error}", path=str(path), error=busy))


def is_damage(error: Exception) -> bool:
    """Whether SQLite says that the file itself is damaged."""
    return isinstance(error, UnicodeDecodeError) or _code(error) in _DAMAGED


def damaged(path: Path) -> BrokenRecord:
    """The error for a record that must be repaired."""
    return BrokenRecord(
        join(
            [
                msg("the record {path} is damaged", path=str(path)),
                msg("`tableside record repair --record {path}` rebuilds it", path=str(path)),
            ]
        )
    )


def is_full(error: Exception) -> bool:
    """Whether an error, or the cause of a `StoreError`, says that the disk accepts no more."""
    cause = error.__cause__ if isinstance(error, StoreError) else error
    if isinstance(cause, sqlite3.Error):
        return _code(cause) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
    return isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)


def store_error(path: Path, error: Exception) -> StoreError:
    """SQLite's error as one line that says what to do."""
    advice = _ADVICE.get(_code(error), str(error))
    return StoreError(msg("the record {path}: {error}", path=str(path), error=advice))


def _code(error: Exception) -> int:
    """The primary result code: the low byte of an extended code."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _refuse_other_files(path: Path) -> None:
    if path.is_dir():
        raise StoreError(
            join([msg("{path} is a folder", path=str(path)), msg("give a file in it")])
        )
    try:
        private_folder(path.parent)
        with path.open("rb") as file:
            header = file.read(len(_MAGIC))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            msg("{path} cannot be opened: {error}", path=str(path), error=error.strerror or "")
        ) from error
    if header and header != _MAGIC:
        raise _not_a_record(path)


def _not_a_record(path: Path) -> StoreError:
    """The error for a file that does not look like a record; with a journal, it must have been."""
    if Journal(path).exists:
        return damaged(path)
    is_none = msg("{path} is not a Tableside record", path=str(path))
    return StoreError(join([is_none, msg("give another file with --record")]))


def _open(path: Path, migrations: Sequence[Migration]) -> sqlite3.Connection:
    path.touch(0o600)  # its write-ahead log gets the same rights
    connection = sqlite3.connect(
        path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        connection.text_factory = _readable_text
        is_new = not _check_owner(connection, path)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: flush the drive's own cache too
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = -{WRITER_CACHE_KIB}")
        connection.execute("PRAGMA secure_delete = ON")  # a match that was removed leaves no trace
        if is_new:  # its tables are in its file, not in a log that may be copied without it
            migrate(connection, path, migrations)
        connection.execute("PRAGMA journal_mode = WAL")
        # All is moved from the log to the file at once: somebody may copy that alone.
        connection.execute("PRAGMA wal_autocheckpoint = 1")
        _check_integrity(connection)
        migrate(connection, path, migrations)
        sync_folder(path.parent)
    except BaseException:
        connection.close()
        raise
    return connection


def _readable_text(raw: bytes) -> str:
    """Text of the record; damaged text is not refused here, so that its checksum tells."""
    return raw.decode(errors="surrogateescape")


def _check_owner(connection: sqlite3.Connection, path: Path) -> bool:
    """Refuse a file that is no record, or a part of one; return whether it has tables."""
    # The tables are counted first: another process may create them, and set the owner, in between.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    if owner != APPLICATION_ID and (owner or tables):
        raise _not_a_record(path)
    if not tables and connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        raise _without_log(path)
    return bool(tables)


def _without_log(path: Path) -> StoreError:
    """The error for a file of an earlier version that was copied while all was in its log."""
    if Journal(path).exists:
        return damaged(path)
    log = f"{path.name}-wal"
    empty = msg("{path} is empty: it was copied without its log {log}", path=str(path), log=log)
    return StoreError(join([empty, msg("copy both files, or delete it to begin a new record")]))


def _check_integrity(connection: sqlite3.Connection) -> None:
    verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        error = sqlite3.DatabaseError(verdict)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
