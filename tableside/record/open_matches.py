"""The matches of a record that can go on, and which of them goes on with a given game."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from engine import MatchState, fold
from tableside.record.store import MatchEntry, Store


class OpenMatch(NamedTuple):
    """A match that can go on, and where it stands."""

    entry: MatchEntry
    state: MatchState

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

    def fitting(self, key: tuple[str, int, str, str]) -> MatchEntry | None:
        """The newest that fits this `MatchEntry.resume_key`; None if none does."""
        return next((one.entry for one in self.all() if key in one.resume_keys), None)
