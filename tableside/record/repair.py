"""Rebuilds a damaged record from its journal and from what can still be read of it."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from tableside.errors import StoreError
from tableside.record.check import NUMBERED
from tableside.record.database import SQLITE_ERRORS, connect_read_only, open_for_writing
from tableside.record.journal import Journal
from tableside.record.rows import COLUMNS, Key, Row, insert, intact, select, stored
from tableside.record.schema import MIGRATIONS, Migration

_LOGGER: Final = logging.getLogger(__name__)
_OF_A_MATCH: Final = ("matches", "ends", *NUMBERED)
_SQLITE_PARTS: Final = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What became of a damaged record."""

    aside: Path
    """The damaged file, as it was."""
    matches: int
    events: int
    losses: tuple[str, ...]
    """What was lost, or may have been; each a part of a line for the user."""

    @property
    def sentence(self) -> str:
        """What was done, as a line for the user."""
        held = f"matches: {self.matches}, events: {self.events}"
        whole = "; ".join(self.losses) or "nothing was lost"
        return f"the damaged record was rebuilt ({held}): {whole}; it was kept as {self.aside.name}"


def rebuild(path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> Rebuilt:
    """Replace the record by one made of every intact row of it and its journal; keep it aside.

    The caller holds the writer's lock. Raises `StoreError`.
    """
    journal = Journal(path)
    rows = {row.key: row for row in journal.rows() if row is not None}
    rows |= {row.key: row for row in _salvaged(path)}
    losses = list(journal.doubts(rows)) if journal.exists else ["it had no journal"]
    kept = list(_in_order(rows, losses))
    new = path.with_name(f".{path.name}.rebuilt")
    try:
        _remove(new)
        with closing(open_for_writing(new, migrations)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for row in kept:
                connection.execute(insert(row.table), stored(row))
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        aside = set_aside(path, "damaged", with_journal=bool(losses) or None in journal.rows())
        new.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"the record {path} could not be rebuilt: {error}") from error
    finally:
        _remove(new)
    tables = [row.table for row in kept]
    done = Rebuilt(aside, tables.count("matches"), tables.count("events"), tuple(losses))
    _LOGGER.warning("%s", done.sentence)
    return done


def set_aside(path: Path, why: str, *, with_journal: bool) -> Path:
    """Rename the record so that nothing overwrites it; return its new name.

    why: a word for the name. with_journal: whether to rename the journal too, so that a new one
    begins. Raises `OSError`.
    """
    mark = time.strftime(f"{why}-%Y%m%d-%H%M%S", time.gmtime())
    names = (path.with_name(f"{path.name}.{mark}{'+' * n}") for n in count())
    aside = next(one for one in names if not one.exists() and not Journal(one).exists)
    for part in _SQLITE_PARTS:
        with suppress(FileNotFoundError):
            path.with_name(path.name + part).replace(aside.with_name(aside.name + part))
    journal = Journal(path)
    if with_journal and journal.exists:
        journal.folder.replace(Journal(aside).folder)
    return aside


def _remove(path: Path) -> None:
    for part in _SQLITE_PARTS:
        path.with_name(path.name + part).unlink(missing_ok=True)


def _salvaged(path: Path) -> Iterator[Row]:
    """The intact rows that SQLite still finds in the record."""
    with suppress(*SQLITE_ERRORS), closing(connect_read_only(path)) as connection:
        for table in COLUMNS:
            # From both ends: a damaged page stops a query.
            for order in ("", " DESC"):
                yield from _readable(connection, table, order)


def _readable(connection: sqlite3.Connection, table: str, order: str) -> Iterator[Row]:
    key = f"{COLUMNS[table][0]}{order}, {COLUMNS[table][1]}{order}"
    with suppress(*SQLITE_ERRORS):
        columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
        found = connection.execute(f"{select(table, 'checksum' in columns)} ORDER BY {key}")
        yield from (row for row in intact(table, found) if row is not None)


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
