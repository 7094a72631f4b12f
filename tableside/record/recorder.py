"""Writes the events and observations of a match to the record; the lock of its one writer.

An event is shown only once it is on the disk. A full disk does not stop the match: events wait in
order, the error is reported, and they are written when there is space again. Only the referee's
desk knows those that wait, since its commands apply to them.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from engine import Event, MatchState, fold
from engine.message import Message, Sentence, join, message_of, msg, ngettext
from engine.referee import Entry, ManualEntry
from tableside.errors import StoreError
from tableside.paths import private_file
from tableside.record.file_lock import exclusive_lock
from tableside.record.identity import file_numbers
from tableside.record.observation_codec import PendingWrites
from tableside.record.store import Store

_LOGGER: Final = logging.getLogger(__name__)
LOCK_S: Final = 2.0
"""Seconds to wait for the lock: others hold it for a moment to see whether it is taken, or while
they change a match that nobody plays."""
NOTHING: Final = 0
"""No match."""
TRY_AGAIN: Final = msg("try again in a moment")
MAX_PENDING_ENTRIES: Final = 16
"""Maximum number of observations held back for the next event; each write waits for the disk."""


class Recorder:
    """Appends events, observations and manual entries to one match of a store."""

    def __init__(self, store: Store, match: int) -> None:
        """From now on nobody edits the match; raises `StoreError` if it is over or deleted."""
        self.match = match
        with changing(store.path):
            entry = store.match(match)
            if entry is None or entry.is_deleted or not entry.is_open:
                raise StoreError(msg("match {number} has been ended or deleted", number=match))
            _note_recorded(store.path, match)
            self.events = list(store.events(match))
            """The events on the disk."""
        self._entry = entry
        self.blank = entry.blank_state
        """The match before its first event."""
        self.state: MatchState = fold(self.events, self.blank)
        """The match after the events on the disk."""
        self.fault: Sentence | None = store.fault
        """Why something could not be written, or soon cannot be; None if all is well."""
        self._store = store
        self.notice: Sentence | None = None
        """What was done when the record had left its place during this match, or None."""
        self._noticed = store.notice
        self._waiting: list[Event] = []
        self._pending = PendingWrites()

    @property
    def path(self) -> Path:
        """The record's file."""
        return self._store.path

    @property
    def _is_at_home(self) -> bool:
        """Whether the notes beside the record are ours: it may go on beside another program's."""
        return self._store.place.path == self.path

    @property
    def is_over(self) -> bool:
        """Whether the match is won or was ended manually, and so cannot be resumed."""
        return self.state.is_over

    @property
    def has_unsaved(self) -> bool:
        """Whether events wait until they can be written."""
        return bool(self._waiting)

    @property
    def alive_until(self) -> float:
        """When the match was last known to be recorded before it was opened, in its seconds."""
        newest = max((event.time for event in self.events[-1:]), default=0.0)
        try:
            match, seconds = json.loads(_alive_file(self.path).read_text("utf-8"))
            return max(newest, float(seconds)) if match == self.match else newest
        except (OSError, ValueError, TypeError):  # then the newest event tells
            return newest

    def note_alive(self, seconds: float) -> None:
        """Note that the match is being recorded now, for the clock of a player after a crash."""
        if not self._is_at_home:
            return
        path = _alive_file(self.path)
        beside = path.with_name(f"{path.name}.new")
        try:  # it need not outlast a power cut
            private_file(beside)
            beside.write_text(json.dumps([self.match, seconds]), "utf-8")
            beside.replace(path)
        except OSError as error:
            _LOGGER.debug("%s cannot be written: %s", path, error)

    @property
    def all_events(self) -> tuple[Event, ...]:
        """The events on the disk, and those that wait until they can be written."""
        return (*self.events, *self._waiting)

    def keep(self, events: Sequence[Event]) -> None:
        """Write the events, or keep them until they can be written."""
        self._waiting.extend(events)
        self.flush()

    def append(self, entry: Entry) -> None:
        """Add an observation or a manual entry, to be written with the next events."""
        self._pending.append(entry)
        if len(self._pending.rows) >= MAX_PENDING_ENTRIES:
            self.flush()

    def since(self, frame: int) -> Iterator[Entry]:
        """The observations and manual entries from a frame on."""
        return self._pending.after(self._store.evidence(self.match, frame), frame)

    def manual_entries(self) -> Iterator[ManualEntry]:
        """The manual entries of the match."""
        return (entry for entry in self.since(0) if isinstance(entry, ManualEntry))

    def look(self) -> None:
        """See that the record is in its place, where it is put again if it is not."""
        try:
            self._put_back()
        except StoreError as error:
            _LOGGER.error("the record left its place: %s", error)
            self.fault = message_of(error)

    def _put_back(self) -> None:
        """Make sure that the record is in its place, and whole; raises `StoreError`."""
        self._store.look()
        if self._store.notice is self._noticed:
            return
        if self._store.match(self.match) is None:  # the journal was replaced too
            self._store.restore_match(self._entry)
        there = len(self._store.events(self.match))
        self._store.append(self.match, self.events[there:])
        self._noticed = self.notice = self._store.notice
        if self._is_at_home:
            _note_recorded(self.path, self.match)

    def flush(self) -> bool:
        """Write what is pending; return whether that included events."""
        if not self._waiting and not self._pending.rows and self.fault is None:
            return False
        try:
            self._put_back()
            self._store.append(self.match, self._waiting, self._pending.rows)
        except StoreError as error:
            if self.fault is None:
                _LOGGER.error("events could not be written yet: %s", error)
            self.fault = message_of(error)
            return False
        if self.fault is not None and self._waiting:
            _LOGGER.info("events are being written again")
        written = self._waiting
        self.events.extend(written)
        self.state = fold(written, self.state)
        self._waiting, self._pending = [], PendingWrites()
        self.fault = self._store.fault
        return bool(written)

    def finish(self) -> None:
        """Write everything and close the match if it is over; raises `StoreError` if that fails."""
        self.flush()
        if self.fault is not None and self._waiting:
            lost = ngettext(
                "the newest event was not saved",
                "the newest {number} events were not saved",
                len(self._waiting),
            )
            raise StoreError(join((self.fault, lost)))
        if self.is_over:
            self._store.close_match(self.match)

    def close(self) -> None:
        """Let others edit the match."""
        if self._is_at_home:
            _note_recorded(self.path, NOTHING)


class WriterLock:
    """Held by the one process that may write to a record, until `release` or the process ends."""

    def __init__(self, record: Path) -> None:
        self._record, self._path = record, record.with_name(record.name + ".lock")
        self._lock = self._locked()

    def _locked(self) -> sqlite3.Connection:
        try:
            with ExitStack() as unlocked:
                lock = exclusive_lock(self._path, LOCK_S)
                unlocked.callback(lock.close)
                self._file = file_numbers(self._path)
                _note_recorded(self._record, NOTHING)
                unlocked.pop_all()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(_lock_refused(self._record, error)) from error
        return lock

    def renew(self) -> None:
        """Hold it again at its path if its file was moved or removed; raises `StoreError`."""
        if file_numbers(self._path) != self._file:
            before, self._lock = self._lock, self._locked()
            before.close()

    def release(self) -> None:
        """Let another process write."""
        self._lock.close()


@contextmanager
def changing(record: Path) -> Iterator[None]:
    """Keep other programs from editing a match of the record, or beginning to record one.

    Raises `StoreError` if another is at it for long.
    """
    path = record.with_name(record.name + ".changing")
    with ExitStack() as held:
        try:
            held.callback(exclusive_lock(path, LOCK_S).close)
        except sqlite3.Error as error:
            raise StoreError(
                join([msg("a match of the record is being changed"), TRY_AGAIN])
            ) from error
        except OSError as error:  # a full disk does not keep a match from going on
            _LOGGER.warning("%s cannot be locked: %s", path, error)
        yield


def _note_recorded(record: Path, match: int) -> None:
    path = _recorded_file(record)
    try:
        path.unlink(missing_ok=True)  # first, since a full disk takes no other
        beside = path.with_name(f"{path.name}.new")
        private_file(beside)
        beside.write_text(str(match), "utf-8")
        beside.replace(path)
    except OSError as error:  # then no match of the record can be edited meanwhile
        _LOGGER.warning("%s cannot be written: %s", path, error)


def recorded_match(record: Path) -> int | None:
    """The match that the holder of the lock records, or `NOTHING`; None if that is not known.

    Raises `StoreError`.
    """
    try:
        return int(_recorded_file(record).read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"{_recorded_file(record)} cannot be read: {error}") from error


def _recorded_file(record: Path) -> Path:
    return record.with_name(record.name + ".recording")


def _alive_file(record: Path) -> Path:
    return record.with_name(record.name + ".alive")


def is_claimed(record: Path) -> bool:
    """Whether any process may write to the record now."""
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


def _lock_refused(record: Path, error: OSError | sqlite3.Error) -> Message:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
        busy = msg("another Tableside is recording to {record}", record=str(record))
        return join([busy, msg("close it, or give another file with --record")])
    reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
    failed = msg(
        "the record {record} cannot be opened: {reason}", record=str(record), reason=reason
    )
    return join([failed, msg("check the folder and its permissions")])
