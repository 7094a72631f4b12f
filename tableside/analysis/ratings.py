"""What every engine gives: plays and cube actions, rated in cubeful equities."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, Protocol

from engine.arrays import Boards, Floats
from engine.study.cubeful import CubeEquities, Stake


class Depth(Enum):
    """How far to look beyond the best play of each roll."""

    NONE = auto()
    ENGINE = auto()
    """One ply, without the cube."""
    CUBE = auto()
    """One ply with the cube, which can take ten times as long."""


class Rated(NamedTuple):
    """Plays, as the player who makes them sees what follows."""

    equities: Floats
    """(N,)"""
    chances: Floats
    """(N, 5)"""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What awaits the player on roll who does not double."""

    by_roll: Floats
    """(21,): the equity after the best play of each of `ALL_ROLLS`."""
    chances: Floats
    """(5,)"""


@dataclass(frozen=True, slots=True)
class CubeActions:
    """The cube actions of the player on roll."""

    equities: CubeEquities
    """Each (1,)."""
    kept: Outlook


class Rater(Protocol):
    """Rates the positions of one variant."""

    def rate(self, boards: Boards, stake: Stake) -> Rated:
        """Rate plays at a glance. boards: (N, 2, 26), after the play, its player first.

        stake: as that player sees it.
        """

    def rate_well(self, boards: Boards, stake: Stake) -> Rated:
        """Rate plays by looking at every answer."""

    def cube(self, board: Boards, stake: Stake, depth: Depth = Depth.CUBE) -> CubeActions:
        """Rate the cube actions of the player on roll, who comes first in `board` (2, 26)."""


class Engine(Protocol):
    """A backgammon engine."""

    name: str
    """With its version; part of the key of every answer."""

    def rater(self, variant: str) -> Rater:
        """What rates the positions of a variant."""

    def close(self) -> None:
        """Release what it uses."""
