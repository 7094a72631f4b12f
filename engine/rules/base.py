"""`Rules`: one variant as a value, with its data, and hooks that default to the standard game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.dice import Roll
from engine.errors import InvalidPosition
from engine.position import (
    BAR,
    CHECKERS,
    HOME_POINTS,
    OFF,
    PLACES,
    Course,
    Position,
    Side,
    SideVector,
)
from engine.rules.house import FOUR_MOVES, KUSH_MOVES, Doubles
from engine.rules.opposed import OpposedSearch
from engine.rules.search import PlaySearch
from engine.ruleset import NextStarter

_OPPOSED: Final = OpposedSearch()


class GameOutcome(NamedTuple):
    """How a game ended."""

    winner: Side
    points: int
    result: str


Scoring = Callable[[Position, Side, int], tuple[int, str]]
"""From a finished position, its loser and the loser's initial count of `off`, to the points and the
name of the result."""


def backgammon_score(position: Position, loser: Side, off_at_start: int) -> tuple[int, str]:
    """Three points with a checker on the bar or in the winner's home, two if none was borne off."""
    vector = position.of(loser)
    if vector[OFF] > off_at_start:
        return 1, "single"
    return (3, "backgammon") if any(vector[BAR - HOME_POINTS :]) else (2, "gammon")


def side_vector(points: Mapping[int, int]) -> SideVector:
    """26 counts with these points filled; every checker not named counts as borne off."""
    off = CHECKERS - sum(points.values())
    return tuple(off if place == OFF else points.get(place, 0) for place in range(PLACES))


@dataclass(frozen=True, slots=True)
class Rules:
    """One variant; the defaults are those of short backgammon."""

    name: str
    """The name in files and on the command line."""
    title: str
    """The name for people."""
    start: SideVector
    """Each side's starting position, in its own numbers."""
    course: Course = Course.OPPOSED
    holds: int = 2
    """Number of checkers that close a point to the opponent; fewer can be hit."""
    search: PlaySearch = _OPPOSED
    score: Scoring = backgammon_score
    doubles: Doubles = FOUR_MOVES
    """What a double gives besides its four moves."""
    next_starter: NextStarter = NextStarter.OPENING
    starter_rolls_again: bool = False
    """Whether the opening dice only decide who begins, and that player rolls again."""
    last_roll_draw: bool = False
    """Whether the second player gets one more roll after the first has finished, and may draw."""
    swap_colors: bool = False
    """Whether the players swap colors after each game."""
    has_cube: bool = True

    def opening(self) -> Position:
        """The starting position of every game."""
        return Position(self.start, self.start, self.course)

    def check_playable(self, position: Position) -> None:
        """Raise `InvalidPosition` for a position that no game of the variant reaches."""
        if position.course is not self.course:
            raise InvalidPosition(
                f"{self.title} needs a position with {self.course}, not {position.course}, as in "
                f"Position.parse(text, {self.course})"
            )
        if all(position.of(side)[OFF] == CHECKERS for side in Side):
            raise InvalidPosition("both sides have borne off all their checkers")
        off_at_start = self.start[OFF]
        for side in Side:
            vector = position.of(side)
            if self.course is Course.CIRCLING and vector[BAR]:
                raise InvalidPosition(
                    f"{side.value} has checkers on the bar, which {self.title} lacks"
                )
            if vector[OFF] < off_at_start:
                raise InvalidPosition(
                    f"{side.value} has {CHECKERS - vector[OFF]} checkers in play, but "
                    f"{self.title} is played with {CHECKERS - off_at_start}"
                )

    def outcome(self, position: Position) -> GameOutcome | None:
        """Who has won and how much; None if both sides have checkers in play."""
        for winner in Side:
            if position.of(winner)[OFF] == CHECKERS:
                points, result = self.score(position, winner.other, self.start[OFF])
                return GameOutcome(winner, points, result)
        return None

    def owes_last_throw(self, position: Position, starter: Side) -> bool:
        """Whether the second player may still roll once, after the starter has finished."""
        finished = position.of(starter)[OFF] == CHECKERS
        return self.last_roll_draw and finished and not self.is_drawn(position)

    def is_drawn(self, position: Position) -> bool:
        """Whether both have finished: half a point each, or one, depending on the tournament."""
        return self.last_roll_draw and all(position.of(side)[OFF] == CHECKERS for side in Side)

    def starter_after(self, winner: Side, starter: Side) -> Side | None:
        """Who begins the next game; None if the opening roll decides."""
        return {
            NextStarter.OPENING: None,
            NextStarter.WINNER: winner,
            NextStarter.PREVIOUS_SECOND: starter.other,
        }[self.next_starter]

    def pips_to_play(self, roll: Roll) -> tuple[int, ...]:
        """The numbers to play, at most: those of the roll, and all to which a double rises."""
        if not (self.doubles.rising and roll.is_double):
            return roll.pips
        return tuple(number for number in range(roll.high, 7) for _ in range(KUSH_MOVES))

    def rolls_again(self, roll: Roll, unplayed: Sequence[int], own: SideVector) -> bool:
        """Whether the mover rolls once more after leaving these numbers unplayed.

        own: the mover's counts; who has borne off all checkers has nothing to roll for.
        """
        has_any = own[OFF] < CHECKERS
        return self.doubles.rolls_again and roll.is_double and not unplayed and has_any
