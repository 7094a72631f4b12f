"""Keeps a record that is written to at its path, though somebody move, remove or replace it.

The program looks before each write, and once a second while a match is recorded. If another file,
or none, has the record's name, the connection still has the whole record: it is written there
again. If somebody wrote over the file itself, as `cp` does, the record is rebuilt from its journal.
What was put in its place is kept under another name. If another program is recording there, the
record goes on under another name beside it.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol

from calibration.files import sync_folder
from engine.message import Sentence, join, msg
from tableside.errors import StoreError
from tableside.paths import private_folder
from tableside.record.check import tables_of
from tableside.record.database import SQLITE_ERRORS, connect_file_alone, is_damage
from tableside.record.files import aside_name
from tableside.record.identity import file_numbers, identity_of
from tableside.record.parts import AGAIN_S, has_event, log_of
from tableside.record.repair import rebuild
from tableside.record.schema import copy_whole


class Claim(Protocol):
    """The right to write at the record's path: `tableside.record.recorder.WriterLock`."""

    def renew(self) -> None:
        """Have it again after the folder was moved or removed; raises `StoreError`."""


class Loss(Enum):
    """How a record left its place."""

    MOVED = "moved"
    """Another file, or none, is there; the connection has the record."""
    OVERWRITTEN = "overwritten"
    """Its file has another content; the journal has the record."""


class _Content(Enum):
    """What is in the file that has the record's name."""

    OURS = "ours"
    BEHIND = "behind"
    """It lacks what was written last, which may be in the log."""
    ANOTHER = "another"


class NewestEvent(NamedTuple):
    """What a file must have to be the record in its newest state."""

    match: int
    seq: int
    checksum: int


class Place:
    """Where a record that is written to lies."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._newest: NewestEvent | None = None
        self._file, self._log = file_numbers(path), file_numbers(log_of(path))
        self._checked: tuple[int, int] | None = None
        self._is_overwritten = False

    @property
    def fault(self) -> Sentence:
        """What is wrong if the record left its place."""
        return msg("the record {file} was moved, removed or replaced", file=self.path.name)

    @property
    def is_kept(self) -> bool:
        """Whether the file at the path is the one that was opened, whatever is in it."""
        return file_numbers(self.path) == self._file and not self._is_overwritten

    def note_written(self, newest: NewestEvent | None) -> None:
        """Take note of what was written last."""
        self._newest, self._log = newest, file_numbers(log_of(self.path)) or self._log

    def look(self, connection: sqlite3.Connection, identity: str | None) -> Loss | None:
        """How the record left its place; None if it is there."""
        if self._is_overwritten:  # it may have been moved since
            return Loss.OVERWRITTEN
        if not self.is_kept:
            return Loss.MOVED
        state = _state(self.path)
        if state == self._checked:
            return None
        if not self._is_ours(connection, identity):
            time.sleep(AGAIN_S)
            if not self._is_ours(connection, identity):
                self._is_overwritten = True
                return Loss.OVERWRITTEN
        self._checked = state
        return None

    def write_again(
        self, connection: sqlite3.Connection, loss: Loss, identity: str | None, target: Path
    ) -> tuple[Path | None, tuple[str, ...]]:
        """Write the record to `target`; return the new name of what lay there, and what was lost.

        Raises `OSError`, `sqlite3.Error` or `StoreError`; then it can be tried again.
        """
        private_folder(target.parent)
        new = target.with_name(f".{target.name}.again")
        if loss is Loss.MOVED:
            copy_whole(connection, new)
        elif target != self.path:
            raise StoreError(self.fault)
        aside = _set_aside(target)
        # What is in our log is in the copy; SQLite would take it for the log of the new file.
        if file_numbers(log_of(target)) == self._log and log_of(target).exists():
            log_of(target).unlink()
            target.with_name(f"{target.name}-shm").unlink(missing_ok=True)
        elif log_of(target).exists():
            log_of(target).replace(log_of(aside or aside_name(target, "other")))
        if loss is Loss.OVERWRITTEN:
            return aside, rebuild(target, identity=identity).losses
        new.replace(target)
        sync_folder(target.parent)
        return aside, ()

    def _is_ours(self, connection: sqlite3.Connection, identity: str | None) -> bool:
        """Whether the file is the record; True if that cannot be told now."""
        seen = self._seen(identity)
        if seen is not _Content.BEHIND:
            return seen is _Content.OURS
        try:
            busy, in_log, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except SQLITE_ERRORS:  # the disk is full, say
            return True
        is_in_log = busy or in_log != moved  # because somebody is reading that
        return is_in_log or self._seen(identity) is _Content.OURS

    def _seen(self, identity: str | None) -> _Content:
        """What the file holds, whatever is in its log."""
        try:
            with closing(connect_file_alone(self.path)) as alone:
                found = identity_of(alone)
                if found not in (None, identity) or "events" not in tables_of(alone):
                    return _Content.ANOTHER
                has_newest = self._newest is None or has_event(alone, *self._newest)
                return _Content.OURS if has_newest and found is not None else _Content.BEHIND
        except SQLITE_ERRORS as error:
            return _Content.ANOTHER if is_damage(error) else _Content.OURS


def told(place: Place, target: Path, aside: Path | None, losses: tuple[str, ...]) -> Sentence:
    """What was done about a record that left its place, for the user."""
    done = msg("it was written there again, and the match goes on")
    if losses:
        done = msg(
            "what its journal holds was written there again: {losses}", losses="; ".join(losses)
        )
    if target != place.path:
        done = msg("all of it was written to {file}, and the match goes on", file=target.name)
    kept = [] if aside is None else [msg("what lay there is kept as {file}", file=aside.name)]
    return join([place.fault, done, *kept])


def _set_aside(path: Path) -> Path | None:
    """Rename what lies at a path; None if nothing does."""
    if not path.exists():
        return None
    aside = aside_name(path, "other")
    path.replace(aside)
    return aside


def _state(path: Path) -> tuple[int, int] | None:
    """What changes when a file is written to; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
