"""`Snapshot`: one moment of a match, as the position ids of other programs describe it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from numbers import Integral
from typing import Final

from engine.formats.model.errors import InvalidId
from engine.position import Position, Side

MAX_SCORE: Final = 2**15 - 1
"""Scores and lengths have 15 bits in a Match ID."""
MAX_CUBE_LOG: Final = 15
XG_CUBE_LOG: Final = 10
"""XG's usual largest cube, 1,024."""


class GameStage(IntEnum):
    """The stage of the game, with the numbers of the Match ID."""

    NONE = 0
    PLAYING = 1
    OVER = 2
    RESIGNED = 3
    DROPPED = 4


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Board, dice, cube and score at one moment.

    Light is gnubg's player 0 (O) and XG's top player; dark is player 1 (X), the bottom.
    """

    position: Position
    on_roll: Side
    """Who rolls or has rolled; if a double is offered, who offered it."""
    dice: tuple[int, int] | None = None
    """In the order rolled; None before the roll."""
    cube: int = 1
    owner: Side | None = None
    is_doubled: bool = False
    """A double, beaver or raccoon is offered; `cube` is the value before it."""
    to_act: Side | None = None
    """Who decides; None for the player on roll, or the opponent of the player who doubled."""
    resigned: int = 0
    """A resignation is offered: 1 single, 2 gammon, 3 backgammon."""
    stage: GameStage = GameStage.PLAYING
    length: int = 0
    """Match length in points; 0 for a money game."""
    score: tuple[int, int] = (0, 0)
    """Light's and dark's points."""
    is_crawford: bool = False
    has_jacoby: bool = False
    has_beavers: bool = True
    """For money games; not in a Match ID, and gnubg allows them by default."""
    most_cube_log: int = XG_CUBE_LOG

    def __post_init__(self) -> None:
        for fault in _faults(self):
            raise InvalidId(fault)

    @property
    def decider(self) -> Side:
        """Who must act now."""
        if self.to_act is not None:
            return self.to_act
        return self.on_roll.other if self.is_doubled else self.on_roll

    @property
    def cube_log(self) -> int:
        """The cube as a power of two."""
        return self.cube.bit_length() - 1


def _faults(state: Snapshot) -> list[str]:
    log = state.cube.bit_length() - 1
    if not isinstance(state.on_roll, Side):
        return [f"on_roll must be Side.LIGHT or Side.DARK, not {state.on_roll!r}"]
    numbers = (state.length, *state.score)
    if not all(isinstance(one, Integral) for one in (*numbers, state.cube, state.resigned)):
        return ["lengths, scores, cubes and resignations are whole numbers"]
    checks = {
        f"a cube shows a power of two up to 2^{MAX_CUBE_LOG}, not {state.cube}": (
            0 < state.cube == 1 << log and log <= MAX_CUBE_LOG
        ),
        f"dice show 1 to 6, not {state.dice}": all(1 <= die <= 6 for die in state.dice or ()),
        f"a score or length is 0 to {MAX_SCORE}": all(0 <= n <= MAX_SCORE for n in numbers),
        f"a resignation is 0 to 3, not {state.resigned}": 0 <= state.resigned <= 3,
        "money play has no Crawford game": state.length > 0 or not state.is_crawford,
    }
    return [what for what, is_fine in checks.items() if not is_fine]
