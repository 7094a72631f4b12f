"""The matches of a record that can go on, and which of them goes on with a given game."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

from engine import MatchState, NotNow, fold
from engine.message import join, msg
from tableside.record.store import NO_CAMERA, MatchEntry, Store


class OpenMatch(NamedTuple):
    """A match that can go on, and where it stands."""

    entry: MatchEntry
    state: MatchState

    @property
    def is_by_hand(self) -> bool:
        """Whether it began without a camera."""
        return self.entry.source == NO_CAMERA

    @property
    def last_played(self) -> float:
        """When something of it was last recorded, in seconds since 1970, UTC."""
        newest = self.state.last_event
        return self.entry.begun + (0.0 if newest is None else newest.time)

    @property
    def summary(self) -> str:
        """The match in one line of English."""
        state, (light, dark) = self.state, self.state.score
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.last_played))
        length = f"{state.length} points" if state.length else "money game"
        names = f"{state.light} and {state.dark}, {light}-{dark}"
        last = f"last played {day}" if state.games else f"set up {day}, not begun"
        return f"{self.entry.id}: {names} ({length}), {last}"

    @property
    def resume_keys(self) -> tuple[tuple[str, int, str, str], ...]:
        """Its `MatchEntry.resume_key`, as it began and under the names that it has now."""
        known = replace(self.entry, light=self.state.light, dark=self.state.dark)
        return self.entry.resume_key, known.resume_key


class OpenMatches:
    """The open matches of a record, which are read again only when it has changed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: tuple[object, tuple[OpenMatch, ...]] = None, ()

    def all(self) -> tuple[OpenMatch, ...]:
        """All of them, newest first; raises `StoreError`."""
        change, found = self._read
        if (now := self._store.change()) != change:
            found = tuple(map(self._opened, self._store.open_matches()))
            self._read = now, found
        return found

    def _opened(self, entry: MatchEntry) -> OpenMatch:
        return OpenMatch(entry, fold(self._store.events(entry.id), entry.blank_state))

    def unfinished(self) -> tuple[OpenMatch, ...]:
        """Those that nobody has won, also before their first game; last played first."""
        found = (one for one in self.all() if not one.state.is_over)
        return tuple(sorted(found, key=lambda one: one.last_played, reverse=True))

    def numbered(self, match: int) -> OpenMatch:
        """The unfinished match of this number; raises `NotNow` if there is none."""
        for one in self.unfinished():
            if one.entry.id == match:
                return one
        gone = msg("match {number} cannot go on: it is over, or not in the record", number=match)
        raise NotNow(join([gone, msg("`tableside record unfinished` lists those that can")]))

    def fitting(self, key: tuple[str, int, str, str]) -> MatchEntry | None:
        """The newest that fits this `MatchEntry.resume_key`; None if none does."""
        return next((one.entry for one in self.all() if key in one.resume_keys), None)
