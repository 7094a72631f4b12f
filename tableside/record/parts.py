"""Whether a record's file and SQLite's log of it belong together: somebody may copy them apart.

What is recorded is moved from the log to the file at once, so that the file alone can be copied.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from engine.message import join, msg
from tableside.errors import StoreError
from tableside.record.database import SQLITE_ERRORS, connect_file_alone, connect_read_only, damaged
from tableside.record.files import aside_name
from tableside.record.identity import identity_of
from tableside.record.journal import Journal
from tableside.record.rows import checksum

AGAIN_S: Final = 0.05
"""Pause before a file is read again to which another program may have been writing."""
_COMPARED: Final = 20
"""Matches that are compared, the newest: a page opens a record often."""
_LOGGER: Final = logging.getLogger(__name__)


def log_of(path: Path) -> Path:
    """Where SQLite keeps the log of a record."""
    return path.with_name(f"{path.name}-wal")


def refuse_log_alone(path: Path) -> None:
    """Raise `StoreError` if the log is there without the file: SQLite would delete it."""
    if not _is_log_alone(path):
        return
    if Journal(path).exists:
        raise damaged(path)
    alone = msg("there is no {path}, only its log {log}", path=str(path), log=log_of(path).name)
    raise StoreError(join([alone, msg("copy both files, or move the log away")]))


def set_foreign_log_aside(path: Path) -> None:
    """Keep a log that does not belong to the file under another name.

    SQLite would take what is in it for the newest state of the file. The caller holds the writer's
    lock. Raises `StoreError`.
    """
    if _is_log_alone(path) or has_foreign_log(path):
        aside = aside_name(log_of(path), "other")
        try:
            log_of(path).replace(aside)
            path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{log_of(path)} cannot be moved: {error.strerror}") from error
        _LOGGER.warning("the log beside %s is not its own, and was kept as %s", path, aside.name)


def _is_log_alone(path: Path) -> bool:
    return _size(log_of(path)) > 0 and _size(path) == 0


def has_foreign_log(path: Path) -> bool:
    """Whether the log is another record's, or that of an older copy of this one."""
    if _size(path) == 0 or _size(log_of(path)) == 0 or not _seems_foreign(path):
        return False
    time.sleep(AGAIN_S)
    return _seems_foreign(path) and not _is_torn(path)


def _is_torn(path: Path) -> bool:
    """Whether a power cut left the file half written, which its log mends."""
    try:
        with closing(connect_file_alone(path)) as alone:
            return bool(alone.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except SQLITE_ERRORS:
        return True


def _seems_foreign(path: Path) -> bool:
    """The same, but a moment in which another program writes to the file may look like it."""
    try:
        with closing(connect_file_alone(path)) as alone:  # first: a record that is in use grows
            identity, newest = identity_of(alone), _newest_events(alone)
        with closing(connect_read_only(path)) as whole:
            is_same = identity in (None, identity_of(whole))
            return not (
                is_same
                and all(
                    has_event(whole, *event) or _was_removed(whole, event[0]) for event in newest
                )
            )
    except SQLITE_ERRORS:  # it is damaged, or the file is being written
        return False


def _newest_events(connection: sqlite3.Connection) -> list[tuple[int, int, int]]:
    """The match, number and checksum of the newest event of each of the newest matches.

    Those that are undamaged: a power cut may leave a part of what was being written.
    """
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'events'").fetchone():
        return []
    newest = "SELECT max(seq) FROM events AS other WHERE other.match = id"
    rows = connection.execute(
        f"SELECT match, seq, payload, events.checksum FROM matches JOIN events ON match = id "  # noqa: S608 (ours)
        f"AND seq = ({newest}) ORDER BY id DESC LIMIT {_COMPARED}"
    )
    return [
        (match, seq, kept) for match, seq, text, kept in rows if checksum(match, seq, text) == kept
    ]


def has_event(connection: sqlite3.Connection, match: int, seq: int, kept: int) -> bool:
    """Whether an event of a match is there."""
    rows = "SELECT checksum FROM events WHERE match = ? AND seq = ?"
    return bool(connection.execute(rows, (match, seq)).fetchone() == (kept,))


def _was_removed(connection: sqlite3.Connection, match: int) -> bool:
    """Whether nothing is left of a match."""
    return not connection.execute("SELECT 1 FROM events WHERE match = ?", (match,)).fetchone()


def _size(path: Path) -> int:
    """The size of a file in bytes; 0 if there is none, or it is none."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0
