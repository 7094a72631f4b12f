"""The hall's own store: every event of every table once, results, and notices to deliver."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final, NamedTuple, Self

import sqlalchemy as sa

from engine.events.codec import from_json
from engine.match.fold import apply_event
from engine.match.state import MatchState
from tableside.console import say
from tableside.errors import StoreError
from tableside.hall.messages import (
    MOST_KNOWN,
    EventMessage,
    MatchNamed,
    Notice,
    edition_of,
    match_key,
    with_edition,
)
from tableside.hall.results import (
    MatchFacts,
    iso,
    notice,
    notice_types,
    passed_over,
    result_row,
    understood,
)
from tableside.hall.schema import EVENTS, MATCHES, NOTICES, SEATS, TURNS, open_engine, reason
from webui.contracts.catalog import player_key
from webui.contracts.hall import HallResult, Unindexed

MOST_KEPT: Final = 256
"""Matches whose state is kept in memory."""
MOST_NAMED: Final = 100
"""Types of events that are named because they cannot be read; no later version has as many."""
GIVE_UP_S: Final = 24 * 3600.0
"""How long delivery of a notice is tried."""
TELL_S: Final = 5.0
"""How often it is said how many matches have been read again."""
FIRST_PAUSE_S: Final = 2.0
LONGEST_PAUSE_S: Final = 3600.0
_SET_ASIDE: Final = sa.and_(~MATCHES.c.is_indexed, MATCHES.c.unindexed != "")  # by the index
_LOGGER: Final = logging.getLogger(__name__)


class Added(NamedTuple):
    """What became of some messages."""

    stored: int
    """How many were new."""
    lacking: frozenset[str]
    """The tables from which events before these are missing, or may be: a match has begun."""
    notices: list[Notice]


class Delivery(NamedTuple):
    """A notice that is due at an address."""

    id: str
    url: str
    body: str
    made: float
    tries: int


@dataclass(slots=True)
class _Match:
    """A match in memory."""

    id: int
    facts: MatchFacts
    state: MatchState
    events: int
    """How many are stored."""
    edition: int = 0
    """Which edition of the table's record the events are from."""
    compared: tuple[int, int] = (0, 0)
    """A later edition, and how many events of it were found to be those that are stored."""
    is_changed: bool = False
    """Whether something must be written."""
    unread: int = 0
    """How many events could not be read: the result is what the others say."""
    ended: float | None = None
    new: list[dict[str, Any]] = field(default_factory=list)
    heard: float = 0.0
    """When its last event arrived, in seconds since 1970."""
    is_indexed: bool = False

    @property
    def key(self) -> str:
        """Its name in `Stored`."""
        return with_edition(self.facts["key"], self.edition)

    def seen(self, edition: int) -> int:
        """How many events of an edition were stored, or found to be those that are."""
        return self.events if edition == self.edition else self.compared[1]

    def follow(self, payload: dict[str, Any]) -> None:
        """Go on with the next event; raises `ValueError` if it is not understood."""
        self.state, ended = understood(self.facts, self.state, payload)[1:]
        self.ended = ended if self.ended is None or ended is None else self.ended

    def pass_over(self) -> None:
        """Go on without the next event, which still counts: a correction says how many stand."""
        self.state = apply_event(self.state, passed_over(self.state))
        self.unread += 1


class HallStore:
    """The store of a hall, open for writing by one thread and reading by any."""

    def __init__(
        self,
        engine: sa.Engine,
        webhooks: Sequence[str] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`webhooks` are the addresses that notices are to be delivered to."""
        self._engine, self._clock = engine, clock
        self.webhooks = tuple(dict.fromkeys(webhooks))
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], _Match] = {}
        self._unread_types: set[str] = set()

    @classmethod
    def open(cls, where: str, webhooks: Sequence[str] = ()) -> Self:
        """The store in a file or at a URL; see `tableside.hall.schema.open_engine`."""
        store = cls(open_engine(where), webhooks)
        store._read_again()
        return store

    @property
    def has_unread(self) -> bool:
        """Whether there were events that only a later version of the program can read."""
        return bool(self._unread_types)

    @property
    def now(self) -> float:
        """Seconds since 1970."""
        return self._clock()

    def close(self) -> None:
        """Close its connections."""
        self._engine.dispose()

    def add(
        self, messages: Iterable[tuple[str, EventMessage]], heard: float | None = None
    ) -> Added:
        """Store the events of tables, each once, and what follows from them: all or nothing.

        heard: when they were played, in seconds since 1970; now by default.

        Raises `StoreError`; then the same call can be repeated.
        """
        heard = self._clock() if heard is None else heard
        with self._lock:
            try:
                with self.begun() as connection:
                    return self._add(connection, messages, heard)
            except BaseException:
                self._kept.clear()  # what it says may not be in the store
                raise

    def _add(
        self, connection: sa.Connection, messages: Iterable[tuple[str, EventMessage]], heard: float
    ) -> Added:
        stored, lacking = 0, set[str]()
        notices: list[Notice] = []
        for (table, key), group in groupby(messages, key=_match_of):
            found = list(group)
            match = self._match(connection, table, key, found[0][1]["match"])
            match.heard = max(match.heard, heard)
            if match.events == 0:
                lacking.add(table)  # the end of the match before it, if that was lost
            for _, message in found:
                number, edition = message["number"], message["match"].get("edition", 0)
                if edition > match.edition and match.events > 0:
                    self._compare(connection, match, message)
                is_next = number == match.events + 1
                if edition == match.edition and is_next:
                    notices += self._take(match, message)
                    stored += 1
                elif edition < match.edition or number > match.seen(edition):
                    lacking.add(table)
            self._write(connection, match)
        self._queue(connection, notices)
        return Added(stored, frozenset(lacking), notices)

    def _compare(self, connection: sa.Connection, match: _Match, message: EventMessage) -> None:
        """Compare an event of a later edition with the one stored, and drop what differs."""
        number, edition = message["number"], message["match"].get("edition", 0)
        if match.compared[0] != edition:
            match.compared = edition, 0
        if number != match.compared[1] + 1:
            return  # it was compared, or one before it is missing
        self._write(connection, match)
        same = sa.and_(EVENTS.c.match == match.id, EVENTS.c.number == number)
        payload = connection.scalar(sa.select(EVENTS.c.payload).where(same))
        is_same = payload is not None and same_event(json.loads(payload), message["event"])
        kept = number if is_same else number - 1
        match.compared = edition, kept
        if is_same and kept < min(match.events, message.get("last", match.events)):
            return
        if kept < match.events:
            _LOGGER.warning("%s: another record from event %d on", match.facts, kept + 1)
            later = sa.and_(EVENTS.c.match == match.id, EVENTS.c.number > kept)
            connection.execute(sa.delete(EVENTS).where(later))
            self._fold(connection, match, _blank(message["match"]))
        match.edition, match.compared, match.is_changed = edition, (0, 0), True

    def _fold(self, connection: sa.Connection, match: _Match, blank: MatchState) -> None:
        """Read the events of a match that are stored."""
        match.state, match.events, match.unread, match.ended = blank, 0, 0, None
        for payload in connection.scalars(
            sa.select(EVENTS.c.payload).where(EVENTS.c.match == match.id).order_by(EVENTS.c.number)
        ):
            match.events += 1
            self._follow(match, json.loads(payload))

    def _follow(self, match: _Match, payload: dict[str, Any]) -> None:
        """Go on with the next event of a match; an unknown type is named once."""
        try:
            match.follow(payload)
        except ValueError as error:
            match.pass_over()
            kind = f"{payload.get('type')!r:.80}"
            if kind not in self._unread_types and len(self._unread_types) < MOST_NAMED:
                self._unread_types.add(kind)
                _LOGGER.warning(
                    "table %s, match %s: event %d is only stored (%s); a later version of "
                    "Tableside may read it: update the hall's",
                    match.facts["table"], match.key, match.events, error,
                )  # fmt: skip

    def _read_again(self) -> None:
        """Read the matches of which not all could be read before: this version may know more.

        Each is written by itself: whoever is killed here goes on with the next.
        """
        unread = sa.select(sa.func.count()).where(MATCHES.c.unread > 0)
        with self.begun() as connection:
            count = connection.scalar(unread) or 0
        after, told = 0, time.monotonic()
        for number in range(count):
            after = self._read_next(after) or after
            if time.monotonic() > told + TELL_S:
                told = time.monotonic()
                say(f"reading the matches stored before again: {number + 1} of {count}")

    def _read_next(self, after: int) -> int | None:
        """Read the next such match again, by its id; None if there is none."""
        query = sa.select(MATCHES).where(MATCHES.c.unread > 0, MATCHES.c.id > after)
        with self._lock, self.begun() as connection:
            row = connection.execute(query.order_by(MATCHES.c.id).limit(1)).first()
            if row is None:
                return None
            blank = blank_of(row)
            match = _Match(row.id, facts_of(row), blank, 0, row.edition)
            match.heard, match.is_indexed = row.heard, row.is_indexed
            self._fold(connection, match, blank)
            match.is_changed = True
            self._write(connection, match)
            return match.id

    def _take(self, match: _Match, message: EventMessage) -> Iterator[Notice]:
        """Take the next event of a match."""
        match.events = message["number"]
        text = json.dumps(message["event"], ensure_ascii=False, separators=(",", ":"))
        match.new.append({"match": match.id, "number": match.events, "payload": text})
        match.is_changed = True
        before = match.state
        self._follow(match, message["event"])
        for kind in notice_types(before, match.state):
            row = result_row(match.facts, match.state, match.ended)
            facts = MatchFacts(**{**match.facts, "key": match.key})
            yield notice(kind, row, facts, match.events, self._clock())

    def _match(self, connection: sa.Connection, table: str, key: str, named: MatchNamed) -> _Match:
        """The match in memory, read from the store or begun if need be."""
        kept = self._kept.pop((table, key), None)
        if kept is None:
            kept = self._read(connection, table, named) or _begin(connection, table, named)
        self._kept[table, key] = kept  # the last is the newest
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return kept

    def _read(self, connection: sa.Connection, table: str, named: MatchNamed) -> _Match | None:
        begun = round(named["begun"] * 1000)
        row = connection.execute(
            sa.select(MATCHES).where(
                MATCHES.c.table_name == table,
                MATCHES.c.number == named["number"],
                MATCHES.c.begun_ms == begun,
            )
        ).first()
        if row is None:
            return None
        match = _Match(row.id, _facts(table, named), _blank(named), 0, row.edition)
        match.heard, match.is_indexed = row.heard, row.is_indexed
        self._fold(connection, match, match.state)
        return match

    def _write(self, connection: sa.Connection, match: _Match) -> None:
        """Write what has changed since the last time."""
        if not match.is_changed:
            return
        if match.new:
            connection.execute(sa.insert(EVENTS), match.new)
        match.new, match.is_changed = [], False
        row = result_row(match.facts, match.state, match.ended)
        place = match.state.place
        same = ("light", "dark", "light_score", "dark_score", "length", "variant", "winner")
        values: dict[str, Any] = {name: row[name] for name in same}  # type: ignore[literal-required]
        values |= {"events": match.events, "status": row["status"], "ended": match.ended}
        values |= {"edition": match.edition, "unread": match.unread}
        values |= {"event": row["event"], "round": row["round"]}
        values["place"] = place.table if place else ""
        values |= {f"{name}_key": player_key(values[name]) for name in ("light", "dark", "event")}
        values |= {"heard": match.heard, "is_indexed": False, "unindexed": ""}
        if match.is_indexed:  # it goes on, and is indexed again when it is over
            for table in (TURNS, SEATS):
                connection.execute(sa.delete(table).where(table.c.match == match.id))
            match.is_indexed = False
        connection.execute(sa.update(MATCHES).where(MATCHES.c.id == match.id).values(values))

    def index(
        self, row: sa.Row[Any], turns: Sequence[dict[str, Any]], seats: Sequence[dict[str, Any]]
    ) -> None:
        """Write the turns and players of a match, unless it is not any more as its row says."""
        with self._lock, self.begun() as connection:
            if self._mark(connection, row, is_indexed=True):
                for table, rows in ((TURNS, turns), (SEATS, seats)):
                    if rows:
                        connection.execute(sa.insert(table), rows)

    def set_aside(self, row: sa.Row[Any], why: str) -> None:
        """Note why a match cannot be indexed, unless it is not any more as its row says."""
        with self._lock, self.begun() as connection:
            self._mark(connection, row, unindexed=why)

    def _mark(self, connection: sa.Connection, row: sa.Row[Any], **values: bool | str) -> bool:
        """Note that the indexer is done with a match; false if it has changed since it was read."""
        status = "unfinished" if row.status == "playing" else row.status
        same = sa.and_(
            MATCHES.c.id == row.id,
            MATCHES.c.events == row.events,
            MATCHES.c.edition == row.edition,
            ~MATCHES.c.is_indexed,
        )
        change = sa.update(MATCHES).where(same).values(status=status, **values)
        if not connection.execute(change).rowcount:
            return False
        # What is kept of it does not know.
        self._kept.pop((row.table_name, facts_of(row)["key"]), None)
        return True

    def try_again(self) -> None:
        """Have the matches indexed that could not be: this version may know how."""
        with self.begun() as connection:
            connection.execute(sa.update(MATCHES).where(_SET_ASIDE).values(unindexed=""))

    def unindexed(self) -> list[Unindexed]:
        """The matches that cannot be indexed, the newest first."""
        query = sa.select(MATCHES).where(_SET_ASIDE)
        newest = MATCHES.c.begun_ms.desc(), MATCHES.c.id.desc()
        with self.begun() as connection:
            return [
                Unindexed(id=row.id, table=row.table_name, light=row.light, dark=row.dark,
                          why=row.unindexed)
                for row in connection.execute(query.order_by(*newest))
            ]  # fmt: skip

    def _queue(self, connection: sa.Connection, notices: Sequence[Notice]) -> None:
        now = self._clock()
        rows = [
            {"id": one["id"], "url": url, "body": json.dumps(one, ensure_ascii=False),
             "made": now, "due": now, "tries": 0, "answer": ""}
            for one in notices
            for url in self.webhooks
        ]  # fmt: skip
        if rows:
            connection.execute(sa.insert(NOTICES), rows)

    def stored(self, table: str) -> dict[str, int]:
        """How many events of each of the newest matches of a table are stored, by its name."""
        query = (
            sa.select(*(MATCHES.c[name] for name in ("number", "begun_ms", "edition", "events")))
            .where(MATCHES.c.table_name == table)
            # Not by arrival: an old match that comes late is not among the newest.
            .order_by(MATCHES.c.begun_ms.desc(), MATCHES.c.id.desc())
            .limit(MOST_KNOWN)
        )
        with self.begun() as connection:
            return {
                match_key(one.number, one.begun_ms / 1000, one.edition): one.events
                for one in connection.execute(query)
            }

    def has(self, table: str, published: Mapping[str, int]) -> bool:
        """Whether everything that a table has published, by match, is stored."""
        with self._lock:
            found = [self._kept.get((table, edition_of(key)[0])) for key in published]
        counts = {match.key: match.events for match in found if match is not None}
        if counts.keys() < published.keys():
            counts = self.stored(table)
        return all(counts.get(key, 0) >= number for key, number in published.items())

    def events(self, table: str, key: str) -> list[dict[str, Any]]:
        """The events of a match as the table sent them; empty if there is none."""
        query = (
            sa.select(EVENTS.c.payload)
            .join(MATCHES, MATCHES.c.id == EVENTS.c.match)
            .where(_is_match(table, key))
            .order_by(EVENTS.c.number)
        )
        with self.begun() as connection:
            return [json.loads(payload) for payload in connection.scalars(query)]

    def edition(self, table: str, key: str) -> int:
        """From which edition of the table's record a match is; 0 if there is none."""
        with self.begun() as connection:
            return connection.scalar(sa.select(MATCHES.c.edition).where(_is_match(table, key))) or 0

    def results(self) -> list[HallResult]:
        """Every match in which a game has begun, the newest first."""
        query = (
            sa.select(MATCHES)
            .where(MATCHES.c.status != "waiting")
            .order_by(MATCHES.c.begun_ms.desc(), MATCHES.c.id.desc())
        )
        with self.begun() as connection:
            return [result_of(found) for found in connection.execute(query)]

    def check(self) -> None:
        """Raise `StoreError` unless the database answers."""
        with self.begun() as connection:
            connection.execute(sa.select(1))

    def undelivered(self) -> int:
        """How many notices the addresses named have still to accept."""
        query = sa.select(sa.func.count()).where(
            NOTICES.c.url.in_(self.webhooks),
            NOTICES.c.due.is_not(None),
            NOTICES.c.made > self._clock() - GIVE_UP_S,
        )
        with self.begun() as connection:
            return int(connection.scalar(query) or 0)

    def due(self, url: str, most: int) -> list[Delivery]:
        """The notices to deliver to an address now, the oldest first."""
        now = self._clock()
        query = (
            sa.select(*(NOTICES.c[name] for name in Delivery._fields))
            .where(NOTICES.c.url == url, NOTICES.c.due <= now, NOTICES.c.made > now - GIVE_UP_S)
            .order_by(NOTICES.c.due)
            .limit(most)
        )
        with self.begun() as connection:
            return [Delivery(*found) for found in connection.execute(query)]

    def delivered(self, one: Delivery, answer: str, *, is_done: bool) -> None:
        """Note the answer; without success, the notice is due again after a growing pause."""
        now, pause = self._clock(), min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0**one.tries)
        is_over = is_done or now + pause - one.made > GIVE_UP_S
        with self.begun() as connection:
            connection.execute(
                sa.update(NOTICES)
                .where(NOTICES.c.id == one.id, NOTICES.c.url == one.url)
                .values(tries=one.tries + 1, answer=answer, due=None if is_over else now + pause)
            )

    @contextmanager
    def begun(self) -> Iterator[sa.Connection]:
        """A transaction; raises `StoreError` in one line."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except sa.exc.SQLAlchemyError as error:
            name = self._engine.url.render_as_string(hide_password=True)
            raise StoreError(f"the hall's store {name}: {reason(error)}") from error


def same_event(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two messages have the same event, perhaps of different versions of the program."""
    try:
        return one == other or from_json(one) == from_json(other)
    except ValueError:  # of a later version
        return False


def _match_of(message: tuple[str, EventMessage]) -> tuple[str, str]:
    table, named = message[0], message[1]["match"]
    return table, match_key(named["number"], named["begun"])


def _is_match(table: str, key: str) -> sa.ColumnElement[bool]:
    """The condition for the match of this name, without its edition."""
    number, _, begun = key.partition("-")
    return sa.and_(
        MATCHES.c.table_name == table,
        MATCHES.c.number == int(number),
        MATCHES.c.begun_ms == int(begun),
    )


def _facts(table: str, named: MatchNamed) -> MatchFacts:
    key = match_key(named["number"], named["begun"])
    return MatchFacts(table=table, key=key, begun=named["begun"])


def _blank(named: MatchNamed) -> MatchState:
    return MatchState(
        variant=named["variant"],
        light=named["light"],
        dark=named["dark"],
        length=named["length"],
    )


def _begin(connection: sa.Connection, table: str, named: MatchNamed) -> _Match:
    """A match that is new to the store."""
    done = connection.execute(
        sa.insert(MATCHES).values(
            table_name=table,
            number=named["number"],
            begun_ms=round(named["begun"] * 1000),
            variant=named["variant"],
            length=named["length"],
            light=named["light"],
            dark=named["dark"],
            source=named["source"],
            events=0,
            status="waiting",
            event="",
            round="",
            place="",
            light_score=0,
            dark_score=0,
            winner="",
            edition=named.get("edition", 0),
        )
    )
    key = done.inserted_primary_key
    assert key is not None, "one row was inserted"  # noqa: S101
    edition = named.get("edition", 0)
    return _Match(key[0], _facts(table, named), _blank(named), 0, edition)


def facts_of(found: sa.Row[Any]) -> MatchFacts:
    """What a result needs besides the state, from the row of a match."""
    begun = found.begun_ms / 1000
    return MatchFacts(table=found.table_name, key=match_key(found.number, begun), begun=begun)


def blank_of(found: sa.Row[Any]) -> MatchState:
    """A match before its first event, from its row; later ones name the players again."""
    return MatchState(
        variant=found.variant, light=found.light, dark=found.dark, length=found.length
    )


def result_of(found: sa.Row[Any]) -> HallResult:
    """The result of a match, from its row in the store."""
    return HallResult(
        id=found.id,
        match=f"{found.number}-{found.begun_ms}",
        event=found.event,
        round=found.round,
        table=found.place or found.table_name,
        light=found.light,
        dark=found.dark,
        light_score=found.light_score,
        dark_score=found.dark_score,
        length=found.length,
        variant=found.variant,
        winner=found.winner,
        status=found.status,
        begun=iso(found.begun_ms / 1000),
        ended="" if found.ended is None else iso(found.ended),
    )
