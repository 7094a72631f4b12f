"""The slowest turns of each variant: what judging a position may cost at most.

A search begins at random positions, changes the slowest one a little, and goes on from there if
that is slower. It proves no bound, but finds what thousands of games do not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from engine.arrays import Rng
from engine.dice import ALL_ROLLS, Roll
from engine.errors import TooManyPlays
from engine.evidence.likelihood import PositionEvidence, PositionView
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import find_outcomes, find_play_cached
from engine.inference.verdict import judge
from engine.position import BAR, CHECKERS, OFF, Position, Side
from engine.rules import Rules
from engine.rules.illegality import judge_result
from engine.simulation.board import observation_of
from engine.simulation.player import choose_play

RANDOM_SHARE: Final = 0.25
"""Fraction of the steps that begin anew at a random position."""
MAX_POINTS: Final = 12
"""Points on which a side stands, in a random position."""
RELOCATED: Final = 3
"""Most checkers that a step moves elsewhere."""
ROLL_P: Final = 0.98
"""Probability of the roll that was thrown, as the dice show it."""
VOID_P: Final = 0.003
"""Probability that a throw will not count."""


@dataclass(frozen=True, slots=True)
class HardTurn:
    """A turn of light's, and the CPU time that it costs, with nothing remembered."""

    position: Position
    roll: Roll
    look_ms: float = 0.0
    """To judge a look at the board after a play."""
    entry_ms: float = 0.0
    """To judge the entry of a play, or of the same one with a checker astray."""

    @property
    def cost(self) -> float:
        """The greater of the two."""
        return max(self.look_ms, self.entry_ms)

    def __str__(self) -> str:
        times = f"look {self.look_ms:.0f} ms, entry {self.entry_ms:.0f} ms"
        return f"{times}: light to play {self.roll}: {self.position}"


def find_slowest(rules: Rules, steps: int, rng: Rng) -> HardTurn:
    """The slowest turn that a search of so many steps finds."""
    slowest = HardTurn(rules.opening(), ALL_ROLLS[0])
    for _ in range(steps):
        is_new = slowest.cost == 0 or rng.random() < RANDOM_SHARE
        tried = _random_turn(rules, rng) if is_new else _changed(slowest, rules, rng)
        timed = _timed(tried, rules, rng)
        if timed.cost > slowest.cost:
            # Once more: another process may have taken the time.
            again = _timed(tried, rules, rng)
            slowest = max(slowest, min(timed, again, key=_cost), key=_cost)
    return slowest


def _cost(turn: HardTurn) -> float:
    return turn.cost


def slowest_text(rules: Rules, steps: int, seed: int) -> str:
    """What the search found, in a line."""
    found = find_slowest(rules, steps, np.random.default_rng(seed))
    return f"{rules.name} ({steps} steps): {found}"


def _random_turn(rules: Rules, rng: Rng) -> HardTurn:
    own, other, taken = list[int](), list[int](), set[int]()
    for vector, across in ((own, lambda point: point), (other, rules.course.across)):
        vector.extend([0] * (BAR + 1))
        free = [point for point in range(1, BAR) if across(point) not in taken]
        points = rng.choice(free, int(rng.integers(1, MAX_POINTS + 1)), replace=False)
        for point in [*points, *rng.choice(points, CHECKERS - len(points))]:
            vector[int(point)] += 1
        taken |= {across(int(point)) for point in points}
    return HardTurn(Position(tuple(own), tuple(other), rules.course), _random_roll(rng))


def _random_roll(rng: Rng) -> Roll:
    """Any roll, half of them doubles: they have the most results."""
    if rng.random() < 0.5:
        return Roll(*[int(rng.integers(1, 7))] * 2)
    return ALL_ROLLS[int(rng.integers(len(ALL_ROLLS)))]


def _changed(turn: HardTurn, rules: Rules, rng: Rng) -> HardTurn:
    """The turn with another roll, or with some checkers elsewhere."""
    if rng.random() < 0.1:
        return HardTurn(turn.position, _random_roll(rng))
    position = turn.position
    for _ in range(int(rng.integers(1, RELOCATED + 1))):
        side = Side.LIGHT if rng.random() < 0.7 else Side.DARK
        position = _with_one_elsewhere(position, side, rules, rng)
    return HardTurn(position, turn.roll)


def _with_one_elsewhere(position: Position, side: Side, rules: Rules, rng: Rng) -> Position:
    own, theirs = list(position.of(side)), position.of(side.other)
    sources = [place for place in range(BAR) if own[place]]
    targets = [OFF, *(p for p in range(1, BAR) if not theirs[rules.course.across(p)])]
    own[int(rng.choice(sources))] -= 1
    own[int(rng.choice(targets))] += 1
    return position if own[OFF] == CHECKERS else position.with_sides(side, tuple(own), theirs)


def _timed(turn: HardTurn, rules: Rules, rng: Rng) -> HardTurn:
    result = choose_play(rng, turn.position, Side.LIGHT, turn.roll, rules)
    astray = _with_one_elsewhere(result, Side.LIGHT, rules, rng)
    shown = (result, astray)
    looks = [_milliseconds(partial(_judge_look, turn, one, rules)) for one in shown]
    entries = [_milliseconds(partial(_judge_entry, turn, one, rules)) for one in shown]
    return replace(turn, look_ms=max(looks), entry_ms=max(entries))


def _milliseconds(work: Callable[[], object]) -> float:
    find_outcomes.cache_clear()
    find_play_cached.cache_clear()
    start = time.process_time()
    work()
    return 1e3 * (time.process_time() - start)


def _judge_look(turn: HardTurn, shown: Position, rules: Rules) -> None:
    view = PositionView.of(StillPeriod.of(observation_of(shown)))
    rolls = np.full(len(ALL_ROLLS), np.log((1 - ROLL_P) / (len(ALL_ROLLS) - 1)))
    rolls[ALL_ROLLS.index(turn.roll)] = np.log(ROLL_P)
    evidence, void = PositionEvidence(view), float(np.log(VOID_P))
    judge(turn.position, Side.LIGHT, evidence, rules, rolls, void)


def _judge_entry(turn: HardTurn, result: Position, rules: Rules) -> None:
    try:
        judge_result(turn.position, Side.LIGHT, turn.roll, result, rules)
    except TooManyPlays:
        return  # the search gives up, and the play is left to the referee
