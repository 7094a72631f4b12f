"""How a record is amended: the events that say so, and what stands of it at last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.events.codec import as_json
from engine.events.match import Event, PlayMade
from engine.events.record import Confirmed, Corrected
from engine.match.state import MatchState, confirm
from engine.message import Message
from engine.timestamp import Timestamp


def effective_events(events: Iterable[Event]) -> tuple[Event, ...]:
    """The events as they are known at last; no `Corrected` or `Confirmed` is among them."""
    stand: list[Event] = []
    for event in events:
        if isinstance(event, Corrected):
            del stand[event.keep :]
        else:
            stand.append(event)
    return tuple(_with_confirmed(stand))


def _with_confirmed(events: list[Event]) -> list[Event]:
    plays = [index for index, event in enumerate(events) if isinstance(event, PlayMade)]
    told = list(events)
    for event in events:
        if isinstance(event, Confirmed) and 0 < event.turn <= len(plays):
            index = plays[event.turn - 1]
            made = told[index]
            assert isinstance(made, PlayMade)  # noqa: S101
            told[index] = confirm(made, event)
    return [event for event in told if not isinstance(event, Confirmed)]


def continuation(told: MatchState, now: MatchState, when: Timestamp) -> list[Event]:
    """The events that make of a record that told `told` one that tells `now`, by sight.

    Both go back to one beginning; where they part, `Corrected` says how much stands.
    """
    fresh: list[Event] = []
    state = now
    while state.event_count > told.event_count:
        fresh.append(_last(state))
        state = _prior(state)
    kept = told.at(state.event_count)
    while kept is not state:
        fresh.append(_last(state))
        state, kept = _prior(state), _prior(kept)
    fresh.reverse()
    if state is told:
        return fresh
    cut = Corrected(time=when.time, frame=when.frame, keep=state.event_count)
    return [cut, *fresh]


def rewrite(
    told: MatchState, now: MatchState, begun: MatchState, when: Timestamp, what: Message
) -> list[Event]:
    """The same where both were judged apart, by hand, from `begun` on: what is alike stands."""
    old, new = _since(told, begun), _since(now, begun)
    alike = next(
        # As JSON: what was read back from a record is rounded.
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if _recorded(a) != _recorded(b)),
        min(len(old), len(new)),
    )
    keep = begun.event_count + alike
    cut = Corrected(
        time=when.time,
        frame=when.frame,
        keep=keep,
        by="hand",
        what=str(what),
        what_message=what,
    )
    return [cut, *new[alike:]]


def _recorded(event: Event) -> dict[str, Any]:
    """As JSON without messages, which older records lack beside their English text."""
    written = as_json(event).items()
    return {key: one for key, one in written if not key.endswith(("_message", "_messages"))}


def _since(state: MatchState, begun: MatchState) -> list[Event]:
    events = []
    while state.event_count > begun.event_count:
        events.append(_last(state))
        state = _prior(state)
    return events[::-1]


def _last(state: MatchState) -> Event:
    assert state.last_event is not None, "nothing led to the beginning"  # noqa: S101
    return state.last_event


def _prior(state: MatchState) -> MatchState:
    assert state.previous is not None, "the two have no common beginning"  # noqa: S101
    return state.previous
