"""The midgame turns whose legal results are listed, in each program's input format."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.dice import Roll
from engine.position import OFF, PLACES, Position, Side
from engine.rules import SHORT
from engine.rules.legal import legal_plays

TURNS: Final = 2_000
_SEED: Final = 20
_FIRST_PLY: Final = 6

Turn = tuple[Position, Roll]


@dataclass(frozen=True, slots=True)
class MidgameTurns:
    """Turns with light on roll; each method lists the distinct legal results of all of them."""

    turns: tuple[Turn, ...]
    boards: NDArray[np.int8]
    """(P, 2, 26)"""
    dice: NDArray[np.int8]
    """(P, 2)"""
    gnubg_turns: list[tuple[Any, int, int]]
    """25 counts for each side: its own points 1..24, then the bar."""

    def search_arrays(self) -> object:
        """List the results of all turns in one call, from arrays to arrays."""
        return SHORT.search(self.boards, self.dice)

    def call_api(self) -> object:
        """Call `legal_plays` once per turn: all results, without building any `Play`."""
        return [legal_plays(position, Side.LIGHT, roll, SHORT) for position, roll in self.turns]

    def call_gnubg(self) -> object:
        """Call gnubg_nn once per turn; it returns the number of results."""
        import gnubg_nn

        return [len(gnubg_nn.moves(*turn)) for turn in self.gnubg_turns]


def midgame_turns(count: int = TURNS) -> MidgameTurns:
    """Turns of random play, the same every time."""
    turns = random_turns(count)
    boards = np.array([(position.light, position.dark) for position, _ in turns], np.int8)
    dice = np.array([(roll.high, roll.low) for _, roll in turns], np.int8)
    gnubg_turns = [
        ([list(position.dark[1:]), list(position.light[1:])], roll.high, roll.low)
        for position, roll in turns
    ]
    return MidgameTurns(turns, boards.reshape(-1, 2, PLACES), dice, gnubg_turns)


def random_turns(count: int) -> tuple[Turn, ...]:
    """Turns of random play, from the seventh ply on and while there is contact.

    Light is on roll, and nobody has borne off.
    """
    chance = random.Random(_SEED)  # noqa: S311 (a fixed list, no secret)
    turns: list[Turn] = []
    while len(turns) < count:
        position, ply = SHORT.opening(), 0
        while position.has_contact and not position.light[OFF] + position.dark[OFF]:
            roll = Roll(chance.randint(1, 6), chance.randint(1, 6))
            if ply >= _FIRST_PLY:
                turns.append((position, roll))
            after = chance.choice(legal_plays(position, Side.LIGHT, roll, SHORT)).position
            position, ply = Position(after.dark, after.light), ply + 1
    return tuple(turns[:count])
