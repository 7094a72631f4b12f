"""The legal-play search at native speed; slow twin and proof: tests/naive.py.

A board is (2, 26) int8, the mover's side vector first, own point p lying over the
opponent's 25 - p. A packed move is one byte, `die << 5 | source`; a play is up to four of
them in the order that they were made, the first in the lowest byte.

No result is found twice, without sorting or hashing:

- A double is searched with sources that never rise. Every play of equal dice can be made in
  that order, and two different lists of sources never end alike.
- Two different dice are searched in both orders. Plays that end alike use the same sources
  with the dice exchanged, or are one checker's way by either touch-down point, so a small
  table indexed by `_pair_key` knows every result that is already listed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

Boards = NDArray[np.int8]
Numbers = NDArray[np.int64]
_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])

_BAR = 25
_HOME = 6
_MAX_MOVES = 4
_CHAINS = 26 * 26
"""First index of the one-checker plays in the table; the pairs of sources come before."""
_TABLE = _CHAINS + 3 * 26
_FULL = -1
"""Returned in place of a row number when the output has no room."""


def _compiled(function: _Kernel) -> _Kernel:
    return cast(_Kernel, numba.njit(cache=True)(function))


@_compiled
def legal_batch(
    boards: Boards, dice: Boards, first: int, results: Boards, moves: Numbers, offsets: Numbers
) -> int:
    """List every distinct result of boards `first`..; the first board that did not fit.

    boards: (P, 2, 26) int8; dice: (P, 2) int8, the larger first. The results of board i are
    `results[offsets[i]:offsets[i + 1]]`, (N, 2, 26) int8, packed plays in `moves`, (N,) int64;
    `offsets[first]` is read. A board where nothing can be played gives itself and an empty play.
    """
    seen = np.zeros(_TABLE, np.int64)
    path = np.zeros(_MAX_MOVES, np.int64)
    board = np.empty((2, 26), np.int8)
    for i in range(first, len(boards)):
        board[:] = boards[i]
        high, low = dice[i, 0], dice[i, 1]
        if high == low:
            end = _double(board, high, results, moves, offsets[i], path)
        else:
            end = _two_dice(board, high, low, results, moves, offsets[i], seen, i + 1)
        if end == offsets[i]:
            end = _pass(board, results, moves, end)
        if end == _FULL:
            return i
        offsets[i + 1] = end
    return len(boards)


@_compiled
def _target(board: Boards, source: int, die: int) -> int:
    """Where the die takes a checker of `source`, 0 = off; -1 if it may not move."""
    own = board[0]
    if own[source] == 0 or (source != _BAR and own[_BAR] > 0):
        return -1
    target = source - die
    if target > 0:
        return -1 if board[1, 25 - target] >= 2 else target
    lowest_bar_to_bearing_off = _HOME + 1 if target == 0 else source + 1
    for place in range(lowest_bar_to_bearing_off, _BAR + 1):
        if own[place] > 0:
            return -1
    return 0


@_compiled
def _move(board: Boards, source: int, target: int) -> bool:
    """Move one checker and hit what stands alone; whether it hit."""
    board[0, source] -= 1
    board[0, target] += 1
    hit = target > 0 and board[1, 25 - target] == 1
    if hit:
        board[1, 25 - target] = 0
        board[1, _BAR] += 1
    return hit


@_compiled
def _undo(board: Boards, source: int, target: int, hit: bool) -> None:
    board[0, source] += 1
    board[0, target] -= 1
    if hit:
        board[1, 25 - target] = 1
        board[1, _BAR] -= 1


@_compiled
def _add(board: Boards, source: int, target: int, results: Boards, row: int) -> None:
    """Write the board after one more move to `results[row]`."""
    result = results[row]
    for place in range(26):
        result[0, place] = board[0, place]
        result[1, place] = board[1, place]
    _move(result, source, target)


@_compiled
def _pass(board: Boards, results: Boards, moves: Numbers, row: int) -> int:
    if row == len(results):
        return _FULL
    results[row] = board
    moves[row] = 0
    return row + 1


@_compiled
def _two_dice(
    board: Boards,
    high: int,
    low: int,
    results: Boards,
    moves: Numbers,
    row: int,
    seen: Numbers,
    stamp: int,
) -> int:
    end = _in_order(board, high, low, results, moves, row, seen, stamp)
    if end != _FULL:
        end = _in_order(board, low, high, results, moves, end, seen, -stamp)
    if end == row:
        end = _single(board, high, results, moves, row)
    if end == row:
        end = _single(board, low, results, moves, row)
    return end


@_compiled
def _in_order(
    board: Boards,
    first: int,
    second: int,
    results: Boards,
    moves: Numbers,
    row: int,
    seen: Numbers,
    stamp: int,
) -> int:
    """Add the plays of `first` and then `second` that are not listed yet."""
    for source in range(_BAR, 0, -1):
        target = _target(board, source, first)
        if target < 0:
            continue
        hit = _move(board, source, target)
        for other in range(_BAR, 0, -1):
            end = _target(board, other, second)
            if end < 0:
                continue
            key = _pair_key(source, target, other, end, hit, stamp)
            if seen[key] == abs(stamp):
                continue
            seen[key] = abs(stamp)
            if row == len(results):
                _undo(board, source, target, hit)
                return _FULL
            _add(board, other, end, results, row)
            moves[row] = (first << 5 | source) | (second << 5 | other) << 8
            row += 1
        _undo(board, source, target, hit)
    return row


@_compiled
def _pair_key(source: int, target: int, other: int, end: int, hit: bool, stamp: int) -> int:
    """The table index of a play of two different dice; plays that end alike share one.

    A negative stamp says that the smaller die was played first.
    """
    if target == other:
        way = 0 if not hit else (1 if stamp > 0 else 2)
        return _CHAINS + 3 * source + way
    if end == source:
        return _CHAINS + 3 * other
    if target == 0 and end == 0:
        return 26 * max(source, other) + min(source, other)
    return 26 * source + other if stamp > 0 else 26 * other + source


@_compiled
def _single(board: Boards, die: int, results: Boards, moves: Numbers, row: int) -> int:
    """Add every play of this one die."""
    for source in range(_BAR, 0, -1):
        target = _target(board, source, die)
        if target >= 0:
            if row == len(results):
                return _FULL
            _add(board, source, target, results, row)
            moves[row] = die << 5 | source
            row += 1
    return row


@_compiled
def _double(
    board: Boards, die: int, results: Boards, moves: Numbers, row: int, path: Numbers
) -> int:
    """Add every play of as many equal dice as can be played at all."""
    for depth in range(_MAX_MOVES, 0, -1):
        end = _falling(board, die, depth, results, moves, row, path)
        if end != row:
            return end
    return row


@_compiled
def _falling(
    board: Boards, die: int, depth: int, results: Boards, moves: Numbers, row: int, path: Numbers
) -> int:
    """Add every play of exactly `depth` moves whose sources never rise."""
    level = 0
    hits = 0
    packed = 0
    path[0] = _BAR
    while level >= 0:
        source = path[level]
        target = _target(board, source, die) if source > 0 else -1
        if target >= 0 and level == depth - 1:
            if row == len(results):
                return _FULL
            _add(board, source, target, results, row)
            moves[row] = packed | (die << 5 | source) << 8 * level
            row += 1
        elif target >= 0:
            hits |= _move(board, source, target) << level
            packed |= (die << 5 | source) << 8 * level
            level += 1
            path[level] = source
            continue
        while level >= 0 and path[level] <= 1:
            level -= 1
            if level >= 0:
                source = path[level]
                _undo(board, source, max(0, source - die), bool(hits >> level & 1))
                hits &= ~(1 << level)
                packed &= (1 << 8 * level) - 1
        if level >= 0:
            path[level] -= 1
    return row
