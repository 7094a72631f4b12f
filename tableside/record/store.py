"""The record: every event of every match in an append-only SQLite file.

Write-ahead log with `synchronous=FULL`: when `append` returns, the events survive a kill and a
power cut. Triggers refuse changes to rows. One process writes; its threads share a `Store`.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from engine.dice_sets.edits import DiceEdit, edit_from_json, edit_json
from engine.events.codec import as_json, from_json
from engine.events.match import Event
from engine.match.state import MatchState
from tableside.errors import BrokenRecord, StoreError
from tableside.record.database import open_for_writing, open_read_only, store_error
from tableside.record.schema import MIGRATIONS, Migration

_ENTRIES: Final = (
    "SELECT id, begun, variant, length, light, dark, source,"
    " NOT EXISTS (SELECT 1 FROM ends WHERE ends.match = matches.id),"
    " (SELECT count(*) FROM events WHERE events.match = matches.id)"
    " FROM matches"
)
_LOGGER: Final = logging.getLogger(__name__)
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


class Store:
    """The record in one file; open it with `Store.open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> Self:
        """The record in `path`, created if there is none.

        Raises `StoreError` if that fails, `NewerRecord` if a later version wrote it, `BrokenRecord`
        if it was damaged and has been renamed.
        """
        store = cls(path, open_for_writing(path, migrations))
        _LOGGER.debug("the record %s is open for writing", path)
        return store

    @classmethod
    def open_read_only(cls, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> Self:
        """The record in `path`, read-only; another process may be writing it.

        Raises `StoreError` if there is none, `NewerRecord` if a later version wrote it.
        """
        return cls(path, open_read_only(path, migrations))

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
        with self._transaction() as connection:
            row = connection.execute(
                "INSERT INTO matches (begun, variant, length, light, dark, source)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (clock(), variant, length, light, dark, source),
            )
            number = int(row.lastrowid or 0)
        _LOGGER.info("match %s begins in %s", number, self.path)
        return number

    def append(
        self, match: int, events: Sequence[Event], evidence: Sequence[tuple[int, bytes]] = ()
    ) -> tuple[int, ...]:
        """Write the events; return their numbers in the match, counted from 1.

        evidence: (frame, bytes) of the entries that belong to them.

        Everything or nothing reaches the disk: after a `StoreError` the same call can be repeated.
        """
        payloads = [_payload(event) for event in events]
        with self._transaction() as connection:
            last = self._last_seq(connection, match)
            number = connection.execute(
                "SELECT coalesce(max(seq), 0) FROM evidence WHERE match = ?", (match,)
            ).fetchone()[0]
            connection.executemany(
                "INSERT INTO evidence (match, seq, frame, payload) VALUES (?, ?, ?, ?)",
                [(match, n, *row) for n, row in enumerate(evidence, start=number + 1)],
            )
            seqs = tuple(range(last + 1, last + 1 + len(payloads)))
            connection.executemany(
                "INSERT INTO events (match, seq, payload, checksum) VALUES (?, ?, ?, ?)",
                [
                    (match, seq, payload, _checksum(match, seq, payload))
                    for seq, payload in zip(seqs, payloads, strict=True)
                ],
            )
        return seqs

    def _last_seq(self, connection: sqlite3.Connection, match: int) -> int:
        if not connection.execute("SELECT 1 FROM matches WHERE id = ?", (match,)).fetchone():
            raise StoreError(f"{self.path} has no match {match}")
        row = connection.execute("SELECT max(seq) FROM events WHERE match = ?", (match,)).fetchone()
        return int(row[0] or 0)

    def events(self, match: int, after: int = 0) -> tuple[Event, ...]:
        """The events of a match from number `after` + 1 on, in order."""
        rows = self._rows(
            "SELECT seq, payload, checksum FROM events WHERE match = ? AND seq > ? ORDER BY seq",
            (match, after),
        )
        return tuple(self._event(match, *row) for row in rows)

    def evidence(self, match: int, since: int = 0) -> tuple[bytes, ...]:
        """The evidence from a frame on, in the order in which it was appended."""
        rows = self._rows(
            "SELECT payload FROM evidence WHERE match = ? AND frame >= ? ORDER BY seq",
            (match, since),
        )
        return tuple(payload for (payload,) in rows)

    def _event(self, match: int, seq: int, payload: str, checksum: int) -> Event:
        if checksum != _checksum(match, seq, payload):
            raise BrokenRecord(
                f"event {seq} of match {match} in {self.path} is damaged; use a copy of the file"
            )
        return from_json(json.loads(payload))

    def matches(self) -> tuple[MatchEntry, ...]:
        """All matches, oldest first."""
        return tuple(_entry(*row) for row in self._rows(f"{_ENTRIES} ORDER BY id"))

    def newest_matches(self, most: int, before: int | None = None) -> tuple[MatchEntry, ...]:
        """At most `most` matches, newest first; `before`: only those with a lower number."""
        below = _HIGHEST if before is None else max(0, min(before, _HIGHEST))
        sql = f"{_ENTRIES} WHERE id < ? ORDER BY id DESC LIMIT ?"
        return tuple(_entry(*row) for row in self._rows(sql, (below, most)))

    def match(self, number: int) -> MatchEntry | None:
        """The match of this number; None if there is none."""
        found = self._rows(f"{_ENTRIES} WHERE id = ?", (min(number, _HIGHEST),))
        return _entry(*found[0]) if found else None

    def last_open_match(self) -> MatchEntry | None:
        """The newest match that was not closed: the one to resume after a crash."""
        return next((match for match in reversed(self.matches()) if match.is_open), None)

    def close_match(self, match: int, clock: Callable[[], float] = time.time) -> None:
        """Mark the match as over; closing it again changes nothing."""
        with self._transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO ends VALUES (?, ?)", (match, clock()))
        _LOGGER.info("match %s is closed", match)

    def append_dice_edit(self, edit: DiceEdit, clock: Callable[[], float] = time.time) -> None:
        """Record a merge or a renaming of dice, which holds for all matches."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO dice_words (at, payload) VALUES (?, ?)",
                (clock(), json.dumps(edit_json(edit), ensure_ascii=False)),
            )

    def dice_edits(self) -> tuple[DiceEdit, ...]:
        """All edits of dice names, in order; none in records before format 4."""
        has_any = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'dice_words'"
        if not self._rows(has_any):
            return ()
        rows = self._rows("SELECT payload FROM dice_words ORDER BY seq")
        try:
            return tuple(edit_from_json(json.loads(payload)) for (payload,) in rows)
        except (ValueError, LookupError, TypeError) as error:
            raise BrokenRecord(
                f"the names of dice in {self.path} are damaged; use a copy of the file"
            ) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _rows(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._connection.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise store_error(self.path, error) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is on the disk when it ends; SQLite's errors become `StoreError`."""
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                yield self._connection
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise store_error(self.path, error) from error
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


def _entry(match: int, begun: float, *rest: Any) -> MatchEntry:
    variant, length, light, dark, source, is_open, events = rest
    return MatchEntry(match, begun, variant, length, light, dark, source, bool(is_open), events)


def _payload(event: Event) -> str:
    return json.dumps(as_json(event), allow_nan=False, separators=(",", ":"))


def _checksum(match: int, seq: int, payload: str) -> int:
    return zlib.crc32(f"{match}/{seq}/{payload}".encode())
