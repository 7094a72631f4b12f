"""The clock of a match: what pressing it does, and how the page shows it."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Final

from engine import Event, MatchState, NotNow, TurnEnded
from engine.events.clock import Clock, ClockSet, ClockTurned
from engine.match.phase import BETWEEN_GAMES
from engine.message import msg
from engine.ruleset import TurnEndRule
from engine.timestamp import Timestamp
from webui.contracts.desk import ClockEntered
from webui.contracts.state import ClockShown

if TYPE_CHECKING:  # the page's process works without OpenCV
    from tableside.match.session import Session

NO_CLOCK: Final = msg("no clock is used: set one under Match")
STANDS: Final = msg("the clock stands already")
OPENING_NOT_KNOWN: Final = msg(
    "it is nobody's turn yet: the clock runs once the opening roll is known"
)


def clock_set(given: ClockEntered, when: Timestamp) -> ClockSet:
    """The event of a clock that is set and does not run yet."""
    return ClockSet(
        time=when.time, frame=when.frame, light=given.light, dark=given.dark, delay=given.delay
    )


def clock_pressed(state: MatchState, when: Timestamp) -> ClockTurned:
    """The event of a pressed clock: the other player's runs; a stopped one runs for the mover."""
    clock = _used(state)
    runs = state.to_move if clock.runs is None else clock.runs.other
    if runs is None or state.phase in BETWEEN_GAMES:
        raise NotNow(OPENING_NOT_KNOWN)
    return ClockTurned(time=when.time, frame=when.frame, runs=runs)


def clock_stopped(state: MatchState, when: Timestamp) -> ClockTurned:
    """The event of a clock that is stopped for both players."""
    if _used(state).runs is None:
        raise NotNow(STANDS)
    return ClockTurned(time=when.time, frame=when.frame, runs=None)


def _used(state: MatchState) -> Clock:
    if state.clock is None:
        raise NotNow(NO_CLOCK)
    return state.clock


def press(session: Session, when: Timestamp) -> list[Event]:
    """Press the clock; that ends the turn where the rules say so."""
    clock, by_clock = session.state.clock, session.state.rule_set.turn_end is TurnEndRule.CLOCK
    events = session.enter(clock_pressed(session.state, when))
    if clock is None or clock.runs is None or not by_clock:
        return events
    ended = TurnEnded(time=when.time, frame=when.frame, player=clock.runs)
    try:
        return events + session.enter(ended)
    except NotNow:
        # The players run the clock: a roll that was not seen does not stop it.
        return events


def end_turn(session: Session, ended: Event, when: Timestamp) -> list[Event]:
    """End the turn, and its player's time."""
    events = session.enter(ended)
    clock = session.state.clock
    if clock is not None and isinstance(ended, TurnEnded) and clock.runs is ended.player:
        events += session.enter(clock_pressed(session.state, when))
    return events


def pause_clock(session: Session, when: Timestamp) -> ClockTurned | None:
    """Stop a running clock; return the event that sets it going again, None if none ran."""
    clock = session.state.clock
    if clock is None or clock.runs is None:
        return None
    session.enter(clock_stopped(session.state, when))
    return ClockTurned(time=when.time, frame=when.frame, runs=clock.runs)


def resume_clock(session: Session, paused: ClockTurned | None, when: Timestamp) -> None:
    """Set the paused clock going again, unless the game is over or it was set anew."""
    state = session.state
    if paused is None or state.clock is None or state.phase in BETWEEN_GAMES:
        return
    if state.clock.runs is None and state.clock.turn is paused.runs:
        session.enter(replace(paused, time=when.time, frame=when.frame))


def clock_part(state: MatchState, time: float) -> ClockShown | None:
    """The clock at `time` for the page, in whole seconds, so that it changes once a second."""
    if state.clock is None:
        return None
    clock = state.clock.at(time)
    return ClockShown(
        light=ceil(clock.light),
        dark=ceil(clock.dark),
        delay=ceil(clock.spare),
        runs=None if clock.runs is None else clock.runs.value,
    )
