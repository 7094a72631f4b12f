"""The file of the catalog: one row a match and player, and each match's turns in columns.

A match's turns are one value, an array of `facts.TURN`: a search reads the arrays of all matches
that it may concern and compares whole columns, which takes less time than a row for every turn and
an index over them, and finds any pattern on the board. The file is a cache: another version of its
form is dropped and built again.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from engine.message import msg
from tableside.analysis.catalog.facts import TURN, FoldedMatch, SeatFacts, Turns
from tableside.errors import StoreError
from tableside.record.store import MatchEntry
from webui.contracts.catalog import player_key

FORM: Final = 2
"""Of the tables below and of what is in them; raise it with every change."""
_BUSY_SECONDS: Final = 10.0
_SEAT: Final = tuple(field.name for field in fields(SeatFacts))
_TABLES: Final = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE matches (id INTEGER PRIMARY KEY, begun REAL NOT NULL, events INTEGER NOT NULL,"
    " is_closed INTEGER NOT NULL, answers INTEGER NOT NULL, is_judged INTEGER NOT NULL,"
    " is_over INTEGER NOT NULL, event TEXT NOT NULL, event_key TEXT NOT NULL, round TEXT NOT NULL,"
    " place TEXT NOT NULL, variant TEXT NOT NULL, course TEXT NOT NULL, length INTEGER NOT NULL,"
    " games INTEGER NOT NULL, notation TEXT NOT NULL, words TEXT NOT NULL,"
    " to_review INTEGER NOT NULL)",
    f"CREATE TABLE seats (match INTEGER NOT NULL, side INTEGER NOT NULL, {', '.join(_SEAT)},"
    " PRIMARY KEY (match, side)) WITHOUT ROWID",
    "CREATE INDEX seats_key ON seats (key)",
    "CREATE TABLE turns (match INTEGER PRIMARY KEY, rows BLOB NOT NULL)",
    "CREATE TABLE openings (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
)


class Stamp(NamedTuple):
    """What of a match is in the catalog."""

    begun: float
    events: int
    is_closed: bool
    answers: int


@dataclass(frozen=True, slots=True)
class Found:
    """Turns of some matches."""

    matches: tuple[int, ...]
    """The numbers of the matches."""
    of: np.ndarray[Any, np.dtype[np.int64]]
    """For each turn, the index of its match among them."""
    turns: Turns


def catalog_file(record: Path) -> Path:
    """The catalog of a record's matches."""
    return record.with_name(f"{record.stem}.catalog.sqlite")


class CatalogIndex:
    """The catalog of one record; its methods raise `StoreError` if the file cannot be used."""

    def __init__(self, path: Path) -> None:
        """Open the file, made if there is none."""
        self.path = path
        self._lock = threading.RLock()
        with self._errors():
            path.touch(mode=0o600)  # it says more than players may know
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                # A match's turns are one long value, which fewer and larger pages give faster.
                self._connection.execute("PRAGMA page_size = 32768")
                self._connection.execute("PRAGMA mmap_size = 1073741824")
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
                self._connection.create_function("player_key", 1, player_key, deterministic=True)
                self._prepare()
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _prepare(self) -> None:
        if self._form() == FORM:
            return
        with self._transaction() as connection:
            if self._form() == FORM:  # another process was faster
                return
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            for (name,) in tables.fetchall():
                connection.execute(f"DROP TABLE {name}")
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {FORM}")

    def _form(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def engine(self) -> str:
        """The engine whose analysis is in the catalog; empty if none is."""
        found = self.rows("SELECT value FROM facts WHERE name = 'engine'")
        return str(found[0][0]) if found else ""

    def forget_analysis(self, engine: str) -> None:
        """Have all that was analyzed read again, from the answers of another engine."""
        with self._transaction() as connection:
            connection.execute("UPDATE matches SET answers = -1, is_judged = 0 WHERE answers")
            connection.execute("INSERT OR REPLACE INTO facts VALUES ('engine', ?)", (engine,))

    def follow(self, file: int) -> None:
        """Forget all matches if they were read from another file of the record."""
        found = self.rows("SELECT value FROM facts WHERE name = 'file'")
        if found == [(str(file),)]:
            return
        with self._transaction() as connection:
            if found:
                for table in ("matches", "seats", "turns"):
                    connection.execute(f"DELETE FROM {table}")
            connection.execute("INSERT OR REPLACE INTO facts VALUES ('file', ?)", (str(file),))

    def stamps(self) -> dict[int, tuple[Stamp, bool]]:
        """What is known of each match, and whether its analysis is complete."""
        rows = self.rows("SELECT id, begun, events, is_closed, answers, is_judged FROM matches")
        return {
            number: (Stamp(begun, events, bool(closed), answers), bool(judged))
            for number, begun, events, closed, answers, judged in rows
        }

    def keep(self, entry: MatchEntry, stamp: Stamp, facts: FoldedMatch) -> None:
        """Write the rows of a match in place of those before."""
        state, place = facts.state, facts.state.place
        event = place.event if place else ""
        with self._transaction() as connection:
            self._drop(connection, entry.id)
            connection.execute(
                f"INSERT INTO matches VALUES (?{', ?' * 17})",
                (
                    *(entry.id, *stamp, facts.is_judged, facts.is_over, event, player_key(event)),
                    *((place.round, place.table) if place else ("", "")),
                    *(state.variant, facts.course, state.length, state.games),
                    *("\n".join(facts.plays), facts.words, facts.to_review),
                ),
            )
            for side, seat in enumerate((facts.light, facts.dark)):
                connection.execute(
                    f"INSERT INTO seats VALUES (?, ?{', ?' * len(_SEAT)})",
                    (entry.id, side, *asdict(seat).values()),
                )
            turns = _numbered(connection, facts)
            connection.execute("INSERT INTO turns VALUES (?, ?)", (entry.id, turns.tobytes()))

    def forget(self, matches: Sequence[int]) -> None:
        """Drop matches that are no longer in the record."""
        with self._transaction() as connection:
            for match in matches:
                self._drop(connection, match)

    @staticmethod
    def _drop(connection: sqlite3.Connection, match: int) -> None:
        connection.execute("DELETE FROM matches WHERE id = ?", (match,))
        connection.execute("DELETE FROM seats WHERE match = ?", (match,))
        connection.execute("DELETE FROM turns WHERE match = ?", (match,))

    def rows(self, sql: str, values: Sequence[object] | Mapping[str, object] = ()) -> list[Any]:
        """The rows of a query."""
        with self._lock, self._errors():
            return self._connection.execute(sql, values).fetchall()

    def turns(self, matches: str, values: Sequence[object]) -> Found:
        """The turns of the matches that a condition on `matches` chooses, the newest match first.

        A match's turns are in order.
        """
        rows = self.rows(
            "SELECT id, rows FROM matches JOIN turns ON match = id "
            f"WHERE {matches} ORDER BY begun DESC, id DESC",
            values,
        )
        turns = np.frombuffer(b"".join(blob for _, blob in rows), TURN)
        lengths = [len(blob) // TURN.itemsize for _, blob in rows]
        of = np.repeat(np.arange(len(rows)), lengths)
        return Found(tuple(number for number, _ in rows), of, turns)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                msg(
                    "the catalog {path}: {error}; it can be deleted, and is built again",
                    path=str(self.path),
                    error=str(error),
                )
            ) from error


def _numbered(connection: sqlite3.Connection, facts: FoldedMatch) -> Turns:
    """The match's turns, with the numbers that its openings have in the catalog."""
    numbers = [0]
    for text in facts.openings:
        connection.execute("INSERT OR IGNORE INTO openings (text) VALUES (?)", (text,))
        row = connection.execute("SELECT id FROM openings WHERE text = ?", (text,)).fetchone()
        numbers.append(row[0])
    turns = facts.turns.copy()
    turns["opening"] = np.array(numbers, "<i4")[turns["opening"]]
    return turns
