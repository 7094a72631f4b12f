"""Corrections and confirmations of a record: their events, and what is in effect after them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, takewhile
from typing import Any

from engine.events.codec import as_json
from engine.events.match import Event, PlayMade
from engine.events.record import Confirmed, Corrected
from engine.match.fold import apply_event
from engine.match.state import MatchState, confirm
from engine.message import Message
from engine.timestamp import Timestamp


def effective_events(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events in effect, with plays as confirmed; without `Corrected` and `Confirmed` events."""
    return tuple(_with_confirmed(standing_events(events)))


def standing_events(events: Iterable[Event]) -> list[Event]:
    """The events that no correction has revoked, with confirmations: `Corrected.keep` of them."""
    standing: list[Event] = []
    for event in events:
        if isinstance(event, Corrected):
            del standing[event.keep :]
        else:
            standing.append(event)
    return standing


def effective_states(
    effective: Sequence[Event], last: MatchState, blank: MatchState
) -> list[MatchState]:
    """The state after each event in effect; `last`: the match after all that was recorded.

    Its own course is that, unless plays were confirmed.
    """
    found: list[MatchState] = []
    state = last
    while state.previous is not None:
        found.append(state)
        state = state.previous
    if len(found) == len(effective):
        return found[::-1]
    return states_after(effective, blank)


def states_after(events: Iterable[Event], blank: MatchState) -> list[MatchState]:
    """The state after each of the events, folded one by one."""
    return [*accumulate(events, apply_event, initial=blank)][1:]


def _with_confirmed(events: list[Event]) -> list[Event]:
    plays = [(index, event) for index, event in enumerate(events) if isinstance(event, PlayMade)]
    confirmed = list(events)
    for event in events:
        if isinstance(event, Confirmed) and 0 < event.turn <= len(plays):
            index, made = plays[event.turn - 1]
            plays[event.turn - 1] = index, confirm(made, event)
            confirmed[index] = plays[event.turn - 1][1]
    return [event for event in confirmed if not isinstance(event, Confirmed)]


def continuation(recorded: MatchState, now: MatchState, when: Timestamp) -> list[Event]:
    """The events that lead a record from `recorded` to `now`, by sight.

    If the two diverge from a common state, `Corrected` first goes back to that state.
    """
    common = now.at(min(now.event_count, recorded.event_count))
    kept = recorded.at(common.event_count)
    while kept is not common:
        common, kept = common.at(common.event_count - 1), kept.at(kept.event_count - 1)
    events = _events_since(now, common)
    if common is recorded:
        return events
    return [Corrected(time=when.time, frame=when.frame, keep=common.event_count), *events]


def rewrite(
    recorded: MatchState, now: MatchState, start: MatchState, when: Timestamp, what: Message
) -> list[Event]:
    """The same after a manual correction, for which the events since `start` were judged again.

    Events that came out the same stay in effect.
    """
    old, new = _events_since(recorded, start), _events_since(now, start)
    pairs = zip(map(_recorded, old), map(_recorded, new), strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    cut = Corrected(
        time=when.time,
        frame=when.frame,
        keep=start.event_count + alike,
        by="hand",
        what=str(what),
        what_message=what,
    )
    return [cut, *new[alike:]]


def _recorded(event: Event) -> dict[str, Any]:
    """The event as JSON, because a record rounds; without messages, which older records lack."""
    members = as_json(event).items()
    return {key: one for key, one in members if not key.endswith(("_message", "_messages"))}


def _events_since(state: MatchState, start: MatchState) -> list[Event]:
    events: list[Event] = []
    while state.event_count > start.event_count:
        assert state.last_event is not None, "an event led to this state"  # noqa: S101
        events.append(state.last_event)
        state = state.at(state.event_count - 1)
    return events[::-1]
