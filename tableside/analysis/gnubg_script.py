"""What GNU Backgammon runs for `program_engine`: it answers the questions that come line by line.

Only GNU Backgammon's own Python can run it; the module `gnubg` exists nowhere else. A board has the
25 counts of the player on roll last, as there.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

import gnubg

GLANCE: Final = gnubg.evalcontext(1, 0, 1, 0, 0.0)
DEEP: Final = gnubg.evalcontext(1, 2, 1, 0, 0.0)
ROLLS: Final = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
BAR: Final = 24
Sides = tuple[tuple[int, ...], ...]


def rated(boards: list[Sides], stake: Any, *, is_deep: bool) -> list[Any]:
    """Equity and chances of each board, for the player on roll."""
    depth = DEEP if is_deep else GLANCE
    return [
        [gnubg.cfevaluate(board, stake, depth)[0], gnubg.evaluate(board, stake, depth)[:5]]
        for board in boards
    ]


def cube(board: Sides, stake: Any, other: Any) -> list[Any]:
    """The cube actions, the chances, and the equity after the best play of each roll."""
    actions = gnubg.cfevaluate(board, stake, DEEP)[1:4]
    chances = gnubg.evaluate(board, stake, DEEP)[:5]
    return [actions, chances, [after_roll(board, stake, other, dice) for dice in ROLLS]]


def after_roll(board: Sides, stake: Any, other: Any, dice: tuple[int, int]) -> float | None:
    """The equity after the best play of a roll; `other`: the stake as the opponent sees it.

    None if the game is won.
    """
    after = played(board, gnubg.findbestmove(board, stake, GLANCE, dice) or ())
    if not any(after[1]):
        return None
    return -float(gnubg.cfevaluate((after[1], after[0]), other, GLANCE)[0])


def played(board: Sides, moves: tuple[int, ...]) -> Sides:
    """The board after the moves: from, to, from, to; 25 is the bar and 0 off."""
    theirs, ours = list(board[0]), list(board[1])
    for source, target in zip(moves[::2], moves[1::2], strict=True):
        ours[source - 1] -= 1
        if target > 0:
            ours[target - 1] += 1
            if theirs[BAR - target]:
                theirs[BAR - target] -= 1
                theirs[BAR] += 1
    return tuple(theirs), tuple(ours)


def stake_of(
    value: int, owner: int, length: int, score: list[int], is_crawford: int, has_jacoby: int
) -> Any:
    """GNU Backgammon's cube and score; the player on roll is 0."""
    stake = gnubg.cubeinfo(value, owner, 0, length, tuple(score), is_crawford, 0)
    stake["jacoby"] = has_jacoby
    return stake


def board_of(sides: list[list[int]]) -> Sides:
    """A board as GNU Backgammon takes it."""
    return tuple(map(tuple, sides))


def answer(asked: dict[str, Any]) -> list[Any]:
    """The answer to one question."""
    stake = stake_of(*asked["stake"])
    if "boards" in asked:
        return rated(list(map(board_of, asked["boards"])), stake, is_deep=asked["deep"])
    return cube(board_of(asked["board"]), stake, stake_of(*asked["other"]))


sys.stdout.write("= ready\n")
sys.stdout.flush()
for line in sys.stdin:
    sys.stdout.write("= " + json.dumps(answer(json.loads(line))) + "\n")
    sys.stdout.flush()
