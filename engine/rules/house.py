"""`HouseRules`: what narde houses agree or differ on, as named options."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from engine.dice import Roll

HEAD: Final = 24
"""The point where a side's checkers start in narde."""
KUSH_MOVES: Final = 4
Pips = tuple[int, int]
"""A roll, the larger number first."""
FIRST_DOUBLES: Final = frozenset({(6, 6), (4, 4), (3, 3)})
"""The first rolls that a single checker cannot play past the opponent's head."""


class TurnContext(NamedTuple):
    """What a turn's rules need to know of the game so far; None: inferred from the position."""

    first_turn: bool | None = None
    """Whether it is this player's first turn of the game."""
    opponent_first_roll: Pips | None = None
    """The opponent's first roll; None also if there has been none."""


UNKNOWN: Final = TurnContext()


class SixPrime(Enum):
    """When six points in a row may be held."""

    ANY = 0
    AHEAD = 1
    """Only with an opposing checker ahead of the row or borne off."""
    HOME = 2
    """Only with an opposing checker in its home or borne off."""
    FEVGA = 3
    """Never on the own starting quarter, nor in front of all fifteen."""


class HomeMoves(Enum):
    """Whether checkers may move inside home."""

    ALWAYS = 0
    UNTIL_HOME = 1
    """Until the last checker has come home."""
    NEVER = 2


class LeftoverMoves(Enum):
    """Which of the mover's impossible moves of a double the opponent must make."""

    NOTHING = "nothing"
    KUSH = "kush"
    """The rest of the four (gulbar)."""
    STARTED_KUSH = "started_kush"
    """The rest of a four of which at least one was made (giul)."""
    CHAIN = "chain"
    """The rest of the four and every higher four (crazy gulbar)."""


@dataclass(frozen=True, slots=True)
class Doubles:
    """What a double gives; a kush is four equal moves."""

    rising: bool = False
    """Whether d is followed by d + 1 .. 6, four moves each, while each four is completed."""
    one_kush_more: bool = False
    """Whether one more kush follows if the last checker came home on a kush's fourth move."""
    passing: LeftoverMoves = LeftoverMoves.NOTHING
    rolls_again: bool = False
    """Whether a completed double gives another roll."""


FOUR_MOVES: Final = Doubles()


@dataclass(frozen=True, slots=True)
class HouseRules:
    """One house's narde options; the defaults are long narde's, see docs/reference/rules.md."""

    heads: int = 1
    """How many checkers may leave the head in one turn; 0 for any number."""
    heads_each_kush: bool = False
    """Whether the head rule applies separately to each four moves of a double."""
    second_head: frozenset[Pips] = FIRST_DOUBLES
    """First rolls that allow a second head checker if one checker cannot play all of them."""
    second_head_after: frozenset[tuple[Pips, Pips]] = frozenset()
    """(the opponent's first roll, the own): further pairs that allow one."""
    one_head_after: frozenset[tuple[Pips, Pips]] = frozenset()
    """Pairs that do not allow one after all."""
    block: SixPrime = SixPrime.AHEAD
    in_passing: bool = True
    """Whether the block rule applies after every move; otherwise only at the end of the turn."""
    exact: bool = False
    """Whether a checker can be borne off only with the die of its point."""
    inside: HomeMoves = HomeMoves.ALWAYS
    one_runner: bool = False
    """Whether only one checker moves until it has passed the opponent's head (Fevga)."""
    doubles: Doubles = FOUR_MOVES

    @property
    def depends_on_first_roll(self) -> bool:
        """Whether what the opponent rolled first decides how many may leave the head."""
        return bool(self.second_head_after or self.one_head_after)

    def gives_second_head(self, roll: Pips, opponents: frozenset[Pips] | None) -> bool:
        """Whether a first `roll` allows a second head checker after one of the `opponents` rolls.

        None: the opponent has not rolled.
        """
        pairs = {(first, roll) for first in opponents or ()}
        if pairs & self.second_head_after:
            return True
        return roll in self.second_head and not (pairs and pairs <= self.one_head_after)


CLASSIC: Final = HouseRules()
"""The defaults, without any preset's additions."""


def as_pips(roll: Roll) -> Pips:
    """The roll as a plain pair."""
    return roll.high, roll.low
