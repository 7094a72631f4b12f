"""Caches recorded matches: only a match's new events are read and folded again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from engine import Event, MatchState, fold
from engine.match.amendments import effective_events, effective_states
from engine.message import join, msg
from tableside.record.store import MatchEntry, Store
from tableside.review.review_items import NO_FOLDER, ReviewItem, find_review_items
from tableside.review.stills import INDEX, StillKeeper, stills_folder
from webui.contracts.archive import NotInRecord

MAX_CACHED_MATCHES: Final = 6
"""Matches whose events are held in memory."""
_Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CachedMatch:
    """A match as it was read."""

    entry: MatchEntry
    events: tuple[Event, ...]
    effective: tuple[Event, ...]
    state: MatchState

    @property
    def is_over(self) -> bool:
        """Whether it will not be resumed."""
        return not self.entry.is_open or self.is_won

    @property
    def is_won(self) -> bool:
        """Whether a player has reached the length of the match."""
        return 0 < self.state.length <= max(self.state.score)

    @property
    def states(self) -> list[MatchState]:
        """The match after each event in effect."""
        return effective_states(self.effective, self.state, self.entry.blank_state)

    def as_of(self, known: int) -> CachedMatch:
        """The match in play when it had this many events: what came later is in no part of it."""
        events = self.events[:known]
        effective = effective_events(events)
        entry = replace(self.entry, events=len(events), is_open=True)
        return CachedMatch(entry, events, effective, fold(effective, entry.blank_state))


@dataclass(frozen=True, slots=True)
class ReviewList:
    """The review items of a match and its stills."""

    items: tuple[ReviewItem, ...]
    stills: StillKeeper


NO_REVIEW: Final = ReviewList((), StillKeeper(NO_FOLDER))
"""Of a match of which no moment is shown."""


class MatchCache:
    """Recently read matches; thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._held: OrderedDict[int, CachedMatch] = OrderedDict()
        self._lists: dict[int, tuple[CachedMatch, _Stamp, ReviewList]] = {}

    def read(self, number: int) -> CachedMatch:
        """The current state of this match; raises `NotInRecord` if there is none."""
        with self._lock:
            entry = self._store.match(number)
            if entry is None or entry.is_purged:
                raise NotInRecord(msg("there is no match {number} in the record", number=number))
            if entry.is_deleted:
                deleted = msg("match {number} was deleted", number=number)
                raise NotInRecord(join([deleted, msg("restore it from the deleted matches")]))
            held = self._held.pop(number, None)
            if held is None or held.entry.file != entry.file:
                held = self._load(entry, ())
            elif held.entry != entry:
                held = self._load(entry, held.events)
            self._held[number] = held
            while len(self._held) > MAX_CACHED_MATCHES:
                oldest, _ = self._held.popitem(last=False)
                self._lists.pop(oldest, None)
            return held

    def read_once(self, entry: MatchEntry) -> tuple[CachedMatch, ReviewList]:
        """The match and its review items without stills; nothing is cached."""
        read = self._load(entry, ())
        stills = StillKeeper(NO_FOLDER)
        return read, ReviewList(tuple(find_review_items(read.events, stills)), stills)

    def review_list(self, read: CachedMatch) -> ReviewList:
        """The review items of a match, with the stills that exist now."""
        number = read.entry.id
        folder = stills_folder(self._store.path, number)
        stamp = _stamp(folder / INDEX)
        with self._lock:
            known = self._lists.get(number)
        if known is not None and known[0] is read and known[1] == stamp:
            return known[2]
        stills = StillKeeper(folder)
        found = ReviewList(tuple(find_review_items(read.events, stills)), stills)
        with self._lock:
            self._lists[number] = read, stamp, found
        return found

    def _load(self, entry: MatchEntry, known: tuple[Event, ...]) -> CachedMatch:
        events = *known, *self._store.events(entry.id, len(known))
        effective = effective_events(events)
        return CachedMatch(entry, events, effective, fold(effective, entry.blank_state))


def _stamp(index: Path) -> _Stamp:
    """A stamp that changes with the index of stills."""
    try:
        found = index.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
