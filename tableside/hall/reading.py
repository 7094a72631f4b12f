"""A match of the hall's store, read and followed to its end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from engine import Event
from engine.match.amendments import effective_events
from engine.match.fold import apply_event
from tableside.hall.results import OVER, passed_over, understood
from tableside.hall.schema import EVENTS
from tableside.hall.store import facts_of
from tableside.record.store import MatchEntry
from tableside.review.match_cache import CachedMatch


def payloads(connection: sa.Connection, row: sa.Row[Any]) -> Sequence[str]:
    """The events of a match that its row counts."""
    query = sa.select(EVENTS.c.payload).where(
        EVENTS.c.match == row.id, EVENTS.c.number <= row.events
    )
    return connection.scalars(query.order_by(EVENTS.c.number)).all()


def followed(row: sa.Row[Any], payloads: Sequence[str]) -> CachedMatch:
    """A match with its events; those that this version does not know are passed over."""
    entry = MatchEntry(
        id=row.id,
        begun=row.begun_ms / 1000,
        variant=row.variant,
        length=row.length,
        light=row.light,
        dark=row.dark,
        source=row.source,
        is_open=row.status not in OVER,
        events=row.events,
    )
    facts, state = facts_of(row), entry.blank_state
    events: list[Event] = []
    for payload in payloads:
        try:
            event, state, _ = understood(facts, state, json.loads(payload))
        except ValueError:
            event = passed_over(state)
            state = apply_event(state, event)
        events.append(event)
    effective = effective_events(events)
    if row.unread:  # what was passed over has done its part: the corrections are made
        effective = tuple(event for event in effective if type(event) is not Event)
        events = [*effective]
    return CachedMatch(entry, tuple(events), effective, state)
