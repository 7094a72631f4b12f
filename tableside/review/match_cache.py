"""Matches of the record as they are now: only what is new of one is read again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from engine import Event, MatchState, fold
from engine.match.amendments import effective_events
from tableside.record.store import MatchEntry, Store
from tableside.review.review_items import ReviewItem, doubtful_things
from tableside.review.stills import INDEX, StillKeeper, stills_folder
from webui.contracts.archive import NotInRecord

HELD: Final = 6
"""Matches whose events are held in memory."""
NO_FOLDER: Final = Path("no-stills")
"""A list needs none."""
_Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CachedMatch:
    """A match as it was read."""

    entry: MatchEntry
    events: tuple[Event, ...]
    standing: tuple[Event, ...]
    blank: MatchState
    """The match before its first event."""
    state: MatchState

    @property
    def is_over(self) -> bool:
        """Whether nobody goes on with it."""
        return not self.entry.is_open or self.is_won

    @property
    def is_won(self) -> bool:
        """Whether somebody has all the points that the match goes to."""
        return 0 < self.state.length <= max(self.state.score)


@dataclass(frozen=True, slots=True)
class ReviewList:
    """What is doubtful of a match, and its stills."""

    things: tuple[ReviewItem, ...]
    stills: StillKeeper


class MatchCache:
    """The matches that are looked at; threads share it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._held: OrderedDict[int, CachedMatch] = OrderedDict()
        self._doubts: dict[int, tuple[CachedMatch, _Stamp, ReviewList]] = {}

    def read(self, number: int) -> CachedMatch:
        """The match of this number as it is now; `NotInRecord` if there is none."""
        with self._lock:
            entry = self._store.match(number)
            if entry is None:
                raise NotInRecord(f"the record holds no match {number}")
            held = self._held.pop(number, None)
            if held is None or held.entry != entry:
                held = self._follow(entry, () if held is None else held.events)
            self._held[number] = held
            while len(self._held) > HELD:
                oldest, _ = self._held.popitem(last=False)
                self._doubts.pop(oldest, None)
            return held

    def glimpse(self, entry: MatchEntry) -> tuple[CachedMatch, ReviewList]:
        """The match, without holding on to it, and what is doubtful of it, without stills."""
        read = self._follow(entry, ())
        stills = StillKeeper(NO_FOLDER)
        return read, ReviewList(tuple(doubtful_things(read.standing, stills)), stills)

    def doubts(self, read: CachedMatch) -> ReviewList:
        """What is doubtful of a match, with the stills that there are now."""
        number = read.entry.id
        folder = stills_folder(self._store.path, number)
        stamp = _stamp(folder / INDEX)
        with self._lock:
            known = self._doubts.get(number)
        if known is not None and known[0] is read and known[1] == stamp:
            return known[2]
        stills = StillKeeper(folder)
        found = ReviewList(tuple(doubtful_things(read.standing, stills)), stills)
        with self._lock:
            self._doubts[number] = read, stamp, found
        return found

    def _follow(self, entry: MatchEntry, known: tuple[Event, ...]) -> CachedMatch:
        events = *known, *self._store.events(entry.id, len(known))
        standing = effective_events(events)
        blank = MatchState(
            variant=entry.variant, light=entry.light, dark=entry.dark, length=entry.length
        )
        return CachedMatch(entry, events, standing, blank, fold(standing, blank))


def _stamp(index: Path) -> _Stamp:
    """What changes with the list of stills."""
    try:
        found = index.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
