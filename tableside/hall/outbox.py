"""Which events of a record are to be sent next; the record itself is the buffer."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter

from calibration.files import write_whole
from engine.events.codec import as_json
from engine.events.cup import CupCommitted
from engine.events.match import Event
from engine.events.record import MatchNoted
from tableside.console import say
from tableside.errors import StoreError
from tableside.hall.messages import (
    MOST_KNOWN,
    Count,
    Edition,
    EventMessage,
    MatchNamed,
    edition_of,
    match_key,
)
from tableside.logs import ALREADY_SHOWN
from tableside.record.files import aside_name
from tableside.record.rows import checksum
from tableside.record.store import MatchEntry, MatchHead, Store

_NAMED: Final = 8
"""Matches that `Outbox.published` names."""
_NO_MATCH: Final = 0
_LOGGER: Final = logging.getLogger(__name__)


class Position(NamedTuple):
    """An event of a record: everything up to it has been sent."""

    match: int
    number: int


@dataclass(frozen=True, slots=True)
class Sent:
    """What a table remembers between two runs, in a small file beside its record."""

    first: Count
    """The first match that is published at all."""
    match: Count
    number: Count
    edition: Edition = 0
    """See `MatchNamed`."""
    file: int = 0
    """`Store.file` of the record that it was sent from; 0 if that is not known."""

    @property
    def position(self) -> Position:
        """Up to where a broker has acknowledged everything."""
        return Position(self.match, self.number)


_SENT: Final = TypeAdapter(Sent)
_OBJECT: Final = TypeAdapter(dict[str, Any])


def sent_file(record: Path) -> Path:
    """Where `Sent` is kept."""
    return record.with_name(f"{record.name}.hall.json")


def load_sent(record: Path, store: Store) -> Sent:
    """What was sent before; for the first time, what is open or begins from now on.

    A file that cannot be read is kept aside, and every match is sent again, as another edition: the
    hall compares it with what it has. So it is if another record has taken the place of the one
    that was sent. Raises `StoreError` if it cannot be read.
    """
    path, everything = sent_file(record), Sent(1, 1, 0, _new_edition(0), store.file)
    newest = next(iter(store.newest_matches(1)), None)
    try:
        found = _read(path)
    except FileNotFoundError:
        first = 1 if newest is None else newest.id + (not newest.is_open)
        return Sent(first, first, 0, file=store.file)
    except (OSError, ValueError) as error:
        _keep_aside(path, error)
        return everything
    # A backup that was restored, or a new record, may have fewer matches than were sent.
    is_of_record = any(store.match(one) is not None for one in (found.match, found.match - 1))
    if not is_of_record:
        return replace(everything, edition=_new_edition(found.edition))
    if found.file not in (0, store.file):
        edition = _new_edition(found.edition)
        return Sent(found.first, found.first, 0, edition, store.file)
    return replace(found, file=store.file)


def _read(path: Path) -> Sent:
    """Raises `OSError`, or `ValueError` for what is damaged."""
    told = _OBJECT.validate_json(path.read_bytes())
    kept = told.pop("checksum", None)
    found = _SENT.validate_python(told)
    is_of_earlier_version = kept is None and "file" not in told
    if kept != _checksum(found) and not is_of_earlier_version:
        raise ValueError("it does not fit its checksum")
    return found


def _checksum(sent: Sent) -> int:
    return checksum(*asdict(sent).values())


def _new_edition(before: int) -> int:
    """A later edition; see `MatchNamed`."""
    return max(before + 1, round(time.time() * 1000))


def _keep_aside(path: Path, fault: Exception) -> None:
    aside = aside_name(path, "damaged")
    line = f"{path} cannot be read: every match is sent to the hall again"
    try:
        path.replace(aside)
    except OSError as error:
        say(f"{line}; it cannot be kept aside: {error.strerror}")
    else:
        say(f"{line}; it is kept as {aside.name}")
    _LOGGER.warning("%s: %s", path, fault, extra=ALREADY_SHOWN)


def save_sent(record: Path, sent: Sent) -> None:
    """Write it; a position that is too old only sends events again."""
    content = {**asdict(sent), "checksum": _checksum(sent)}
    write_whole(sent_file(record), json.dumps(content).encode(), mode=0o600)


class Outbox:
    """The events of a record that are to be sent, the oldest match first.

    A match that grows or comes back after later ones were sent is taken up again.
    """

    def __init__(self, store: Store, first: int, start: Position, edition: int = 0) -> None:
        self.edition = edition
        """Which edition of the record is sent."""
        self._store, self._first, self._start = store, first, start.match
        self._change: tuple[int, int] | None = None
        """The record's when it was last looked at."""
        self._heads: dict[int, MatchHead] = {}
        """The matches that are sent, by number, the oldest first."""
        self._has_changed = False
        """Whether there may be more than is being read."""
        self._ahead: Iterator[tuple[Position, EventMessage]] = iter(())
        """What was read and not taken: a match is not read anew for every few of its events."""
        self._reading = _NO_MATCH
        self._taken: dict[int, int] = {}
        """The number of the last event taken of each match."""
        self._look()
        self._taken = {one: head.events for one, head in self._heads.items() if one < start.match}
        self._taken[start.match] = start.number
        self._stored = self._taken.copy()
        """How far the hall has each match, as it said last."""
        self._named: dict[int, None] = {}
        """The matches that were taken from last, in this order."""

    @property
    def published(self) -> dict[str, int]:
        """The number of the last event taken of each match taken from last, by its name."""
        named = [self._heads[one] for one in self._named if one in self._heads]
        return {self._key(head): self._taken.get(head.id, 0) for head in named}

    def _key(self, head: MatchHead) -> str:
        return match_key(head.id, head.begun, self.edition)

    def take(self, most: int) -> list[tuple[Position, EventMessage]]:
        """At most `most` events that were not taken yet; raises `StoreError`."""
        self._look()
        taken = self._read(most)
        if not taken and most and self._has_changed:
            self._restart()
            taken = self._read(most)
        for (match, number), _ in taken:
            self._taken[match] = number
            self._named.pop(match, None)
            self._named[match] = None
        for match in [*self._named][:-_NAMED]:
            del self._named[match]
        return taken

    def rewind(self, stored: Mapping[str, int]) -> int:
        """Go back to, or on from, what the hall has; return how many are taken again.

        Raises `StoreError`.
        """
        self._look()
        before, ours = self._taken, {match_key(one.id, one.begun) for one in self._heads.values()}
        later = max((edition for key, edition in map(edition_of, stored) if key in ours), default=0)
        if later > self.edition:  # ours was forgotten, or the clock set back
            self.edition = _new_edition(later)
        held = {one: stored.get(self._key(head), 0) for one, head in self._heads.items()}
        if len(stored) >= MOST_KNOWN:  # it says nothing of older ones
            oldest = min((one for one, number in held.items() if number > 0), default=_NO_MATCH)
            held |= {one: self._held_before(one) for one in held if one < oldest}
        self._stored, self._taken = held, held.copy()
        self._restart()
        return sum(max(0, before.get(one, 0) - number) for one, number in held.items())

    def go_back(self, positions: Iterable[Position]) -> None:
        """Take these events again, and those after them in their matches."""
        for match, number in positions:
            self._taken[match] = min(self._taken.get(match, 0), number - 1)
        self._restart()

    def _look(self) -> None:
        """See which matches have begun, grown or come back."""
        change = self._store.change()
        if change == self._change:
            return
        if self._change is not None and change[0] != self._change[0]:
            self.edition, self._taken, self._stored = _new_edition(self.edition), {}, {}
            self._restart()
        found = self._store.heads(self._first)
        self._heads = {head.id: head for head in found if not head.is_added}
        self._change, self._has_changed = change, True
        if self._reading not in self._heads:  # it has been deleted since it was read ahead
            self._restart()

    def _restart(self) -> None:
        """Forget what was read ahead."""
        self._ahead, self._has_changed = self._walk(), False

    def _read(self, most: int) -> list[tuple[Position, EventMessage]]:
        found: list[tuple[Position, EventMessage]] = []
        try:
            found.extend(islice(self._ahead, most))
        except StoreError:
            self._restart()
            if not found:
                raise
        return found

    def _held_before(self, match: int) -> int:
        """How far the hall surely has a match of which it says nothing.

        What it did not speak of since the table was started, it got in order. A match that was
        deleted then, or has grown since, is sent again.
        """
        taken = self._taken.get(match, 0) if match >= self._start else 0
        return self._stored.get(match, taken)

    def _walk(self) -> Iterator[tuple[Position, EventMessage]]:
        """What is to be taken; a match that is damaged holds up no other."""
        fault: StoreError | None = None
        for match, head in self._heads.items():
            if head.events > self._taken.get(match, 0):
                self._reading = match
                try:
                    yield from self._rest_of(match, head.events)
                except StoreError as error:
                    fault = fault or error
        if fault is not None:
            raise fault

    def _rest_of(self, match: int, last: int) -> Iterator[tuple[Position, EventMessage]]:
        entry, after = self._store.match(match), self._taken.get(match, 0)
        if entry is None:
            return
        named = match_named(entry)
        if self.edition:
            named["edition"] = self.edition
        for number, event in enumerate(self._store.events(match, after), start=after + 1):
            message = event_message(named, number, event)
            if self.edition:
                message["last"] = last
            yield Position(match, number), message


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
