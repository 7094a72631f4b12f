"""Which events of a record are to be sent next; the record itself is the buffer."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple
from uuid import uuid4

from pydantic import TypeAdapter

from calibration.files import write_whole
from engine.events.codec import as_json
from engine.events.cup import CupCommitted
from engine.events.match import Event
from engine.events.record import MatchNoted
from tableside.console import say
from tableside.hall.messages import MOST_KNOWN, Count, EventMessage, MatchNamed, match_key
from tableside.record.files import aside_name
from tableside.record.store import MatchEntry, Store

_SOME: Final = 20
"""Matches that are read at a time."""
_NO_MATCH: Final = 0
_LOGGER: Final = logging.getLogger(__name__)


class Position(NamedTuple):
    """An event of a record: everything up to it has been sent."""

    match: int
    number: int


@dataclass(frozen=True, slots=True)
class Sent:
    """What a table remembers between two runs, in a small file beside its record."""

    instance: str
    """Tells tables with the same name apart."""
    first: Count
    """The first match that is published at all."""
    match: Count
    number: Count

    @property
    def position(self) -> Position:
        """Up to where a broker has acknowledged everything."""
        return Position(self.match, self.number)


_SENT: Final = TypeAdapter(Sent)


def sent_file(record: Path) -> Path:
    """Where `Sent` is kept."""
    return record.with_name(f"{record.name}.hall.json")


def load_sent(record: Path, store: Store) -> Sent:
    """What was sent before; for the first time, what is open or begins from now on.

    A file that cannot be read is kept aside, and every match is sent again: the hall stores each
    event once. Raises `StoreError` if the record cannot be read.
    """
    path = sent_file(record)
    newest = next(iter(store.newest_matches(1)), None)
    try:
        return _SENT.validate_json(path.read_bytes())
    except FileNotFoundError:
        first = 1 if newest is None else newest.id + (not newest.is_open)
        return Sent(uuid4().hex, first, first, 0)
    except (OSError, ValueError) as error:
        _keep_aside(path, error)
        return Sent(uuid4().hex, 1, 1, 0)


def _keep_aside(path: Path, fault: Exception) -> None:
    aside = aside_name(path, "damaged")
    line = f"{path} cannot be read: every match is sent to the hall again"
    try:
        path.replace(aside)
    except OSError as error:
        say(f"{line}; it cannot be kept aside: {error.strerror}")
    else:
        say(f"{line}; it is kept as {aside.name}")
    _LOGGER.warning("%s: %s", path, fault)


def save_sent(record: Path, sent: Sent) -> None:
    """Write it; a position that is too old only sends events again."""
    write_whole(sent_file(record), json.dumps(asdict(sent)).encode(), mode=0o600)


class Outbox:
    """The events of a record in order, from a position on."""

    def __init__(self, store: Store, first: int, start: Position) -> None:
        self._store, self._first = store, first
        self._at = max(start, Position(first, 0))
        self._ahead: Iterator[tuple[Position, EventMessage]] = iter(())
        """What was read and not taken: a match is not read anew for every few of its events."""
        self._stored: dict[int, int] = {}
        """How far the hall has each match, as it said last."""
        self.published: dict[str, int] = {}
        """The number of the last event taken of the newest match taken from, by its name."""

    def take(self, most: int) -> list[tuple[Position, EventMessage]]:
        """At most `most` events that were not taken yet; raises `StoreError`."""
        entry = self._store.match(self._at.match)
        if entry is not None and entry.is_deleted:  # since it was read ahead
            self._ahead = iter(())
        taken = list(islice(self._ahead, most))
        if len(taken) < most:  # what has been recorded since is not among those read
            self._ahead = self._walk()
            taken += islice(self._ahead, most - len(taken))
        return taken

    def rewind(self, stored: Mapping[str, int]) -> int:
        """Go back to, or on from, what the hall has; return how many are taken again.

        Raises `StoreError`.
        """
        last = next((one.id for one in self._store.newest_matches(1)), _NO_MATCH)
        found = self._store.newest_matches(last - self._first + 1)
        entries = [one for one in found if not one.is_added]
        held = {one.id: stored.get(match_key(one.id, one.begun), 0) for one in entries}
        if len(stored) >= MOST_KNOWN:
            oldest = min((one for one, number in held.items() if number > 0), default=_NO_MATCH)
            held |= {one.id: one.events for one in entries if one.id < oldest}
        self._stored = held
        lacking = [one.id for one in entries if held[one.id] < one.events]
        match = min(lacking, default=max(self._newest, self._first))
        before, self._at = self._at, Position(match, held.get(match, 0))
        self._ahead = self._walk()
        taken = {one.id: one.events for one in entries if one.id < before.match}
        taken[before.match] = before.number
        return sum(max(0, number - held.get(one, 0)) for one, number in taken.items())

    def go_back(self, position: Position) -> None:
        """Take this event again, and those after it."""
        self._at = Position(position.match, position.number - 1)
        self._ahead = self._walk()

    @property
    def _newest(self) -> int:
        """The last match of the table: what was added from files was not played at it."""
        before: int | None = None
        while some := self._store.newest_matches(_SOME, before):
            if (played := next((one.id for one in some if not one.is_added), None)) is not None:
                return played
            before = some[-1].id
        return _NO_MATCH

    def _walk(self) -> Iterator[tuple[Position, EventMessage]]:
        newest = self._newest
        while self._at.match <= newest:
            entry = self._store.match(self._at.match)
            # A record that is damaged has gaps.
            if entry is not None and not (entry.is_added or entry.is_deleted):
                yield from self._rest_of(entry, self._at.number)
            if self._at.match == newest:
                return
            following = self._at.match + 1
            self._at = Position(following, self._stored.get(following, 0))

    def _rest_of(self, entry: MatchEntry, after: int) -> Iterator[tuple[Position, EventMessage]]:
        named = match_named(entry)
        for number, event in enumerate(self._store.events(entry.id, after), start=after + 1):
            self._at = Position(entry.id, number)
            self.published = {match_key(entry.id, entry.begun): number}
            yield self._at, event_message(named, number, event)


def event_message(match: MatchNamed, number: int, event: Event) -> EventMessage:
    """The message of an event, without what must not leave the table.

    Who knows the program's secret and the cup's seed can tell the rolls to come. A note stays at
    the table too; its event keeps its place, because `Corrected.keep` counts it.
    """
    if isinstance(event, CupCommitted):
        event = replace(event, program_secret="")
    elif isinstance(event, MatchNoted):
        event = replace(event, text="")
    return EventMessage(match=match, number=number, event=as_json(event))


def match_named(entry: MatchEntry) -> MatchNamed:
    """What messages say of a match."""
    return MatchNamed(
        number=entry.id,
        begun=entry.begun,
        variant=entry.variant,
        length=entry.length,
        light=entry.light,
        dark=entry.dark,
        source=entry.source,
    )
