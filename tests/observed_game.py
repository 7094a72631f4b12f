"""A game on a simulated board, whose observations are given one by one to a referee."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from engine.events.match import Event, PlayMade
from engine.evidence.observation import Observation, cell_counts
from engine.evidence.still_period import Motion
from engine.match.amendments import effective_events
from engine.play import Play
from engine.position import Position, Side
from engine.rules import SHORT
from engine.rules.legal import apply_play
from engine.simulation.board import counts_of, die
from engine.simulation.reader_errors import SimulatedComparison
from engine.timestamp import Timestamp

OPENING = SHORT.opening()
ARM = tuple(range(1, 8))
"""Light's points 2 to 8, which a resting arm hides."""


class Judge(Protocol):
    """A `Referee`, a `HistorySearch` or a `ReplayableMatch`."""

    def observe(self, seen: Observation | Motion) -> list[Event]: ...


class ObservedGame:
    """A game in which light throws into the right half, dark into the left."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.events: list[Event] = []
        self.clock = 0.0
        self._comparison = SimulatedComparison(np.random.default_rng(1), 0.0)

    @property
    def now(self) -> Timestamp:
        return Timestamp(self.clock, round(self.clock * 12))

    def observe(
        self, position: Position, dice=(), side: Side = Side.LIGHT, *, hidden=()
    ) -> list[Event]:
        """The events of a hand, followed by two observations of `position` with these dice."""
        left = 0.6 if side is Side.LIGHT else 0.1
        lying = tuple(die(face, (left + 0.15 * n, 0.5)) for n, face in enumerate(dice))
        self.clock += 0.5
        hand = Motion(*self.now)
        events = self.judge.observe(self._comparison.compare(hand, position))
        for _ in range(2):
            self.clock += 0.5
            counts = counts_of(cell_counts(position), hidden)
            seen = Observation(counts, lying, *self.now)
            shown = self.judge.observe(self._comparison.compare(seen, position))
            self._comparison.settle_after(shown)
            events += shown
        self.events += events
        return events

    def turn(self, before: Position, play: str, dice, side: Side, *, hidden=()) -> Position:
        """Play a whole turn: the throw, the play, the lift; `hidden` points throughout."""
        after = apply_play(before, side, Play.parse(play), SHORT)
        self.observe(before, dice, side, hidden=hidden)
        self.observe(after, dice, side, hidden=hidden)
        self.observe(after, hidden=hidden)
        return after

    @property
    def plays(self) -> list[PlayMade]:
        """The plays that finally stand."""
        return [one for one in effective_events(self.events) if isinstance(one, PlayMade)]

    @property
    def recorded(self) -> list[tuple[Side, str]]:
        return [(one.player, one.play) for one in self.plays]
