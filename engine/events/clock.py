"""The players' clock: the time that each has left.

The camera does not read clocks: their events are entered by hand or by a program. Each turn has a
free delay; time beyond it is deducted from the player's reserve (UKBGF and USBGF: 12 seconds per
turn, and two minutes per point of the match).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from engine.events.match import AsideEvent, Event, GameStart, event_type
from engine.position import Side
from engine.typed_json import Range

Seconds = Annotated[float, Range(0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockEvent(AsideEvent):
    """An event of the clock; it changes nothing in the game."""


@event_type("clock_set")
class ClockSet(ClockEvent):
    """The clock was stopped and set, in seconds; if both are 0, it is no longer used."""

    light: Seconds
    dark: Seconds
    delay: Seconds = 0.0


@event_type("clock_turned")
class ClockTurned(ClockEvent):
    """The clock of `runs` was started and the other stopped; None if both were stopped."""

    runs: Side | None


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock at one moment; all times in seconds."""

    light: float
    dark: float
    delay: float
    """Free time at the start of each turn."""
    runs: Side | None = None
    """Whose clock runs; None while both are stopped."""
    turn: Side | None = None
    """Whose clock ran last."""
    spare: float = 0.0
    """The remaining delay of that turn."""
    since: float = 0.0
    """The time of that moment, on the source's clock."""

    def left(self, side: Side) -> float:
        """A player's reserve; 0 once time has run out."""
        return self.light if side is Side.LIGHT else self.dark

    def at(self, time: float) -> Clock:
        """The clock at `time` if nothing is pressed before then; unchanged before `since`."""
        spent = time - self.since
        if self.runs is None or spent <= 0:
            return self
        costs = max(0.0, spent - self.spare)
        left = max(0.0, self.left(self.runs) - costs)
        now = replace(self, spare=max(0.0, self.spare - spent), since=time)
        return replace(now, light=left) if self.runs is Side.LIGHT else replace(now, dark=left)

    def turned(self, runs: Side | None, time: float) -> Clock:
        """The clock with `runs` started at `time`; an interrupted turn keeps its delay."""
        now = self.at(time)
        turn = now.turn if runs is None else runs
        spare = now.spare if turn is now.turn else self.delay
        return replace(now, runs=runs, turn=turn, spare=spare, since=max(time, now.since))

    def rested(self, time: float) -> Clock:
        """The clock stopped between two games: the next turn has its full delay."""
        return replace(self.turned(None, time), turn=None, spare=0.0)


def clock_after(clock: Clock | None, event: Event, *, is_between: bool) -> Clock | None:
    """The clock after `event`; is_between: whether no game is in play afterwards."""
    match event:
        case ClockSet(light=light, dark=dark, delay=delay):
            is_used = light > 0 or dark > 0
            return Clock(light, dark, delay, since=event.time) if is_used else None
        case ClockTurned(runs=runs) if clock is not None:
            return clock.turned(runs, event.time)
        case GameStart(swapped=True) if clock is not None:
            rested = clock.rested(event.time)
            return replace(rested, light=rested.dark, dark=rested.light)
        case _ if clock is not None and is_between and clock.runs is not None:
            return clock.rested(event.time)
        case _:
            return clock
