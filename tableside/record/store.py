"""The record: every event of every match in an append-only SQLite file.

Write-ahead log with `synchronous=FULL`: when `append` returns, the events survive a kill and a
power cut. Triggers refuse changes to rows, each row carries a checksum, and the journal holds a
second copy of it. One process writes; its threads share a `Store`.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from engine.address import shown_address
from engine.dice_sets.edits import DiceEdit, edit_from_json, edit_json
from engine.events.codec import as_json, from_json
from engine.events.match import Event, GameStart
from engine.events.names import visible_line
from engine.events.record import MatchDeletion
from engine.match.state import MatchState
from engine.message import Sentence, join, message_of, msg
from tableside.errors import StoreError
from tableside.record.check import damaged_rows, missing_rows
from tableside.record.database import (
    SQLITE_ERRORS,
    damaged,
    is_damage,
    is_full,
    open_for_writing,
    open_read_only,
    store_error,
)
from tableside.record.disk import Reserve
from tableside.record.files import aside_name
from tableside.record.identity import identity_of
from tableside.record.journal import Journal
from tableside.record.parts import has_foreign_log, refuse_log_alone, set_foreign_log_aside
from tableside.record.place import Claim, Loss, NewestEvent, Place, told
from tableside.record.rows import Row, insert, intact, select
from tableside.record.schema import (
    HAVE_CHECKSUMS,
    HAVE_DELETIONS,
    IS_DELETION,
    MIGRATIONS,
    Migration,
    changeable,
    version_of,
)

NEARLY_FULL: Final = join(
    [msg("the disk is nearly full"), msg("free some space; no pictures are saved until then")]
)
KEPT_S: Final = 30 * 86400.0
"""Seconds for which a deleted match can be restored; `tableside.recording.purge` counts them."""
NO_CAMERA: Final = "no camera"
"""The source of a match without a camera."""
_LOGGER: Final = logging.getLogger(__name__)
_ADDED: Final = "added:/"
"""Before the source of a match that was added whole: no camera or video has such an address."""
_STANDS: Final = """id NOT IN (SELECT value FROM json_each(?))
 AND (light || dark || source != '' OR EXISTS (SELECT 1 FROM events WHERE match = id)
 OR NOT EXISTS (SELECT 1 FROM ends WHERE match = id))"""
"""The condition for a row of `matches` that stands; it takes the deleted ones' numbers as JSON."""
_HIGHEST: Final = 2**63 - 1
"""The largest integer of SQLite."""


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """A match of the record without its events."""

    id: int
    begun: float
    """Seconds since 1970, UTC."""
    variant: str
    length: int
    """Match length in points; 0 for a money game."""
    light: str
    dark: str
    source: str
    """The camera or video that it was recorded from."""
    is_open: bool
    """Whether it can be resumed."""
    events: int
    """The number of events."""
    deleted_at: float | None = None
    """When it was deleted, in seconds since 1970, UTC; None unless it was."""
    is_added: bool = False
    """Whether it was added whole, from a file or an archive, and not recorded at the table."""
    file: int = field(default=0, compare=False)
    """`Store.file` when it was read."""

    @property
    def is_purged(self) -> bool:
        """Whether all that was recorded of it is gone."""
        named = self.light, self.dark, self.source
        return not self.is_open and self.events == 0 and not any(named)

    @property
    def is_deleted(self) -> bool:
        """Whether it was deleted, and is perhaps gone."""
        return self.deleted_at is not None or self.is_purged

    @property
    def resume_key(self) -> tuple[str, int, str, str]:
        """The properties that must agree for a match to be resumed."""
        return self.variant, self.length, self.light, self.dark

    @property
    def blank_state(self) -> MatchState:
        """The match before its first event."""
        return MatchState(
            variant=self.variant, light=self.light, dark=self.dark, length=self.length
        )


class MatchHead(NamedTuple):
    """How far a match has come."""

    id: int
    begun: float
    events: int
    """The number of its newest event."""
    is_closed: bool
    is_added: bool
    """As in `MatchEntry`."""


class Store:
    """The record in one file; open it with `Store.open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, journal: Journal) -> None:
        self.path, self.place = path, Place(path)
        self.fault: Sentence | None = None
        """What is wrong although every row is in the record; None if nothing is."""
        self.notice: Sentence | None = None
        """What was done when the record had left its place; None if it never has."""
        self.file = 0
        """The number that the system gave the record's file; 0 for a store that is written to.

        Another file with the same name, such as a backup that was restored, has another.
        """
        self._connection = connection
        self._journal = journal
        self._claim: Claim | None = None
        self._reserve = Reserve(path)
        self._keeps_journal = self._is_writer = False
        self._has_checksums = version_of(connection) >= HAVE_CHECKSUMS
        self._has_deletions = False
        self._lock = threading.RLock()

    @classmethod
    def open(
        cls,
        path: Path,
        migrations: Sequence[Migration] = MIGRATIONS,
        *,
        keeps_journal: bool = True,
        claim: Claim | None = None,
    ) -> Self:
        """The record in `path`, created if there is none.

        keeps_journal: whether every row is written to its journal too. claim: the lock of its one
        writer, with which the record is kept in its place; without it, nothing is written to a
        record that has left its place.

        Raises `StoreError` if that fails, `NewerRecord` if a later version wrote it, `BrokenRecord`
        if it is damaged; rows of matches that are over are checked only when they are read.
        """
        refuse_log_alone(path)
        if has_foreign_log(path):
            if claim is None:
                raise damaged(path)
            set_foreign_log_aside(path)
        store = cls(path, open_for_writing(path, migrations), Journal(path))
        try:
            store._check()
            store._keeps_journal, store._is_writer, store._claim = keeps_journal, True, claim
            store._write_journal(lambda journal, rows: journal.add_all(rows))
        except BaseException:
            store.close()
            raise
        _LOGGER.debug("the record %s is open for writing", path)
        return store

    @classmethod
    def open_read_only(cls, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> Self:
        """The record in `path`, read-only; another process may be writing it.

        Raises `StoreError` if there is none, `NewerRecord` if a later version wrote it.
        """
        refuse_log_alone(path)
        if has_foreign_log(path):
            raise damaged(path)
        file = _file_number(path)  # first: if the record is replaced now, that is seen later
        store = cls(path, open_read_only(path, migrations), Journal(path))
        store.file = file
        store._journal.identity = identity_of(store._connection)
        return store

    def _follow(self) -> None:
        """Go on with the file that has taken the record's place, if one has."""
        if not self.file:
            return
        file = _file_number(self.path)
        if file in (0, self.file):
            return
        connection = open_read_only(self.path, MIGRATIONS)
        self._connection.close()
        self._connection, self.file = connection, file
        self._journal.identity = identity_of(connection)
        self._has_checksums = version_of(connection) >= HAVE_CHECKSUMS
        self._has_deletions = False
        _LOGGER.info("the record %s was replaced, and is read anew", self.path)

    def _check(self) -> None:
        """Raise `BrokenRecord` if rows are missing, or rows of a match to resume are damaged."""
        with self._transaction() as connection:  # which keeps other processes from adding rows
            self._journal.begin(connection)
            found = chain(
                missing_rows(connection, self._journal),
                *(damaged_rows(connection, match.id) for match in self.open_matches()),
            )
            first = next(found, None)
        if first is not None:
            _LOGGER.warning("the record %s: %s", self.path, first)
            raise damaged(self.path)

    def _write_journal(self, write: Callable[[Journal, sqlite3.Connection], None]) -> None:
        """Copy rows to the journal.

        A failure is only remembered, since the rows are in the record; the next call makes up for
        it. If the record was moved, what lies at its path is perhaps the journal of another.
        """
        if not self._keeps_journal or not self.place.is_kept:
            return
        try:
            with self._transaction() as connection:  # so that only one process writes to it
                write(self._journal, connection)
        except (OSError, StoreError) as error:
            if is_full(error) and self._reserve.release():
                self._write_journal(write)
                return
            if self.fault is None:
                _LOGGER.error("the journal %s: %s", self._journal.folder, error)
            self.fault = msg(
                "the journal {path} cannot be written: {error}",
                path=str(self._journal.folder),
                error=(error.strerror or "") if isinstance(error, OSError) else message_of(error),
            )
        else:
            self.fault = None if self._reserve.fill() else NEARLY_FULL

    def look(self) -> None:
        """See that the record is in its place, and put it there again if it is not.

        Raises `StoreError` if that is not possible now.
        """
        with self._lock:
            if self._claim is None:
                self.refuse_if_lost()
                return
            loss = self.place.look(self._connection, self._journal.identity)
            if loss is None:
                return
            try:
                self._put_back(loss, self._claim)
            except (OSError, *SQLITE_ERRORS) as error:
                reason = (error.strerror or "") if isinstance(error, OSError) else str(error)
                failed = msg("it cannot be written again: {reason}", reason=reason)
                raise StoreError(join([self.place.fault, failed])) from error

    def _put_back(self, loss: Loss, claim: Claim) -> None:
        """Go on with a record that was written anew, at its path if no other program has that."""
        target, identity = self.path, self._journal.identity
        try:
            claim.renew()
        except StoreError as error:
            _LOGGER.error("%s", error)
            target = aside_name(self.path, "kept")
        left = self.place
        aside, losses = left.write_again(self._connection, loss, identity, target)
        # SQLite changes nothing when it closes a file that is no longer at its path.
        before, self._connection = self._connection, open_for_writing(target, MIGRATIONS)
        before.close()
        self._journal, self.place, self._reserve = Journal(target), Place(target), Reserve(target)
        # What the journal lacks of matches that nobody records is added when the record is opened
        # again: that can take a minute, and the match goes on now.
        with self._transaction() as connection:
            self._journal.begin(connection)
        self.notice = told(left, target, aside, losses)
        _LOGGER.error("%s", message_of(StoreError(self.notice)))

    def refuse_if_lost(self) -> None:
        """Raise `StoreError` if another record may be at the path of this one."""
        if not self.place.is_kept:
            raise StoreError(self.place.fault)
        if self.place.path != self.path:
            raise StoreError(self.notice or self.place.fault)

    def new_match(
        self,
        *,
        variant: str = "short",
        length: int = 0,
        light: str = "Light",
        dark: str = "Dark",
        source: str = "",
        clock: Callable[[], float] = time.time,
    ) -> int:
        """The id of a new match without events."""
        with self._change() as connection:
            head = float(clock()), variant, length, light, dark, source
            number = _insert_match(connection, head)
        self._copy_match(number)
        _LOGGER.info("match %s begins in %s", number, self.path)
        return number

    def add_finished_match(self, events: Sequence[Event], begun: float, source: str) -> int:
        """The id of a new match with these events, which is over; all of it or nothing is added."""
        start = next(event for event in events if isinstance(event, GameStart))
        head = begun, start.variant, start.length, start.light, start.dark, _ADDED + source
        with self._change() as connection:
            number = _insert_match(connection, head)
            for seq, event in enumerate(events, start=1):
                insert(connection, Row("events", (number, seq, _payload(event))))
            insert(connection, Row("ends", (number, begun)))
        self._copy_match(number)
        _LOGGER.info("match %s was added to %s", number, self.path)
        return number

    def restore_match(self, entry: MatchEntry) -> None:
        """Enter a match again, under its number, in a record that has lost all from it on.

        Those before it that are lost too are as if they were removed for good.
        """
        with self._change() as connection:
            found = _one(connection, "SELECT coalesce(max(id), 0) FROM matches")
            for number in range(found + 1, entry.id):
                insert(connection, Row("matches", (number, 0.0, entry.variant, 0, "", "", "")))
                insert(connection, Row("ends", (number, 0.0)))
            game = entry.variant, entry.length, entry.light, entry.dark, entry.source
            insert(connection, Row("matches", (entry.id, entry.begun, *game)))
        self._copy_match(entry.id)

    def append(
        self, match: int, events: Sequence[Event], evidence: Sequence[tuple[int, bytes]] = ()
    ) -> tuple[int, ...]:
        """Write the events; return their numbers in the match, counted from 1.

        evidence: (frame, bytes) of the entries that belong to them.

        Everything or nothing reaches the disk: after a `StoreError` the same call can be repeated.
        """
        try:
            seqs = self._add(match, events, evidence)
        except StoreError as error:
            if not is_full(error) or not self._reserve.release():
                raise
            seqs = self._add(match, events, evidence)
        self._copy_match(match)
        return seqs

    def _add(
        self, match: int, events: Sequence[Event], evidence: Sequence[tuple[int, bytes]]
    ) -> tuple[int, ...]:
        payloads = [_payload(event) for event in events]
        with self._change() as connection:
            last = self._last_seq(connection, match)
            number = 1 + _one(
                connection, "SELECT coalesce(max(seq), 0) FROM evidence WHERE match = ?", match
            )
            seqs = tuple(range(last + 1, last + 1 + len(payloads)))
            for seen in enumerate(evidence, start=number):
                insert(connection, Row("evidence", (match, seen[0], *seen[1])))
            rows = [Row("events", (match, *event)) for event in zip(seqs, payloads, strict=True)]
            for row in rows:
                insert(connection, row)
        if rows:
            self.place.note_written(NewestEvent(match, seqs[-1], rows[-1].checksum))
        return seqs

    def _copy_match(self, match: int) -> None:
        """Copy the new rows of a match to the journal."""
        self._write_journal(lambda journal, rows: journal.add_match(rows, match))

    def _last_seq(self, connection: sqlite3.Connection, match: int) -> int:
        if not connection.execute("SELECT 1 FROM matches WHERE id = ?", (match,)).fetchone():
            raise StoreError(f"{self.path} has no match {match}")
        row = connection.execute("SELECT max(seq) FROM events WHERE match = ?", (match,)).fetchone()
        return int(row[0] or 0)

    def events(self, match: int, after: int = 0) -> tuple[Event, ...]:
        """The events of a match from number `after` + 1 on, in order.

        Raises `BrokenRecord` if one of them is damaged or missing.
        """
        rows = self._numbered("events", match, after)
        return tuple(map(_event, rows))

    def evidence(self, match: int, since: int = 0) -> tuple[bytes, ...]:
        """The evidence from a frame on, in the order in which it was appended.

        Raises `BrokenRecord` if a part of it is damaged or missing.
        """
        rows = (row.values for row in self._numbered("evidence", match))
        return tuple(payload for _, _, frame, payload in rows if frame >= since)

    def _numbered(self, table: str, match: int, after: int = 0) -> list[Row]:
        """The rows of a match after a number; raises `BrokenRecord` unless all are there."""
        last = self._journal.last(table, match)  # first: the record is never behind it
        rows = self._intact(table, "match = ? AND seq > ? ORDER BY seq", match, after)
        if [row.values[1] for row in rows] != [*range(after + 1, max(after + len(rows), last) + 1)]:
            raise damaged(self.path)
        return rows

    def _intact(self, table: str, where: str, *values: int | str) -> list[Row]:
        """The rows of a table that `where` chooses; raises `BrokenRecord` if one is damaged."""
        with self._lock:
            self._follow()
            start = select(table, self._has_checksums or table == "events")
        rows = list(intact(table, self._rows(f"{start} WHERE {where}", values)))
        if None in rows:
            raise damaged(self.path)
        return [row for row in rows if row is not None]

    def matches(self) -> tuple[MatchEntry, ...]:
        """All matches but the deleted, oldest first; raises `BrokenRecord` if one is damaged."""
        return tuple(match for match in self.all_matches() if not match.is_deleted)

    def all_matches(self) -> tuple[MatchEntry, ...]:
        """The same, with the deleted, and those of which only the number is left."""
        most = max(self._journal.matches(), default=0)  # first: the record is never behind it
        found = self._entries("id > 0 ORDER BY id")
        if max([most, *(entry.id for entry in found)], default=0) != len(found):
            raise damaged(self.path)
        return found

    def newest_matches(self, most: int, before: int | None = None) -> tuple[MatchEntry, ...]:
        """At most `most` matches, newest first; `before`: only those with a lower number."""
        below = _HIGHEST if before is None else max(0, min(before, _HIGHEST))
        return self._entries(
            f"id < ? AND {_STANDS} ORDER BY id DESC LIMIT ?", below, self._deleted(), most
        )

    def heads(self, first: int = 1) -> tuple[MatchHead, ...]:
        """How far each match but the deleted has come, oldest first; cheap, nothing is checked.

        first: the lowest number of a match.
        """
        heads = self._rows(
            "SELECT id, begun, (SELECT max(seq) FROM events WHERE match = id), "  # noqa: S608 (ours)
            "EXISTS (SELECT 1 FROM ends WHERE match = id), source "
            f"FROM matches WHERE id >= ? AND {_STANDS} ORDER BY id",
            (first, self._deleted()),
        )
        return tuple(
            MatchHead(number, begun, last or 0, bool(over), source.startswith(_ADDED))
            for number, begun, last, over, source in heads
        )

    def matches_with(self, events: Sequence[Event]) -> tuple[int, ...]:
        """The matches but the deleted that begin with these events, oldest first.

        Raises `BrokenRecord` if an event that is compared is damaged.
        """
        count = len(events)
        probe = 1 + count // 2  # one event tells nearly all other matches apart
        stands = f"match IN (SELECT id FROM matches WHERE {_STANDS})"  # noqa: S608 (ours)
        rows = self._intact("events", f"seq = ? AND {stands}", probe, self._deleted())
        alike = (row for row in rows if _event(row) == events[probe - 1])
        numbers = sorted(row.values[0] for row in alike)
        return tuple(one for one in numbers if self.events(one)[:count] == tuple(events))

    def matches_with_cup(self, cup: str) -> tuple[int, ...]:
        """The matches in which this cup committed itself to a seed, newest first."""
        found = self._rows(
            """SELECT DISTINCT match FROM events WHERE instr(payload, '"type":"cup_commitment"') > 0
            AND instr(payload, ?) > 0 ORDER BY match DESC""",
            (f'"cup":{json.dumps(cup)}',),
        )
        return tuple(row[0] for row in found)

    def change(self) -> tuple[int, int]:
        """Numbers that change when anything else has written to the record, or replaced it."""
        with self._lock:
            version = int(self._rows("PRAGMA data_version")[0][0])
            return self.file, version

    def match(self, number: int) -> MatchEntry | None:
        """The match of this number, even if it was deleted; None if there is none."""
        return next(iter(self._entries("id = ?", min(number, _HIGHEST))), None)

    def deleted(self) -> list[int]:
        """The numbers of the deleted matches that can be restored; cheap."""
        return [*self._deletions()]

    def _deleted(self) -> str:
        """The same, as JSON."""
        return json.dumps(self.deleted())

    def _deletions(self) -> dict[int, float]:
        """When matches were deleted, by number."""
        if not self._has_deletions:  # another process may have migrated the record since
            self._has_deletions = self._rows("PRAGMA user_version")[0][0] >= HAVE_DELETIONS
            if not self._has_deletions:
                return {}
        rows = self._intact("events", f"{IS_DELETION} ORDER BY match, seq")
        found: dict[int, float] = {}
        for row in rows:
            event, match = _event(row), row.values[0]
            if isinstance(event, MatchDeletion) and event.is_deleted:
                found[match] = event.at
            else:
                found.pop(match, None)
        return found

    def _entries(self, where: str, *values: int | str) -> tuple[MatchEntry, ...]:
        """The matches that `where` chooses; raises `BrokenRecord` if one is damaged."""
        entries, deletions = [], self._deletions()
        for match in self._intact("matches", where, *values):
            number: int = match.values[0]
            # First: the record is never behind the journal.
            least = self._journal.last("events", number)
            must_be_over = self._journal.has_end(number)
            over = self._intact("ends", "match = ?", number)
            count = self._rows("SELECT count(*) FROM events WHERE match = ?", (number,))[0][0]
            if count < least or len(over) < must_be_over:
                raise damaged(self.path)
            shown = {name: visible_line(match.named[name]) for name in ("light", "dark", "source")}
            known = {**match.named, **shown}
            deleted, is_added = deletions.get(number), known["source"].startswith(_ADDED)
            # Older versions stored an address with its password.
            known["source"] = shown_address(known["source"].removeprefix(_ADDED))
            entries.append(
                MatchEntry(
                    **known,
                    is_open=not over,
                    events=count,
                    deleted_at=deleted,
                    is_added=is_added,
                    file=self.file,
                )
            )
        return tuple(entries)

    def open_matches(self) -> tuple[MatchEntry, ...]:
        """The matches that were not closed, and so can be resumed, newest first."""
        return tuple(match for match in reversed(self.matches()) if match.is_open)

    def close_match(self, match: int, clock: Callable[[], float] = time.time) -> None:
        """Mark the match as over; closing it again changes nothing."""
        with self._change() as connection:
            if not connection.execute("SELECT 1 FROM ends WHERE match = ?", (match,)).fetchone():
                insert(connection, Row("ends", (match, float(clock()))))
        self._copy_match(match)
        _LOGGER.info("match %s is closed", match)

    def purge_match(self, match: int) -> None:
        """Remove all that was recorded of a match; its number stays taken.

        A kill on the way leaves either all of it, or nothing but its number.
        """
        self.close_match(match)
        self.place.note_written(None)
        with self._change() as connection:
            try:  # first: what the record has, and the journal has not, is added to it
                self._journal.drop(match)
            except OSError as error:
                reason = error.strerror or ""
                raise StoreError(f"the journal {self._journal.folder}: {reason}") from error
            for table in ("events", "evidence"):
                with changeable(connection, table):
                    connection.execute(f"DELETE FROM {table} WHERE match = ?", (match,))  # noqa: S608 (our names)
            (row,) = self._intact("matches", "id = ?", match)
            blank = Row("matches", (*row.values[:-3], "", "", ""))
            with changeable(connection, "matches"):
                connection.execute(
                    "UPDATE matches SET light = '', dark = '', source = '', checksum = ? "
                    "WHERE id = ?",
                    (blank.checksum, match),
                )
        self._copy_match(match)
        _LOGGER.info("match %s was removed", match)

    def append_dice_edit(self, edit: DiceEdit, clock: Callable[[], float] = time.time) -> None:
        """Record a merge or a renaming of dice, which holds for all matches."""
        with self._change() as connection:
            number = 1 + _one(connection, "SELECT coalesce(max(seq), 0) FROM dice_words")
            words = json.dumps(edit_json(edit), ensure_ascii=False)
            insert(connection, Row("dice_words", (number, float(clock()), words)))
        self._write_journal(lambda journal, rows: journal.add_dice(rows))

    def dice_edits(self) -> tuple[DiceEdit, ...]:
        """All edits of dice names, in order; none in records before format 4."""
        has_any = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'dice_words'"
        if not self._rows(has_any):
            return ()
        rows = self._intact("dice_words", "seq > ? ORDER BY seq", 0)
        return tuple(edit_from_json(json.loads(row.values[2])) for row in rows)

    def close(self) -> None:
        """Close the file; it alone then holds everything, even while others are reading it."""
        with self._lock:
            try:
                if self._is_writer:
                    self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            except SQLITE_ERRORS as error:  # all is in the write-ahead log
                _LOGGER.warning("the record %s was not tidied up: %s", self.path, error)
            finally:
                self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            self._follow()
            try:
                return self._connection.execute(sql, values).fetchall()
            except SQLITE_ERRORS as error:
                if is_damage(error):
                    raise damaged(self.path) from error
                raise store_error(self.path, error) from error

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """A transaction on a record that is in its place."""
        with self._lock:
            self.look()
            with self._transaction() as connection:
                yield connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is on the disk when it ends; SQLite's errors become `StoreError`."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except SQLITE_ERRORS as error:
                if is_damage(error):
                    raise damaged(self.path) from error
                raise store_error(self.path, error) from error
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


def _insert_match(
    connection: sqlite3.Connection, head: tuple[float, str, int, str, str, str]
) -> int:
    """Add a match with these columns but the first; return its number."""
    number = 1 + _one(connection, "SELECT coalesce(max(id), 0) FROM matches")
    insert(connection, Row("matches", (number, *head)))
    return number


def _file_number(path: Path) -> int:
    """The number of a file, which no other has while it exists; 0 if there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _event(row: Row) -> Event:
    """The event in a row of `events`."""
    return from_json(json.loads(row.values[2]))


def _payload(event: Event) -> str:
    return json.dumps(as_json(event), allow_nan=False, separators=(",", ":"))


def _one(connection: sqlite3.Connection, sql: str, *values: int) -> int:
    """The whole number that a query finds."""
    return int(connection.execute(sql, values).fetchone()[0])
