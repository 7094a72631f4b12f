"""Rebuilds a damaged record from its journal and from what can still be read of it."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from calibration.files import sync_folder
from tableside.errors import StoreError
from tableside.record.check import NUMBERED
from tableside.record.database import (
    SQLITE_ERRORS,
    connect_read_only,
    empty_log,
    is_damage,
    open_for_writing,
)
from tableside.record.files import aside_name
from tableside.record.identity import identify, identity_of
from tableside.record.journal import Journal
from tableside.record.parts import set_foreign_log_aside
from tableside.record.rows import COLUMNS, Key, Row, insert, intact, select
from tableside.record.schema import MIGRATIONS, Migration

_LOGGER: Final = logging.getLogger(__name__)
_OF_A_MATCH: Final = ("matches", "ends", *NUMBERED)
_SQLITE_PARTS: Final = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What became of a damaged record."""

    aside: Path | None
    """The damaged file, as it was; None if there was none."""
    matches: int
    events: int
    losses: tuple[str, ...]
    """What was lost, or may have been; each a part of a line for the user."""
    was_readable: bool
    """Whether all tables of the damaged record could still be read to their ends."""

    @property
    def sentence(self) -> str:
        """What was done, as a line for the user."""
        held = f"matches: {self.matches}, events: {self.events}"
        nothing = "nothing was lost" if self.was_readable else "all that its journal holds is there"
        whole = "; ".join(self.losses) or nothing
        kept = "" if self.aside is None else f"; it was kept as {self.aside.name}"
        return f"the damaged record was rebuilt ({held}): {whole}{kept}"


def rebuild(
    path: Path, migrations: Sequence[Migration] = MIGRATIONS, *, identity: str | None = None
) -> Rebuilt:
    """Replace the record by one made of every intact row of it and its journal; keep it aside.

    Lines of the journal that name another record are not used, nor is a journal with other rows
    under the same numbers. The caller holds the writer's lock. Raises `StoreError`; then the record
    is as it was.

    identity: the record's, if that is known.
    """
    journal, new = Journal(path), path.with_name(f".{path.name}.rebuilt")
    try:
        set_foreign_log_aside(path)
        salvaged = _Salvage(path)
        journal.identity = identity or salvaged.identity or journal.identity_in_lines()
        journaled = {row.key: row for row in journal.rows() if row is not None}
        others = journal.lines_of_others()
        is_anothers = others > 0 and not journaled
        if is_anothers or any(journaled.get(key, row) != row for key, row in salvaged.rows.items()):
            rows, losses = salvaged.rows, ["its journal is another record's, and was not used"]
        elif journal.exists:
            rows = journaled | salvaged.rows
            losses = list(journal.doubts(rows))
        else:
            rows, losses = salvaged.rows, ["it had no journal"]
        kept = list(_in_order(rows, losses))
        _remove(new)
        with closing(open_for_writing(new, migrations)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if journal.identity is not None:
                identify(connection, journal.identity)
            for row in kept:
                insert(connection, row)
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        heads = sum(row.table == "matches" for row in kept)
        names_others = max(journal.matches(), default=0) > heads
        has_damage = bool(losses or others) or names_others or None in journal.rows()
        renews_journal = journal.exists and has_damage
        aside = replace_record(path, new, "damaged")
        if renews_journal:
            journal.set_aside("damaged")
    except (OSError, *SQLITE_ERRORS) as error:
        raise StoreError(f"the record {path} could not be rebuilt: {error}") from error
    finally:
        _remove(new)
    tables = [row.table for row in kept]
    done = Rebuilt(
        aside,
        tables.count("matches"),
        tables.count("events"),
        tuple(losses),
        salvaged.was_readable,
    )
    _LOGGER.warning("%s", done.sentence)
    return done


def replace_record(path: Path, new: Path, why: str) -> Path | None:
    """Put a new file in the place of the record, of which a copy is kept under another name.

    At every moment one of them, whole, has the record's name. why: a word for the other name, which
    is returned; None if there was no record. Raises `OSError`, and `StoreError` if another program
    keeps the record busy.
    """
    aside = aside_name(path, why) if path.exists() else None
    if aside is not None:
        empty_log(path)
        # Not a second name for the file: SQLite would give it a log for each of them.
        for part in ("-wal", ""):  # only a damaged record still has something in its log
            source = path.with_name(path.name + part)
            if part == "" or (source.exists() and source.stat().st_size > 0):
                _copy(source, aside.with_name(aside.name + part))
    for part in _SQLITE_PARTS[1:]:
        path.with_name(path.name + part).unlink(missing_ok=True)
    sync_folder(path.parent)
    new.replace(path)
    sync_folder(path.parent)
    return aside


def _copy(path: Path, other: Path) -> None:
    """Copy a file, whole or not at all."""
    beside = other.with_name(f".{other.name}.part")
    try:
        beside.touch(0o600)
        with path.open("rb") as source, beside.open("r+b") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
        beside.replace(other)
    finally:
        beside.unlink(missing_ok=True)


def _remove(path: Path) -> None:
    for part in _SQLITE_PARTS:
        path.with_name(path.name + part).unlink(missing_ok=True)


class _Salvage:
    """The intact rows that SQLite still finds in a record."""

    def __init__(self, path: Path) -> None:
        """Raises `sqlite3.Error` if it cannot be read for another reason than damage."""
        self.rows: dict[Key, Row] = {}
        self.was_readable = True
        self.identity: str | None = None
        """The record's; None if it has none, or it is damaged."""
        with self._despite_damage(), closing(connect_read_only(path)) as connection:
            with self._despite_damage():
                self.identity = identity_of(connection)
            for table in COLUMNS:
                # From both ends: a damaged page stops a query.
                for order in ("", " DESC"):
                    with self._despite_damage():
                        self._read(connection, table, order)

    def _read(self, connection: sqlite3.Connection, table: str, order: str) -> None:
        columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
        if not columns:  # of an earlier format
            return
        key = f"{COLUMNS[table][0]}{order}, {COLUMNS[table][1]}{order}"
        found = connection.execute(f"{select(table, 'checksum' in columns)} ORDER BY {key}")
        for row in intact(table, found):
            if row is not None:
                self.rows[row.key] = row

    @contextmanager
    def _despite_damage(self) -> Iterator[None]:
        try:
            yield
        except SQLITE_ERRORS as error:
            if not is_damage(error) and not _is_missing(error):
                raise
            self.was_readable = False


def _is_missing(error: Exception) -> bool:
    """Whether the file is not there, or is not a readable database at all."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_ERROR,  # a damaged schema
    )


def _in_order(rows: dict[Key, Row], losses: list[str]) -> Iterator[Row]:
    """The rows that make a whole record, those first that others refer to; adds to `losses`.

    Rows behind a gap are left out: without those before them, they may mean something else.
    """
    numbers = defaultdict[tuple[str, int], list[int]](list)
    for table, key in rows:
        if table in NUMBERED:
            numbers[table, key[0]].append(key[1])
    most = max([key[0] for table, key in rows if table in _OF_A_MATCH], default=0)
    for match in range(1, most + 1):
        if ("matches", (match,)) not in rows:
            losses.append(f"the head of match {match} is lost")
            rows["matches", (match,)] = Row(
                "matches", (match, 0.0, "short", 0, "Light", "Dark", "")
            )
            rows.setdefault(("ends", (match,)), Row("ends", (match, 0.0)))
    left_out = set[Key]()
    for (table, match), found in numbers.items():
        whole = next(n for n in count(1) if n > len(found) or n not in found) - 1
        if max(found) > whole:
            losses.append(f"{NUMBERED[table]}s of match {match} after number {whole} are lost")
            left_out |= {(table, (match, n)) for n in found if n > whole}
    for table in COLUMNS:
        yield from (rows[key] for key in sorted(rows) if key[0] == table and key not in left_out)
