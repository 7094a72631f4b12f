"""SQLite's own lock on an empty file: it works on every system, and ends with its process."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tableside.paths import private_file, private_folder
from tableside.record.files import aside_name

_NO_DATABASE: Final = {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
_LOGGER: Final = logging.getLogger(__name__)


def exclusive_lock(path: Path, seconds: float) -> sqlite3.Connection:
    """Lock the file, and wait for it so long; closing the connection releases it.

    What somebody else wrote to the file is copied aside, and removed. Raises `OSError` or
    `sqlite3.Error`.
    """
    private_folder(path.parent)
    private_file(path)
    try:
        return _locked(path, seconds)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", None) not in _NO_DATABASE:
            raise
    kept = aside_name(path, "damaged")
    private_file(kept)
    shutil.copyfile(path, kept)
    # Truncated and not replaced: others may be waiting for the lock on this very file.
    os.truncate(path, 0)
    _LOGGER.warning("%s was not empty: its content is in %s now", path, kept)
    return _locked(path, seconds)


def _locked(path: Path, seconds: float) -> sqlite3.Connection:
    with ExitStack() as unlocked:
        lock = sqlite3.connect(path, timeout=seconds, isolation_level=None)
        unlocked.callback(lock.close)
        lock.execute("BEGIN EXCLUSIVE")
        unlocked.pop_all()
    return lock
