"""Whole matches of simulated players, seen at a `SimulatedBoard`, with their truth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from engine.cube import CENTRED, Cube, DoublingContext
from engine.dice import ALL_ROLLS, Roll
from engine.evidence.cube_track import CubeAtRest
from engine.evidence.observation import CubePlace, Surface
from engine.inference.outcomes import find_outcomes
from engine.position import BAR, Position, Side
from engine.rules import Rules
from engine.rules.base import GameOutcome
from engine.rules.legal import legal_plays
from engine.simulation.board import COCKED, FLAT, SimulatedBoard
from engine.simulation.player import choose_play

REACH: Final = 2
"""Pips by which a checker is put astray, at most."""
VOID_KINDS: Final = (
    (0.6, COCKED, Surface.BOARD),
    (0.25, FLAT, Surface.CHECKER),
    (0.15, FLAT, Surface.TABLE),
)
"""How throws fail: share, how flat the second die looks, what it rests on."""


class RuleBreach(Enum):
    """How a play broke a rule."""

    ASTRAY = "astray"
    """One checker stands where no roll could have brought it."""
    MISCOUNTED = "miscounted"
    """One checker was moved by another number: another roll leads there."""


@dataclass(frozen=True, slots=True)
class PlayerHabits:
    """What players do; every share is a probability for each turn unless said otherwise."""

    hasty: float = 0.0
    """The next throw follows the lift of the dice without a quiet look."""
    quick: float = 0.0
    """The dice are lifted with the last checker: the play is never seen beside its dice."""
    rerolls: float = 0.0
    """Share of throws that do not count: cocked, on a checker or off the board."""
    illegal: float = 0.0
    """One checker goes astray, see `RuleBreach.ASTRAY`."""
    miscounted: float = 0.0
    """One checker is moved by a wrong number, see `RuleBreach.MISCOUNTED`."""
    silent_passes: float = 0.0
    """Share of the turns of shut-out players in which they do not throw."""
    doubles: float = 0.0
    """Of the turns in which a player may double, with a cube beside the board if there are any;
    nobody doubles before the first roll of a game."""
    drops: float = 0.0
    """Share of the doubles that are dropped."""
    quick_cubes: float = 0.0
    """Share of the takes before which the offered cube was never seen to lie still."""
    left_dice: float = 0.0
    """The dice are not lifted at the end of the turn, but before their player's next throw."""
    pushed_dice: float = 0.0
    """Dice that were left lying are pushed aside before the next throw."""
    lost_pairs: float = 0.0
    """Two turns in a row pass without any look, as behind somebody's back."""


CAREFUL: Final = PlayerHabits()
IN_THE_MIDDLE: Final = CubeAtRest(1, CubePlace.CENTRE)
SIDE_PLACES: Final = {Side.LIGHT: CubePlace.LIGHT, Side.DARK: CubePlace.DARK}


class TrueCubeAction(NamedTuple):
    """A double, a take or a drop, and after how many plays of its game."""

    game: int
    plays: int
    kind: str
    """As the type of its event: `double`, `take` or `drop`."""
    side: Side
    value: int
    """What the game is worth if it is taken."""


@dataclass(frozen=True, slots=True)
class TruePlay:
    """One turn as it was."""

    game: int
    """1 for the first game."""
    side: Side
    before: Position
    after: Position
    dice: tuple[int, int] | None
    """None for a pass without a throw."""
    slip: RuleBreach | None = None
    was_seen: bool = True
    """Whether anything of the turn was before the camera: its throw, its checkers."""
    looks: int = 0
    """How much of what was seen, `SimulatedBoard.seen`, lies before the next turn."""

    @property
    def told(self) -> tuple[Side, Position, tuple[int, int] | None]:
        """What a referee should say of it: who, the position after it, the dice."""
        return self.side, self.after, self.dice


@dataclass
class MatchTruth:
    """What truly happened."""

    plays: list[TruePlay] = field(default_factory=list)
    rerolls: int = 0
    outcomes: list[GameOutcome] = field(default_factory=list)
    """Of the games that were played to their end."""
    cube: list[TrueCubeAction] = field(default_factory=list)
    """What became of the cube."""
    ends: list[tuple[Side, int]] = field(default_factory=list)
    """Who won each game that ended, and how many points."""

    @property
    def told(self) -> list[tuple[Side, Position, tuple[int, int] | None]]:
        """What a referee should say, turn by turn."""
        return [play.told for play in self.plays]

    @property
    def illegal(self) -> int:
        """How many plays broke a rule."""
        return sum(play.slip is not None for play in self.plays)


def play_match(
    table: SimulatedBoard,
    rules: Rules,
    *,
    games: int = 1,
    turns: int | None = None,
    habits: PlayerHabits = CAREFUL,
) -> MatchTruth:
    """Some games one after the other, each to its end or for some turns."""
    truth = MatchTruth()
    if habits.doubles:
        table.cube = IN_THE_MIDDLE
    table.rest()
    for number in range(1, games + 1):
        if number > 1 and table.position != rules.opening():
            set_up(table, rules)
        _Players(table, rules, habits, truth, number).play(turns)
    return truth


def set_up(table: SimulatedBoard, rules: Rules, looks: int = 2) -> None:
    """The next game is set up, the cube too."""
    if table.cube is not None:
        table.cube = IN_THE_MIDDLE
    table.play(rules.opening(), looks)


@dataclass
class _Players:
    """Both players of one game."""

    table: SimulatedBoard
    rules: Rules
    habits: PlayerHabits
    truth: MatchTruth
    game: int
    _covered_turns: int = 0
    _cube: Cube = CENTRED

    def play(self, turns: int | None) -> None:
        """Take turns until the game is over, or for some turns."""
        side, taken = self._starter(), 0
        outcome = None
        while outcome is None and (turns is None or taken < turns):
            if taken and not self._is_doubled_on(side):
                return
            self._take_turn(side)
            outcome = self.rules.outcome(self.table.position)
            self._clear(side, outcome is None)
            side, taken = side.other, taken + 1
        if outcome is not None:
            self.truth.outcomes.append(outcome)
            points = self._cube.points(outcome.points, DoublingContext())
            self.truth.ends.append((outcome.winner, points))

    def _is_doubled_on(self, side: Side) -> bool:
        """Whether the game goes on after the cube was offered, or was not."""
        if self._cube.why_not_double(side, DoublingContext()) or not self._happens(
            self.habits.doubles
        ):
            return True
        offered = self._cube.offered(side, DoublingContext())
        is_dropped = self._happens(self.habits.drops)
        value = 2 * self._cube.value
        looks = 4
        if not is_dropped and self._happens(self.habits.quick_cubes):
            looks = 0
        self.table.set_cube(CubeAtRest(value, CubePlace.OFFERED), looks)
        self._tell("double", side, value)
        self._tell("drop" if is_dropped else "take", side.other, value)
        if is_dropped:
            self.truth.ends.append(offered.dropped())
            set_up(self.table, self.rules, looks=4)
            return False
        self._cube = offered.taken()
        self.table.set_cube(CubeAtRest(value, SIDE_PLACES[side.other]))
        return True

    def _tell(self, kind: str, side: Side, value: int) -> None:
        plays = sum(play.game == self.game for play in self.truth.plays)
        self.truth.cube.append(TrueCubeAction(self.game, plays, kind, side, value))

    def _starter(self) -> Side:
        """Who begins: the opening roll, one die each, belongs here; the starter throws both."""
        return Side.LIGHT if self.table.rng.random() < 0.5 else Side.DARK

    def _happens(self, share: float) -> bool:
        return bool(share and self.table.rng.random() < share)

    def _take_turn(self, side: Side) -> None:
        table, rules = self.table, self.rules
        before = table.position
        if not self._covered_turns and self._happens(self.habits.lost_pairs):
            self._covered_turns, table.is_covered = 2, True
        if self._is_shut_out(side) and self._happens(self.habits.silent_passes):
            self._note(side, before, before, None, None)
            return
        roll = self._throw(side)
        after = choose_play(table.rng, before, side, roll, rules)
        slip, after = self._slipped(side, roll, after)
        if after != before:
            table.play(after, looks=0 if self._happens(self.habits.quick) else 2)
        self._note(side, before, after, roll, slip)

    def _is_shut_out(self, side: Side) -> bool:
        position = self.table.position
        on_bar = position.of(side)[BAR] > 0
        return on_bar and find_outcomes(position, side, self.rules).is_shut_out

    def _note(
        self,
        side: Side,
        before: Position,
        after: Position,
        roll: Roll | None,
        slip: RuleBreach | None,
    ) -> None:
        dice = None if roll is None else (roll.high, roll.low)
        play = TruePlay(self.game, side, before, after, dice, slip, not self._covered_turns)
        self.truth.plays.append(play)

    def _clear(self, side: Side, goes_on: bool) -> None:
        """The dice are lifted; a turn later who stood in the way may have gone."""
        self._covered_turns = max(self._covered_turns - 1, 0)
        self.table.is_covered = self._covered_turns > 0 and goes_on
        # After the last turn nobody hurries: the board is looked at before it is set up anew.
        hasty = goes_on and self._happens(self.habits.hasty)
        if goes_on and self._happens(self.habits.left_dice):
            self.table.leave(side)
        else:
            self.table.lift(looks=0 if hasty else 2)
        self.truth.plays[-1] = replace(self.truth.plays[-1], looks=len(self.table.seen))

    def _throw(self, side: Side) -> Roll:
        """The throw that counts lies on the board; those before it did not."""
        rng, shares = self.table.rng, [share for share, _, _ in VOID_KINDS]
        while self._happens(self.habits.rerolls):
            _, flat, surface = VOID_KINDS[rng.choice(len(shares), p=shares)]
            self.table.throw(_roll(rng), side, flat, surface)
            self.table.lift(looks=0 if rng.random() < 0.5 else 2)
            self.truth.rerolls += 1
        if self._happens(self.habits.pushed_dice):
            self.table.push()
        roll = _roll(rng)
        self.table.throw(roll, side)
        return roll

    def _slipped(
        self, side: Side, roll: Roll, after: Position
    ) -> tuple[RuleBreach | None, Position]:
        """The play as it was made, and how it broke a rule, if it did."""
        before, rng = self.table.position, self.table.rng
        for slip, share in (
            (RuleBreach.ASTRAY, self.habits.illegal),
            (RuleBreach.MISCOUNTED, self.habits.miscounted),
        ):
            if self._happens(share):
                found = slipped_play(rng, before, after, side, roll, self.rules, slip)
                if found is not None:
                    return slip, found
        return None, after


def _roll(rng: np.random.Generator) -> Roll:
    return Roll(*(int(v) for v in rng.integers(1, 7, 2)))


def slipped_play(
    rng: np.random.Generator,
    before: Position,
    after: Position,
    side: Side,
    roll: Roll,
    rules: Rules,
    slip: RuleBreach,
) -> Position | None:
    """`after` with one checker a pip or two away, so that a rule is broken; None if none can be."""
    ways = _one_astray(after, side)
    allowed = _results(before, side, (roll,), rules) | {before}
    possible = _results(before, side, ALL_ROLLS, rules)
    wanted = [
        way
        for way in ways
        if way not in allowed and (way in possible) == (slip is RuleBreach.MISCOUNTED)
    ]
    return wanted[int(rng.integers(len(wanted)))] if wanted else None


def _results(before: Position, side: Side, rolls: tuple[Roll, ...], rules: Rules) -> set[Position]:
    return {play.position for roll in rolls for play in legal_plays(before, side, roll, rules)}


def _one_astray(after: Position, side: Side) -> list[Position]:
    own, other = after.of(side), after.of(side.other)
    moved = []
    for p in range(1, BAR):
        for q in range(max(1, p - REACH), min(BAR - 1, p + REACH) + 1):
            if p != q and own[p] and not other[BAR - q]:
                vector = list(own)
                vector[p] -= 1
                vector[q] += 1
                moved.append(after.with_sides(side, tuple(vector), other))
    return moved
