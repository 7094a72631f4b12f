"""Indexes the matches that nobody plays: their turns and players, for questions to all of them.

No message has to wait for that: while a match is played, questions leave it out.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
import sqlalchemy as sa

from engine.message import Sentence, join, msg, ngettext
from tableside.analysis.catalog.facts import match_seats
from tableside.errors import StoreError
from tableside.hall.loop import Loop, SetTrouble
from tableside.hall.messages import UNREADABLE
from tableside.hall.reading import followed, payloads
from tableside.hall.results import OVER
from tableside.hall.schema import MATCHES, SEATS
from tableside.hall.store import HallStore
from tableside.hall.turns import turn_rows
from tableside.logs import ALREADY_SHOWN

LEFT_S: Final = 24 * 3600.0
"""Without news for so long, a match is not played any more, though nobody has ended it."""
LOOK_S: Final = 1.0
PAUSE_S: Final = 0.05
"""After each match: those in play need the processor more."""
MOST_WORDS: Final = 200
"""Characters of a reason."""
MOST_NAMED: Final = 3
"""Matches that the hall's page names; the pages of questions name them all."""
_LOGGER: Final = logging.getLogger(__name__)


class Indexer:
    """Indexes the matches of a store until `close`; those that it cannot are named on the page."""

    def __init__(self, store: HallStore, set_trouble: SetTrouble) -> None:
        self._store, self._set_trouble = store, set_trouble
        self._has_begun, self._tell_at = False, 0.0
        self._loop = Loop("hall-index", self._step, set_trouble)
        self._loop.start()

    def close(self) -> None:
        """Stop after the match that is being indexed."""
        self._loop.close()

    def _step(self) -> float:
        try:
            if not self._has_begun:
                self._store.try_again()
                self._has_begun = True
            is_done = not index_next(self._store)
            if is_done or time.monotonic() >= self._tell_at:
                self._tell_at = time.monotonic() + LOOK_S
                self._set_trouble("index", not_found(self._store))
            return LOOK_S if is_done else PAUSE_S
        except StoreError as error:
            why = join([msg("questions find no more matches for now"), str(error)])
            self._set_trouble("index", why)
            return LOOK_S


def index_next(store: HallStore) -> bool:
    """Index the newest match that is not, if there is one, or set it aside; raises `StoreError`."""
    query = sa.select(MATCHES).where(to_index(store.now))
    with store.begun() as connection:
        newest = query.order_by(MATCHES.c.begun_ms.desc(), MATCHES.c.id.desc()).limit(1)
        row = connection.execute(newest).first()
        if row is None:
            return False
        events = payloads(connection, row)
    try:
        with np.errstate(over="raise", invalid="raise"):  # no number becomes another one
            turns, seats = _rows(row, events)
    except UNREADABLE as error:
        _LOGGER.warning(
            "match %d is not found by questions", row.id, exc_info=True, extra=ALREADY_SHOWN
        )
        store.set_aside(row, f"{type(error).__name__}: {error}"[:MOST_WORDS])
    else:
        store.index(row, turns, seats)
    return True


def not_found(store: HallStore) -> Sentence:
    """Which matches no question finds, and why; empty if there are none. Raises `StoreError`."""
    found = store.unindexed()
    if not found:
        return ""
    said = ngettext(
        "{number} match is not found by questions",
        "{number} matches are not found by questions",
        len(found),
    )
    named = (
        msg("match {match} of table {table}: {why}", match=one["id"], table=one["table"],
            why=one["why"])
        for one in found[:MOST_NAMED]
    )  # fmt: skip
    return join([said, *named])


def to_index(now: float) -> sa.ColumnElement[bool]:
    """The condition for the matches that nobody plays and that are still to be indexed."""
    is_left = sa.and_(MATCHES.c.status == "playing", MATCHES.c.heard < now - LEFT_S)
    is_open = sa.and_(~MATCHES.c.is_indexed, MATCHES.c.unindexed == "")
    return sa.and_(is_open, sa.or_(MATCHES.c.status.in_(OVER), is_left))


def _rows(row: sa.Row[Any], events: Sequence[str]) -> tuple[list[dict[str, Any]], ...]:
    """The rows of a match in `TURNS` and in `SEATS`, which has nothing that an analysis tells."""
    read = followed(row, events)
    seats = [
        {"match": row.id, "side": side, "games": read.state.games, **asdict(seat)}
        for side, seat in enumerate(match_seats(read.state, read.effective))
    ]
    kept = [{column.name: seat[column.name] for column in SEATS.c} for seat in seats]
    return turn_rows(row.id, read.state), kept
