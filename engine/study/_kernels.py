"""The rolls that bearing off takes, at native speed; slow reference: `tests/naive_bearoff.py`.

A home board is six counts, from the ace point. It is numbered by the positions of its six dividers
among its checkers (combinatorial number system): a move lowers the number, so that the boards can
be worked out in order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from engine.arrays import Floats, Ints

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])
_HOME = 6
_MAX_MOVES = 4


def _compiled(function: _Kernel) -> _Kernel:
    return cast(_Kernel, numba.njit(cache=True)(function))


@_compiled
def count_rolls(boards: int, chosen: Ints) -> Floats:
    """The mean number of rolls for each of the first `boards` boards, played to end soonest.

    `chosen[n, k]` is the number of ways to choose k of n.
    """
    rolls = np.zeros(boards, np.float64)
    board = np.zeros(_HOME, np.int64)
    for number in range(1, boards):
        _lay_out(number, chosen, board)
        total = 0.0
        for high in range(1, _HOME + 1):
            total += _least(board, high, _MAX_MOVES, rolls, chosen)
            for low in range(1, high):
                first = _least_of_two(board, high, low, rolls, chosen)
                total += 2 * min(first, _least_of_two(board, low, high, rolls, chosen))
        rolls[number] = 1 + total / 36
    return rolls


@_compiled
def board_number(board: Ints, chosen: Ints) -> int:
    """The number of a board of six counts."""
    number, behind = 0, 0
    for place in range(_HOME):
        behind += board[_HOME - 1 - place]
        number += chosen[behind + place, place + 1]
    return number


@_compiled
def _lay_out(number: int, chosen: Ints, board: Ints) -> None:
    """Write the board with this number."""
    divider = chosen.shape[0]
    above = divider
    for place in range(_HOME - 1, -1, -1):
        divider -= 1
        while chosen[divider, place + 1] > number:
            divider -= 1
        number -= chosen[divider, place + 1]
        if place < _HOME - 1:
            board[_HOME - 2 - place] = above - divider - 1
        above = divider
    board[_HOME - 1] = above


@_compiled
def _least_of_two(board: Ints, first: int, second: int, rolls: Floats, chosen: Ints) -> float:
    """The least of `rolls` after these two dice in this order."""
    least = np.inf
    top = _top(board)
    for source in range(top, 0, -1):
        if _can_move(board, source, first, top):
            _move(board, source, first, 1)
            least = min(least, _least(board, second, 1, rolls, chosen))
            _move(board, source, first, -1)
    return least


@_compiled
def _least(board: Ints, die: int, count: int, rolls: Floats, chosen: Ints) -> float:
    """The least of `rolls` after `count` such dice, played from sources that never rise."""
    # Without recursion, because numba's cache does not keep recursive functions whole.
    sources = np.zeros(_MAX_MOVES, np.int64)
    depth, source, least = 0, _HOME, np.inf
    while True:
        top = _top(board)
        if depth == count or top == 0:
            least = min(least, rolls[board_number(board, chosen)])
            source = 0
        source = min(source, top)
        while source > 0 and not _can_move(board, source, die, top):
            source -= 1
        if source > 0:
            _move(board, source, die, 1)
            sources[depth] = source
            depth += 1
        elif depth == 0:
            return least
        else:
            depth -= 1
            _move(board, sources[depth], die, -1)
            source = sources[depth] - 1


@_compiled
def _top(board: Ints) -> int:
    for point in range(_HOME, 0, -1):
        if board[point - 1]:
            return point
    return 0


@_compiled
def _can_move(board: Ints, source: int, die: int, top: int) -> bool:
    return board[source - 1] > 0 and (source >= die or source == top)


@_compiled
def _move(board: Ints, source: int, die: int, count: int) -> None:
    board[source - 1] -= count
    if source > die:
        board[source - die - 1] += count
