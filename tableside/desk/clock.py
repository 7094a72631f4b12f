"""The events of a match's clock, and the clock as the page shows it."""

from __future__ import annotations

from math import ceil
from typing import Final

from engine import MatchState, NotNow
from engine.events.clock import Clock, ClockSet, ClockTurned
from engine.match.phase import BETWEEN_GAMES
from engine.message import msg
from engine.timestamp import Timestamp
from webui.contracts.desk import ClockEntered
from webui.contracts.state import ClockShown

NO_CLOCK: Final = msg("no clock is used: set one under Match")
ALREADY_STOPPED: Final = msg("the clock stands already")
OPENING_NOT_KNOWN: Final = msg(
    "it is nobody's turn yet: the clock runs once the opening roll is known"
)


def clock_set(given: ClockEntered, when: Timestamp) -> ClockSet:
    """The event of a clock that is set and does not run yet."""
    return ClockSet(**when._asdict(), light=given.light, dark=given.dark, delay=given.delay)


def clock_pressed(state: MatchState, when: Timestamp) -> ClockTurned:
    """The event of a pressed clock: the other player's runs; a stopped one runs for the mover."""
    clock = _used(state)
    runs = state.to_move if clock.runs is None else clock.runs.other
    if runs is None or state.phase in BETWEEN_GAMES:
        raise NotNow(OPENING_NOT_KNOWN)
    return ClockTurned(**when._asdict(), runs=runs)


def clock_stopped(state: MatchState, when: Timestamp) -> ClockTurned:
    """The event of a clock that is stopped for both players."""
    if _used(state).runs is None:
        raise NotNow(ALREADY_STOPPED)
    return ClockTurned(**when._asdict(), runs=None)


def _used(state: MatchState) -> Clock:
    if state.clock is None:
        raise NotNow(NO_CLOCK)
    return state.clock


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
