"""What is on the disk, and what still waits to be: the events that may be shown are the former.

A disk that takes no more is no reason to stop watching: events wait in order, the fault is told,
and they are written once there is room. What nobody was shown was not acknowledged.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from engine import Event, MatchState, fold
from engine.referee.replay import Entry, ManualEntry
from tableside.errors import StoreError
from tableside.record.observation_codec import PendingWrites
from tableside.record.store import Store

_LOGGER: Final = logging.getLogger(__name__)
ENTRIES: Final = 16
"""Looks that wait for the next event, at most: each write waits for the disk."""


class Recorder:
    """Keeps the events of one match of a store, and what was seen and said of it."""

    def __init__(self, store: Store, match: int) -> None:
        self.match = match
        self.events = list(store.events(match))
        """Those on the disk."""
        self.state: MatchState = fold(self.events, blank_match(store, match))
        """The match as the disk has it."""
        self.fault: str | None = None
        """Why events wait; None while none do."""
        self._store = store
        self._waiting: list[Event] = []
        self._seen = PendingWrites()

    @property
    def path(self) -> Path:
        """The record's file."""
        return self._store.path

    @property
    def is_over(self) -> bool:
        """Whether the match is won, or was ended by hand: it will not be gone on with."""
        return self.state.is_over

    def keep(self, events: Sequence[Event]) -> None:
        """Take in what a session found; on the disk at once, or as soon as it can be."""
        self._waiting.extend(events)
        self.flush()

    def append(self, entry: Entry) -> None:
        """Take in what was seen or said: on the disk with the next events, or a little later."""
        self._seen.append(entry)
        if len(self._seen.rows) >= ENTRIES:
            self.flush()

    def since(self, frame: int) -> Iterator[Entry]:
        """All that was seen and said from a frame on."""
        return self._seen.after(self._store.evidence(self.match, frame), frame)

    def manual_entries(self) -> Iterator[ManualEntry]:
        """All that was said."""
        return (entry for entry in self.since(0) if isinstance(entry, ManualEntry))

    def flush(self) -> bool:
        """Whether events that waited were written now."""
        if not self._waiting and not self._seen.rows:
            return False
        try:
            self._store.append(self.match, self._waiting, self._seen.rows)
        except StoreError as error:
            if self.fault is None:
                _LOGGER.error("events wait to be written: %s", error)
            self.fault = str(error)
            return False
        if self.fault is not None:
            _LOGGER.info("events are written again")
        written = self._waiting
        self.events.extend(written)
        self.state = fold(written, self.state)
        self._waiting, self._seen, self.fault = [], PendingWrites(), None
        return bool(written)

    def finish(self) -> None:
        """Everything is on the disk, and a match that is over is closed; else `StoreError`."""
        self.flush()
        if self.fault is not None:
            raise StoreError(f"{self.fault}; {len(self._waiting)} newest events were not kept")
        if self.is_over:
            self._store.close_match(self.match)


def blank_match(store: Store, match: int) -> MatchState:
    """The match before its first event: who plays what is known already."""
    entry = next(entry for entry in store.matches() if entry.id == match)
    return MatchState(
        variant=entry.variant, light=entry.light, dark=entry.dark, length=entry.length
    )


class WriterLock:
    """Only one process adds to a record: this one, until `release` or until it ends in any way.

    The lock is SQLite's own on an empty file beside the record, which works on every system and
    goes when its process does.
    """

    def __init__(self, record: Path) -> None:
        path = record.with_name(record.name + ".lock")
        try:
            record.parent.mkdir(parents=True, exist_ok=True)
            self._lock = sqlite3.connect(path, timeout=0, isolation_level=None)
            self._lock.execute("BEGIN EXCLUSIVE")
        except (OSError, sqlite3.Error) as error:
            raise StoreError(_why_not(record, error)) from error

    def release(self) -> None:
        """Somebody else may have it."""
        self._lock.close()


def is_claimed(record: Path) -> bool:
    """Whether a process adds to the record now."""
    path = record.with_name(record.name + ".lock")
    if not path.exists():
        return False
    probe = sqlite3.connect(path, timeout=0)
    try:
        probe.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
    finally:
        probe.close()
    return False


def _why_not(record: Path, error: OSError | sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_BUSY:
        return f"another Tableside records to {record}; close it or name another file with --record"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"the record {record} cannot be opened: {reason}; check the folder and its permissions"
