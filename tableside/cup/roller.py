"""What a match in play needs from the device that makes its rolls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from engine import DieSeen, EngineError, Event, MatchState
from engine.timestamp import Timestamp
from webui.contracts.desk import CupWords, DeskCommand
from webui.contracts.state import CupShown


class MatchRoller(Protocol):
    """A cup, or dice with Bluetooth, whose rolls are the match's."""

    def step(self, state: MatchState, dice: Iterable[DieSeen], now: Timestamp) -> list[Event]:
        """The events to record before the next step; call it until there are none.

        While play is paused, no throw becomes a roll, and those made then never do.
        """

    def refuse(self, event: Event, error: EngineError) -> None:
        """Drop the throw behind `event`, which came from a step and could not be recorded."""

    def execute(
        self, command: DeskCommand | CupWords, state: MatchState, now: Timestamp
    ) -> list[Event]:
        """Execute the referee's command and return the events to record; raises `NotNow`."""

    def shown(self, state: MatchState, *, names_port: bool = False) -> CupShown:
        """The device for the page; only the referee may read where it is plugged in."""
