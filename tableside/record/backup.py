"""Copies of the record: made on request and once a day, checked, and put back."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from calibration.files import sync_folder
from tableside.errors import BrokenRecord, StoreError
from tableside.paths import own_folder, private_folder
from tableside.record.check import findings
from tableside.record.clock_watch import ClockWatch
from tableside.record.database import open_read_only, store_error
from tableside.record.journal import Journal
from tableside.record.repair import replace_record
from tableside.record.schema import MIGRATIONS, copy_whole

DAY_S: Final = 24 * 3600.0
LOOK_S: Final = 600.0
"""How often to see whether a backup is due, in seconds."""
_NAMES: Final = "????-??-??-????.sqlite"
KEPT: Final = 5
"""Daily backups to keep."""
_LOGGER: Final = logging.getLogger(__name__)


def backup_folder(record: Path) -> Path:
    """Where the daily backups of a record are."""
    return record.with_name(f"{record.name}.backups")


def back_up(record: Path, target: Path) -> None:
    """Copy the record, which may be in use, into one file.

    Raises `StoreError` if that fails, `BrokenRecord` if the record is damaged; then `target` stays
    as it was.
    """
    if target.exists() and target.samefile(record):
        raise StoreError(f"{target} is the record itself; choose another name for the copy")
    beside = target.with_name(f".{target.name}.new")
    try:
        with closing(open_read_only(record, MIGRATIONS)) as connection:
            copy_whole(connection, beside)
        if found := findings(beside):
            raise BrokenRecord(
                f"{record} was not copied, because it is damaged ({found[0]}); "
                f"`tableside record repair --record {record}` rebuilds it"
            )
        beside.replace(target)
        sync_folder(target.parent)
    except sqlite3.Error as error:
        raise store_error(record, error) from error
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


def restore(backup: Path, record: Path) -> Path | None:
    """Replace the record by a backup; return the new name of the former record, if there was one.

    The caller holds the writer's lock. Raises `StoreError` if the backup is not a record or is
    damaged; then nothing has changed.
    """
    private_folder(record.parent)
    beside = record.with_name(f".{record.name}.restored")
    try:
        back_up(backup, beside)
        journal = Journal(record)
        aside = replace_record(record, beside, "replaced")
        if journal.exists:  # last: until then, whatever the record lacks is rebuilt from it
            journal.set_aside("replaced")
        return aside
    except OSError as error:
        raise StoreError(f"{record} cannot be written: {error.strerror}") from error
    finally:
        beside.unlink(missing_ok=True)


class DailyBackup:
    """Backs up a record once a day for as long as this context lasts, in a thread of its own."""

    def __init__(self, record: Path, clock: Callable[[], float] = time.time) -> None:
        self._record, self._clock = record, clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="backup", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        watch = ClockWatch()
        while not self._stop.wait(LOOK_S):
            watch.look()
            self.make_if_due()

    def make_if_due(self) -> None:
        """Back up the record if its newest backup is a day old; a failure is only logged."""
        folder = backup_folder(self._record)
        name = time.strftime("%Y-%m-%d-%H%M.sqlite", time.gmtime(self._clock()))
        try:
            own_folder(folder)
            ages = [self._clock() - one.stat().st_mtime for one in folder.glob(_NAMES)]
            # One from the future was made when the clock was wrong.
            if any(0 <= age < DAY_S for age in ages):
                return
            back_up(self._record, folder / name)
            others = sorted(one for one in folder.glob(_NAMES) if one.name != name)
            for old in others[: 1 - KEPT]:
                old.unlink()
        except (OSError, StoreError) as error:
            _LOGGER.warning("no backup was made: %s", error)
        else:
            _LOGGER.info("backed up the record as %s", folder / name)
