"""Indexes the matches that nobody plays: their turns and players, for questions to all of them.

No message has to wait for that: while a match is played, questions leave it out.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import sqlalchemy as sa

from tableside.analysis.catalog.facts import match_seats
from tableside.errors import StoreError
from tableside.hall.reading import followed, payloads
from tableside.hall.results import OVER
from tableside.hall.schema import MATCHES, SEATS
from tableside.hall.store import HallStore
from tableside.hall.turns import turn_rows

LEFT_S: Final = 24 * 3600.0
"""Without news for so long, a match is not played any more, though nobody has ended it."""
LOOK_S: Final = 1.0
PAUSE_S: Final = 0.05
"""After each match: those in play need the processor more."""
_LOGGER: Final = logging.getLogger(__name__)


class Indexer:
    """Indexes the matches of a store until `close`."""

    def __init__(self, store: HallStore) -> None:
        self._store = store
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hall-index", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the match that is being indexed."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        pause = 0.0
        while not self._stopping.wait(pause):
            try:
                pause = PAUSE_S if index_next(self._store) else LOOK_S
            except StoreError:  # the store's other thread says so
                pause = LOOK_S


def index_next(store: HallStore) -> bool:
    """Index the newest match that is not, if there is one; raises `StoreError`."""
    query = sa.select(MATCHES).where(to_index(store.now))
    with store.begun() as connection:
        newest = query.order_by(MATCHES.c.begun_ms.desc(), MATCHES.c.id.desc()).limit(1)
        row = connection.execute(newest).first()
        if row is None:
            return False
        events = payloads(connection, row)
    try:
        turns, seats = _rows(row, events)
    except Exception:  # one match must not keep all others from being indexed
        _LOGGER.exception("match %d is not found by questions", row.id)
        turns, seats = [], []
    store.index(row, turns, seats)
    return True


def to_index(now: float) -> sa.ColumnElement[bool]:
    """The condition for the matches that nobody plays and that are not indexed."""
    is_left = sa.and_(MATCHES.c.status == "playing", MATCHES.c.heard < now - LEFT_S)
    return sa.and_(~MATCHES.c.is_indexed, sa.or_(MATCHES.c.status.in_(OVER), is_left))


def _rows(row: sa.Row[Any], events: Sequence[str]) -> tuple[list[dict[str, Any]], ...]:
    """The rows of a match in `TURNS` and in `SEATS`, which has nothing that an analysis tells."""
    read = followed(row, events)
    seats = [
        {"match": row.id, "side": side, "games": read.state.games, **asdict(seat)}
        for side, seat in enumerate(match_seats(read.state, read.effective))
    ]
    kept = [{column.name: seat[column.name] for column in SEATS.c} for seat in seats]
    return turn_rows(row.id, read.state), kept
