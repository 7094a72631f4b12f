"""A board in play with a doubling cube beside it, and the referee that watches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine import (
    CubePlace,
    CubeSeen,
    Event,
    Observation,
    Play,
    Position,
    Referee,
    Roll,
    Setup,
    Side,
    apply_play,
    find_rules,
    fold,
)
from engine.evidence.observation import CUBE_VALUES
from engine.evidence.still_period import Motion
from engine.simulation.board import SimulatedBoard, die
from engine.simulation.reader_errors import SimulatedComparison
from tests.observed_game import Judge

SHORT = find_rules("short")
OPENING = SHORT.opening()
EMPTY = Setup((15, *[0] * 25), (15, *[0] * 25)).checked()
LIGHT, DARK = Side


def cube_seen(value: int, place: CubePlace, confidence: float = 0.98) -> CubeSeen:
    """A reading of a cube with this value and place."""
    values = tuple(confidence if v == value else (1 - confidence) / 6 for v in CUBE_VALUES)
    places = tuple(confidence if p is place else (1 - confidence) / 3 for p in CubePlace)
    return CubeSeen(values, places)


@dataclass
class Match:
    """A board, and all events of the referee that watches it."""

    referee: Referee
    board: SimulatedBoard = field(
        default_factory=lambda: SimulatedBoard(np.random.default_rng(1), OPENING)
    )
    cube: CubeSeen | None = None
    events: list = field(default_factory=list)
    begun: Any = None
    """The state from which `events` continue, if there was one."""
    comparison: SimulatedComparison = field(
        default_factory=lambda: SimulatedComparison(np.random.default_rng(1), 0.0)
    )
    _shown: int = 0

    @property
    def state(self):
        return self.referee.state

    def observe(self) -> None:
        """Give the referee what was seen since the last time."""
        pairs = zip(self.board.seen, self.board.true_positions, strict=True)
        for seen, stood in list(pairs)[self._shown :]:
            shown = self.comparison.compare(seen, stood)
            if isinstance(shown, Observation) and self.cube is not None:
                shown = replace(shown, cube=self.cube)
            events = self.referee.observe(shown)
            self.comparison.settle_after(events)
            self.events += events
        self._shown = len(self.board.seen)

    def rest(self, observations: int = 2) -> None:
        self.board.rest(observations)
        self.observe()

    def set_cube(
        self, value: int, place: CubePlace, observations: int = 2, confidence: float = 0.98
    ) -> None:
        """Let a hand place the cube there."""
        self.board.move_hand()
        self.observe()
        self.cube = cube_seen(value, place, confidence)
        self.rest(observations)

    def dice(self, *dice) -> None:
        """Let these dice come to rest."""
        self.board.move_hand()
        self.board.dice = dice
        self.rest()

    def opening_roll(self, light: int, dark: int, **more) -> None:
        """Let each player roll one die into his right half."""
        self.dice(die(light, (0.8, 0.4), **more), die(dark, (0.2, 0.6), **more))

    def throw(self, roll: tuple[int, int], side: Side, **more) -> None:
        self.board.throw(Roll(*roll), side, **more)
        self.observe()

    def play(self, side: Side, play: str) -> None:
        after = apply_play(self.board.position, side, Play.parse(play), self.state.rules)
        self.board.play(after)
        self.observe()

    def lift(self, observations: int = 2) -> None:
        self.board.lift(observations)
        self.observe()

    def turn(self, side: Side, roll: tuple[int, int], play: str) -> None:
        self.throw(roll, side)
        if play:
            self.play(side, play)
        self.lift()

    def set_up(self, position, observations: int = 4) -> None:
        """Let hands set the board up."""
        self.board.dice = ()
        self.board.play(position, observations)
        self.observe()

    def of(self, kind) -> list:
        return [event for event in self.events if isinstance(event, kind)]

    def enter(self, event) -> None:
        self.events += self.referee.enter(event)

    def check_fold(self) -> None:
        """Check that the record alone gives the same state."""
        assert fold(self.events, self.begun) == self.state


def looks(board: SimulatedBoard) -> list[tuple[Observation | Motion, Position]]:
    """Everything that was seen of the board, each with the position behind it."""
    return list(zip(board.seen, board.true_positions, strict=True))


def observe_compared(
    judge: Judge,
    looks: Iterable[tuple[Observation | Motion, Position]],
    comparison: SimulatedComparison | None = None,
) -> list[Event]:
    """The events of a judge whose pictures are compared with earlier ones, as a camera's are."""
    comparison = comparison or SimulatedComparison(np.random.default_rng(1), 0.0)
    events: list[Event] = []
    for seen, stood in looks:
        shown = judge.observe(comparison.compare(seen, stood))
        comparison.settle_after(shown)
        events += shown
    return events


def match(rules=SHORT, position=None, **arguments) -> Match:
    """A match whose first game starts there."""
    start = position or rules.opening()
    given = {} if position is None else {"start": position}
    one = Match(
        Referee(rules, **given, **arguments), SimulatedBoard(np.random.default_rng(1), start)
    )
    one.rest()
    return one


def three_turns(one: Match) -> None:
    """Play light 3-1, dark 4-2, light 6-1, all clearly seen."""
    one.turn(LIGHT, (3, 1), "8/5 6/5")
    one.turn(DARK, (4, 2), "8/4 6/4")
    one.turn(LIGHT, (6, 1), "13/7 8/7")


def run_steps(steps):
    """The return value of a replay once all its steps are done."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value
