"""The clock of a match at the table: what pressing it does, and what the page is told of it."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Final

from engine import Event, MatchState, NotNow, TurnEnded
from engine.events.clock import Clock, ClockSet, ClockTurned
from engine.match.phase import BETWEEN_GAMES
from engine.ruleset import TurnEndRule
from engine.timestamp import Timestamp
from webui.contracts.desk import ClockEntered
from webui.contracts.state import ClockShown

if TYPE_CHECKING:  # what the page asks of a clock does without sight
    from tableside.match.session import Session

NO_CLOCK: Final = "no clock is used: set one under Match"
STANDS: Final = "the clock stands already"
NOBODYS: Final = "it is nobody's turn yet: the clock runs once the opening roll is known"


def clock_set(given: ClockEntered, when: Timestamp) -> ClockSet:
    """The event of a clock that is set, and stands."""
    return ClockSet(
        time=when.time, frame=when.frame, light=given.light, dark=given.dark, delay=given.delay
    )


def clock_pressed(state: MatchState, when: Timestamp) -> ClockTurned:
    """The event of a clock that is pressed: the other's runs; one that stood runs for the mover."""
    clock = _used(state)
    runs = state.to_move if clock.runs is None else clock.runs.other
    if runs is None or state.phase in BETWEEN_GAMES:
        raise NotNow(NOBODYS)
    return ClockTurned(time=when.time, frame=when.frame, runs=runs)


def clock_stopped(state: MatchState, when: Timestamp) -> ClockTurned:
    """The event of a clock that is stopped for both."""
    if _used(state).runs is None:
        raise NotNow(STANDS)
    return ClockTurned(time=when.time, frame=when.frame, runs=None)


def _used(state: MatchState) -> Clock:
    if state.clock is None:
        raise NotNow(NO_CLOCK)
    return state.clock


def press(session: Session, when: Timestamp) -> list[Event]:
    """The clock is pressed, and ends the turn where the rules have a clock do that."""
    clock, by_clock = session.state.clock, session.state.rule_set.turn_end is TurnEndRule.CLOCK
    events = session.told(clock_pressed(session.state, when))
    if clock is None or clock.runs is None or not by_clock:
        return events
    ended = TurnEnded(time=when.time, frame=when.frame, player=clock.runs)
    try:
        return events + session.told(ended)
    except NotNow:
        # The clock runs by whoever presses it: that sight has seen no roll does not hold it up.
        return events


def end_turn(session: Session, ended: Event, when: Timestamp) -> list[Event]:
    """The turn is over as told, and so is its time."""
    events = session.told(ended)
    clock = session.state.clock
    if clock is not None and isinstance(ended, TurnEnded) and clock.runs is ended.player:
        events += session.told(clock_pressed(session.state, when))
    return events


def hold(session: Session, when: Timestamp) -> ClockTurned | None:
    """Nobody's time passes from now on; what sets the clock going again, if it went."""
    clock = session.state.clock
    if clock is None or clock.runs is None:
        return None
    session.told(clock_stopped(session.state, when))
    return ClockTurned(time=when.time, frame=when.frame, runs=clock.runs)


def go_on(session: Session, held: ClockTurned | None, when: Timestamp) -> None:
    """The clock that was held goes again, unless the game is over or somebody set it anew."""
    state = session.state
    if held is None or state.clock is None or state.phase in BETWEEN_GAMES:
        return
    if state.clock.runs is None and state.clock.turn is held.runs:
        session.told(replace(held, time=when.time, frame=when.frame))


def clock_part(state: MatchState, time: float) -> ClockShown | None:
    """The clock at `time` for the page, in whole seconds: it changes once a second."""
    if state.clock is None:
        return None
    clock = state.clock.at(time)
    return ClockShown(
        light=ceil(clock.light),
        dark=ceil(clock.dark),
        delay=ceil(clock.spare),
        runs=None if clock.runs is None else clock.runs.value,
    )
