"""Matches of a record that were left before their cup had revealed its seed."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from engine import Event
from engine.referee import ManualEntry
from engine.timestamp import Timestamp
from hardware.match import LeftMatch
from hardware.messages import RollMade
from hardware.proof import commitment_of
from hardware.roll_ledger import RollLedger
from tableside.cup.history import CupHistory, CupMatch
from tableside.cup.match_events import ledger_of, revealed_event, rolled_event
from tableside.record.observation_codec import PendingWrites, decode_entry
from tableside.record.store import Store

_LOGGER: Final = logging.getLogger(__name__)


class _Found(NamedTuple):
    """A cup's match in a match of the record."""

    number: int
    """Of the record's match."""
    events: tuple[Event, ...]
    at_cup: CupMatch


class LeftMatches:
    """Finds the match of a record that a cup was left in, and records its seed there."""

    def __init__(
        self,
        store: Store,
        recorded: int | None = None,
        changed: Callable[[int], object] = lambda _: None,
    ) -> None:
        """recorded: the match that is being recorded now, which is left to its recorder.

        `changed` is called with the number of a match that has got its seed.
        """
        self._store, self._recorded, self._changed = store, recorded, changed

    def ledger(self, unit: bytes, match: int) -> RollLedger | None:
        """What is recorded of the cup's match; None if it is not, or has its seed already."""
        found = self._found(unit, match)
        return None if found is None else ledger_of(found.at_cup)

    def record(self, left: LeftMatch) -> int | None:
        """Record the seed, and rolls that were missed, after the other events of their match.

        Returns the match's number; None if the record does not have it.
        """
        found = self._found(left.unit, left.revealed.match)
        if found is None:
            return None
        is_its_own = commitment_of(left.revealed.seed).hex() == found.at_cup.committed.commitment
        if not is_its_own:
            return None
        if found.at_cup.seed is None:
            self._append(found, left)
            _LOGGER.info("match %s was left: its cup has revealed its seed", found.number)
            self._changed(found.number)
        return found.number

    def _append(self, found: _Found, left: LeftMatch) -> None:
        last = found.events[-1]
        now = Timestamp(last.time, last.frame)
        events: list[Event] = []
        ledger = ledger_of(found.at_cup)
        for roll in left.rolls:
            if ledger is not None:
                made = RollMade(roll, is_asked=False)
                thrown, ledger = rolled_event(made, ledger, now, "unasked")
                events.append(thrown)
        events.append(revealed_event(left.revealed, left.unit, now))
        # As entries they stay in effect if the match goes on and is judged again.
        known = map(decode_entry, self._store.evidence(found.number))
        entered = sum(isinstance(entry, ManualEntry) for entry in known)
        entries = PendingWrites()
        for number, event in enumerate(events, start=entered):
            entries.append(ManualEntry(number, event, now))
        self._store.append(found.number, events, entries.rows)

    def _found(self, unit: bytes, match: int) -> _Found | None:
        for number in self._store.matches_with_cup(unit.hex()):
            if number == self._recorded:
                continue
            events = self._store.events(number)
            for at_cup in CupHistory(events).matches:
                if (at_cup.committed.cup, at_cup.committed.match) == (unit.hex(), match):
                    return _Found(number, events, at_cup)
        return None
