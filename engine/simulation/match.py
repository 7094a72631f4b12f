"""Whole matches of simulated players, seen at a `SimulatedBoard`, with their truth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, NamedTuple

from engine.arrays import Rng
from engine.cube import CENTRED, Cube, DoublingContext
from engine.dice import ALL_ROLLS, Roll
from engine.evidence.cube_track import SIDE_PLACES, CubeAtRest
from engine.evidence.observation import CubePlace, Surface
from engine.inference.outcomes import find_outcomes
from engine.match.leftover import Numbers, outcome_of_play
from engine.position import BAR, CHECKERS, OFF, Course, Position, Side
from engine.rules import Rules
from engine.rules.base import GameOutcome
from engine.rules.first_roll import knowing_first_roll
from engine.rules.legal import is_legal, list_few_plays
from engine.simulation.board import COCKED, FLAT, SimulatedBoard
from engine.simulation.player import choose_leftover_play, choose_play

MAX_MISPLACED_PIPS: Final = 2
VOID_SHARES: Final = (0.6, 0.25, 0.15)
VOID_THROWS: Final = ((COCKED, Surface.BOARD), (FLAT, Surface.CHECKER), (FLAT, Surface.TABLE))
"""How flat the second die of a void throw looks, and what it rests on, by `VOID_SHARES`."""
CENTRED_CUBE: Final = CubeAtRest(1, CubePlace.CENTRE)
OUTSIDE_MATCH: Final = DoublingContext()


class RuleBreach(Enum):
    """How a play broke a rule."""

    MISPLACED = "astray"
    """One checker is where no roll could have brought it."""
    MISCOUNTED = "miscounted"
    """One checker was moved by another number: another roll leads there."""


@dataclass(frozen=True, slots=True)
class PlayerHabits:
    """What players do; every value is a probability per turn unless stated otherwise."""

    hasty: float = 0.0
    """The next throw follows without an observation after the dice are picked up."""
    quick: float = 0.0
    """The dice are picked up with the last checker: the play is never seen beside its dice."""
    rerolls: float = 0.0
    """Fraction of throws that do not count: cocked, on a checker or off the board."""
    illegal: float = 0.0
    """See `RuleBreach.MISPLACED`."""
    miscounted: float = 0.0
    """See `RuleBreach.MISCOUNTED`."""
    silent_passes: float = 0.0
    """Fraction of shut-out players' turns in which they do not throw."""
    doubles: float = 0.0
    """Fraction of turns in which a player may double; never before the first roll of a game."""
    drops: float = 0.0
    """Fraction of doubles that are dropped."""
    quick_cubes: float = 0.0
    """Fraction of takes before which the offered cube was never seen at rest, and of drops before
    which it was seen so only for a moment."""
    left_dice: float = 0.0
    """The dice are not picked up at the end of the turn, but before their player's next throw."""
    pushed_dice: float = 0.0
    """Dice left lying are pushed aside before the next throw."""
    lost_pairs: float = 0.0
    """Two consecutive turns pass without any observation, as behind somebody's back."""


CAREFUL: Final = PlayerHabits()


class TrueCubeAction(NamedTuple):
    """A double, a take or a drop, and the number of plays before it in its game."""

    game: int
    plays: int
    kind: str
    """The type of its event: `double`, `take` or `drop`."""
    side: Side
    value: int
    """The game's value if it is taken."""


@dataclass(frozen=True, slots=True)
class TruePlay:
    """One turn as it really was."""

    game: int
    """1 for the first game."""
    side: Side
    before: Position
    after: Position
    dice: tuple[int, int] | None
    """None for a pass without a throw, and for moves that the opponent's double left over."""
    breach: RuleBreach | None = None
    was_seen: bool = True
    """Whether the camera could see anything of the turn: its throw, its checkers."""
    seen_end: int = 0
    """The number of `SimulatedBoard.seen` before the next turn."""


@dataclass
class MatchTruth:
    """What really happened."""

    plays: list[TruePlay] = field(default_factory=list)
    rerolls: int = 0
    outcomes: list[GameOutcome] = field(default_factory=list)
    """Outcomes of the games played to the end; a draw is not among them."""
    cube: list[TrueCubeAction] = field(default_factory=list)
    ends: list[tuple[Side, int]] = field(default_factory=list)
    """Who won each game that ended, and how many points."""


def play_match(
    board: SimulatedBoard,
    rules: Rules,
    *,
    games: int = 1,
    turns: int | None = None,
    habits: PlayerHabits = CAREFUL,
) -> MatchTruth:
    """Some games in a row, each to its end or for some turns."""
    truth = MatchTruth()
    if habits.doubles and rules.has_cube:
        board.cube = CENTRED_CUBE
    board.rest()
    starter: Side | None = None
    for number in range(1, games + 1):
        # The starter throws both dice: the opening roll, one die each, is left out.
        first = starter or (Side.LIGHT if board.rng.random() < 0.5 else Side.DARK)
        game = _SimulatedGame(board, rules, habits, truth, number, first)
        if number > 1 and board.position != rules.opening():
            game.set_up()
        game.play(turns)
        starter = game.next_starter
    return truth


@dataclass
class _SimulatedGame:
    """Both players of one game."""

    board: SimulatedBoard
    rules: Rules
    habits: PlayerHabits
    truth: MatchTruth
    number: int
    starter: Side
    next_starter: Side | None = None
    """Who begins the next game, if this one decides it."""
    _leftover: Numbers = ()
    _was_leftover: bool = False
    """Whether the newest play moved what the opponent's double left over."""
    _turns_covered: int = 0
    _cube: Cube = CENTRED

    def set_up(self, observations: int = 2) -> None:
        """Set up the checkers and put the cube back."""
        if self.board.cube is not None:
            self.board.cube = CENTRED_CUBE
        self.board.play(self.rules.opening(), observations)

    def play(self, turns: int | None) -> None:
        """Take turns until the game is over, or for some turns."""
        side, taken = self.starter, 0
        while not self._is_over and (turns is None or taken < turns):
            if taken and not self._goes_on_after_cube(side):
                return
            if self._leftover:
                self._move_leftover(side)
                if self._is_over:
                    break
                if self.board.position.of(side)[OFF] == CHECKERS:
                    side = side.other  # for the last throw
            rolls_again = self._take_turn(side)
            self._end_turn(side, goes_on=not self._is_over)
            side, taken = side if rolls_again else side.other, taken + 1
        self._end_game()

    @property
    def _is_over(self) -> bool:
        position = self.board.position
        if self.rules.owes_last_throw(position, self.starter):
            return not self._was_leftover and self.truth.plays[-1].side is not self.starter
        return self.rules.outcome(position) is not None

    def _end_game(self) -> None:
        outcome = self.rules.outcome(self.board.position) if self._is_over else None
        if outcome is None or self.rules.is_drawn(self.board.position):
            return
        self.truth.outcomes.append(outcome)
        points = self._cube.points(outcome.points, OUTSIDE_MATCH)
        self.truth.ends.append((outcome.winner, points))
        starter = self.rules.starter_after(outcome.winner, self.starter)
        swaps = self.rules.swap_colors and starter is not None
        self.next_starter = starter.other if swaps and starter is not None else starter

    def _happens(self, share: float) -> bool:
        return bool(share and self.board.rng.random() < share)

    def _goes_on_after_cube(self, side: Side) -> bool:
        """Whether the game continues: `side` has not doubled, or the cube was taken."""
        has_cube = self.board.cube is not None
        may_double = has_cube and not self._cube.why_not_double(side, OUTSIDE_MATCH)
        if not may_double or not self._happens(self.habits.doubles):
            return True
        offered = self._cube.offered(side, OUTSIDE_MATCH)
        is_dropped = self._happens(self.habits.drops)
        is_quick = self._happens(self.habits.quick_cubes)
        value, looks = 2 * self._cube.value, 4
        if is_quick:
            looks = 2 if is_dropped else 0
        self.board.set_cube(CubeAtRest(value, CubePlace.OFFERED), looks)
        plays = sum(play.game == self.number for play in self.truth.plays)
        for kind, player in (("double", side), ("drop" if is_dropped else "take", side.other)):
            self.truth.cube.append(TrueCubeAction(self.number, plays, kind, player, value))
        if is_dropped:
            self.truth.ends.append(offered.dropped())
            self.set_up(observations=4)
            return False
        self._cube = offered.taken()
        self.board.set_cube(CubeAtRest(value, SIDE_PLACES[side.other]))
        return True

    def _move_leftover(self, side: Side) -> None:
        """Before rolling, `side` makes the moves that the opponent's double left over."""
        before = self.board.position
        after = choose_leftover_play(self.board.rng, before, side, self._leftover, self.rules)
        self._leftover, self._was_leftover = (), True
        self.board.play(after)
        self._note(TruePlay(self.number, side, before, after, None, None, not self._turns_covered))

    def _take_turn(self, side: Side) -> bool:
        """Throw and play; return whether `side` rolls again."""
        board = self.board
        before = after = board.position
        if not self._turns_covered and self._happens(self.habits.lost_pairs):
            self._turns_covered, board.is_covered = 2, True
        dice = breach = None
        if not (self._is_shut_out(side) and self._happens(self.habits.silent_passes)):
            roll = self._throw(side)
            dice = roll.high, roll.low
            chosen = choose_play(board.rng, before, side, roll, self._rules_in_turn())
            breach, after = self._break_rule(side, roll, chosen)
            if after != before:
                board.play(after, 0 if self._happens(self.habits.quick) else 2)
        was_seen = not self._turns_covered
        self._note(TruePlay(self.number, side, before, after, dice, breach, was_seen))
        self._leftover, rolls_again = outcome_of_play(before, side, dice, after, self.rules)
        self._was_leftover = False
        return rolls_again

    def _rules_in_turn(self) -> Rules:
        """The rules, which in the reply to a game's first turn know the roll of that turn."""
        last = [play for play in self.truth.plays[-2:] if play.game == self.number]
        dice = last[0].dice if len(last) == 1 else None
        return self.rules if dice is None else knowing_first_roll(self.rules, Roll(*dice))

    def _note(self, play: TruePlay) -> None:
        self.truth.plays.append(replace(play, seen_end=len(self.board.seen)))

    def _is_shut_out(self, side: Side) -> bool:
        position = self.board.position
        may_be = position.of(side)[BAR] > 0 or position.course is Course.CIRCLING
        if not (may_be and self.habits.silent_passes):
            return False
        return find_outcomes(position, side, self.rules).is_shut_out

    def _end_turn(self, side: Side, *, goes_on: bool) -> None:
        """The dice are picked up or left; whoever covered the camera may have gone."""
        self._turns_covered = max(self._turns_covered - 1, 0)
        self.board.is_covered = self._turns_covered > 0 and goes_on
        # After the last turn nobody hurries: the board is seen before it is set up again.
        is_hasty = goes_on and self._happens(self.habits.hasty)
        if goes_on and self._happens(self.habits.left_dice):
            self.board.leave_dice(side)
        else:
            self.board.lift(0 if is_hasty else 2)
        self.truth.plays[-1] = replace(self.truth.plays[-1], seen_end=len(self.board.seen))

    def _throw(self, side: Side) -> Roll:
        """Throw until a throw counts, and return its roll."""
        rng = self.board.rng
        while self._happens(self.habits.rerolls):
            flat, surface = VOID_THROWS[rng.choice(len(VOID_SHARES), p=VOID_SHARES)]
            self.board.throw(_draw_roll(rng), side, flat, surface)
            self.board.lift(0 if rng.random() < 0.5 else 2)
            self.truth.rerolls += 1
        if self._happens(self.habits.pushed_dice):
            self.board.push_left_dice()
        roll = _draw_roll(rng)
        self.board.throw(roll, side)
        return roll

    def _break_rule(
        self, side: Side, roll: Roll, after: Position
    ) -> tuple[RuleBreach | None, Position]:
        shares = {
            RuleBreach.MISPLACED: self.habits.illegal,
            RuleBreach.MISCOUNTED: self.habits.miscounted,
        }
        before, rng = self.board.position, self.board.rng
        for breach, share in shares.items():
            if self._happens(share):
                found = illegal_result(rng, before, after, side, roll, self.rules, breach)
                if found is not None:
                    return breach, found
        return None, after


def _draw_roll(rng: Rng) -> Roll:
    return Roll(*rng.integers(1, 7, 2).tolist())


def illegal_result(
    rng: Rng,
    before: Position,
    after: Position,
    side: Side,
    roll: Roll,
    rules: Rules,
    breach: RuleBreach,
) -> Position | None:
    """`after` with one checker a pip or two off, so that a rule is broken; None if impossible."""
    results = _with_misplaced_checker(after, side)
    allowed = _reached(results, before, side, (roll,), rules) | {before}
    possible = _reached(results, before, side, ALL_ROLLS, rules)
    is_miscounted = breach is RuleBreach.MISCOUNTED
    found = [
        result
        for result in results
        if result not in allowed and (result in possible) == is_miscounted
    ]
    return found[int(rng.integers(len(found)))] if found else None


def _reached(
    results: list[Position], before: Position, side: Side, rolls: tuple[Roll, ...], rules: Rules
) -> set[Position]:
    """The results to which a play of one of the rolls leads, perhaps with others."""
    reached: set[Position] = set()
    for roll in rolls:
        plays = list_few_plays(before, side, roll, rules)
        if plays is None:
            reached |= {one for one in results if is_legal(before, side, roll, one, rules)}
        else:
            reached |= {play.position for play in plays}
    return reached


def _with_misplaced_checker(after: Position, side: Side) -> list[Position]:
    own, other = after.of(side), after.of(side.other)
    found = []
    for source in range(1, BAR):
        reach = range(source - MAX_MISPLACED_PIPS, source + MAX_MISPLACED_PIPS + 1)
        for target in reach:
            if not 1 <= target < BAR or target == source or not own[source]:
                continue
            if not other[after.course.across(target)]:
                vector = list(own)
                vector[source] -= 1
                vector[target] += 1
                found.append(after.with_sides(side, tuple(vector), other))
    return found
