"""The legal-play search at native speed; slow reference and proof: tests/naive.py.

A board is 52 int8 counts: the mover's side vector followed by the opponent's, so that own point p
corresponds to cell 51 - p. A packed move is one byte, `die << 5 | source`; a play is up to four of
them in the order in which they were made, the first in the lowest byte. A set of places is an
integer with bit p for place p, so that one shift gives every source that a die can play.

No result is found twice, without sorting or hashing:

- A double is searched with non-increasing sources. Every play of equal dice can be made in
  that order, and two different lists of sources never lead to the same result.
- Two different dice are searched in both orders, the second time only for plays that the
  first order cannot make. Plays with different sources have the same result in two cases,
  which `_alike` numbers: one checker via either intermediate point, and two borne off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from engine.arrays import Boards, Ints, Ints8
from engine.rules.search import DIE_SHIFT, MOVE_BITS, SOURCE_MASK

Pair = tuple[int, int]
_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])

_CELLS = 52
_BAR = 25
_OTHER_BAR = 51
_BAR_BIT = 1 << _BAR
_POINTS = _BAR_BIT - 2
_BEYOND_HOME = 1 << 7
_MAX_MOVES = 4
_FULL = -1
"""Returned instead of a row number if the output has no room."""


def _compiled(function: _Kernel) -> _Kernel:
    return cast(_Kernel, numba.njit(cache=True, forceinline=True)(function))


def _count_leading(_context: Any, number: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ctlz(values[0], cgutils.false_bit)

    return types.int64(number), generate


def _copy_row(_context: Any, target: Any, to_row: Any, source: Any, from_row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        cells = context.get_constant(types.int64, _CELLS)
        ends = [
            builder.gep(
                context.make_array(signature.args[i])(context, builder, values[i]).data,
                [builder.mul(values[i + 1], cells)],
            )
            for i in (0, 2)
        ]
        copy: Any = cgutils.raw_memcpy
        copy(builder, *ends, cells, 1)
        return context.get_dummy_value()

    return types.void(target, to_row, source, from_row), generate


def _where_taken(_context: Any, board: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        cells = context.make_array(signature.args[0])(context, builder, values[0]).data
        taken = _compared(builder, ">", cells, 0)
        landing = _compared(builder, "<", builder.gep(cells, [ir.IntType(64)(20)]), 2)
        masks = [builder.zext(m, ir.IntType(64)) for m in (taken, builder.bitreverse(landing))]
        return context.make_tuple(builder, signature.return_type, masks)

    masks: Any = types.UniTuple
    return masks(types.int64, 2)(board), generate


def _compared(builder: Any, sign: str, cells: Any, count: int) -> Any:
    """Bit i: how the i-th of 32 cells compares with the count."""
    vector = ir.VectorType(ir.IntType(8), 32)
    loaded = builder.load(builder.bitcast(cells, vector.as_pointer()), align=1)
    is_so = builder.icmp_signed(sign, loaded, ir.Constant(vector, [count] * 32))
    return builder.bitcast(is_so, ir.IntType(32))


_leading_zeros = cast(Callable[[int], int], intrinsic(_count_leading))
"""The zero bits above the highest set bit of an int64: one machine instruction."""
_taken = cast(Callable[[Boards], Pair], intrinsic(_where_taken))
"""Bit p where own cell p is not empty, and where the opponent has fewer than two checkers on own
point p: one comparison of 32 cells each, 50 ns per board less than a loop."""
_copy = cast(Callable[[Boards, int, Boards, int], None], intrinsic(_copy_row))
"""Copy a board from row to row in a few vector moves: 9 ns less than a loop."""


@_compiled
def legal_batch(
    boards: Boards, dice: Ints8, first: int, results: Boards, moves: Ints, offsets: Ints
) -> int:
    """List every distinct result of boards `first`..; return the first board that did not fit.

    boards: (P, 52) int8; dice: (P, 2) int8, larger first. The results of board i are
    `results[offsets[i]:offsets[i + 1]]`, (N, 52) int8, with packed plays in `moves`, (N,) int64;
    `offsets[first]` is read. A board without a possible move yields itself and an empty play.
    """
    stack = np.zeros((3, _MAX_MOVES), np.int64)
    board = np.empty(_CELLS, np.int8)
    for i in range(first, len(boards)):
        _copy(board, 0, boards, i)
        pips = (int(dice[i, 0]), int(dice[i, 1]))
        end = _every_play(board, pips, results, moves, offsets[i], stack)
        if end == _FULL:
            return i
        offsets[i + 1] = end
    return len(boards)


@_compiled
def legal_one(counts: bytes, high: int, low: int, results: Boards, moves: Ints) -> int:
    """List every distinct result of one board, 52 bytes; return their number, or -1 if too many.

    Bytes, because they are cheaper to make and to pass than an array.
    """
    stack = np.zeros((3, _MAX_MOVES), np.int64)
    board = np.empty(_CELLS, np.int8)
    for cell in range(_CELLS):
        board[cell] = counts[cell]
    return _every_play(board, (high, low), results, moves, 0, stack)


@_compiled
def _every_play(
    board: Boards, dice: Pair, results: Boards, moves: Ints, row: int, stack: Ints
) -> int:
    """Add every distinct result of one board; return the next row or `_FULL`."""
    places = _places(board)
    high, low = dice
    if high == low:
        end = _double(board, places, high, results, moves, row, stack)
    else:
        end = _two_dice(board, places, dice, results, moves, row)
    return _add(board, 0, 0, results, moves, end, 0) if end == row else end


@_compiled
def _places(board: Boards) -> Pair:
    """The mover's places, including the bar, and the points where the mover may land."""
    held, landing = _taken(board)
    return held & (_POINTS | _BAR_BIT), landing & _POINTS


@_compiled
def _highest(places: int) -> int:
    """The highest place in a nonempty set."""
    return 63 - _leading_zeros(places)


@_compiled
def _sources(places: Pair, die: int) -> int:
    """The places from which the die can be played."""
    held, landing = places
    if held & _BAR_BIT:
        return landing << die & _BAR_BIT
    sources = held & landing << die
    if 0 < held < _BEYOND_HOME:
        if held >> die & 1:
            sources |= 1 << die
        elif held >> die == 0:
            sources |= 1 << _highest(held)
    return sources


@_compiled
def _places_after(board: Boards, places: Pair, source: int, target: int) -> Pair:
    """The places after a checker has gone from `source` to `target`; `board` is as before."""
    held, landing = places
    if board[source] == 1:
        held ^= 1 << source
    return held | (1 << target & ~1), landing


@_compiled
def _move(board: Boards, source: int, target: int) -> int:
    """Move one checker and hit a blot, if any; return 1 if it hit, else 0."""
    board[source] -= 1
    board[target] += 1
    if target > 0 and board[51 - target] == 1:
        board[51 - target] = 0
        board[_OTHER_BAR] += 1
        return 1
    return 0


@_compiled
def _undo(board: Boards, source: int, target: int, hit: int) -> None:
    board[source] += 1
    board[target] -= 1
    if hit:
        board[51 - target] = 1
        board[_OTHER_BAR] -= 1


@_compiled
def _add(
    board: Boards, source: int, target: int, results: Boards, moves: Ints, row: int, packed: int
) -> int:
    """Write the board after one more move; return the next row, or `_FULL` if there is no row."""
    if row == len(results):
        return _FULL
    _copy(results, row, board, 0)
    _move(results[row], source, target)
    moves[row] = packed
    return row + 1


@_compiled
def _two_dice(
    board: Boards, places: Pair, dice: Pair, results: Boards, moves: Ints, row: int
) -> int:
    """Add every play of two different dice, or of one if both cannot be played."""
    high, low = dice
    end, known = _in_order(board, places, (high, low), 0, results, moves, row, 0)
    if end != _FULL:
        end, known = _in_order(
            board, places, (low, high), _sources(places, high), results, moves, end, known
        )
    if end == row:
        end = _single(board, places, high, results, moves, row)
    if end == row:
        end = _single(board, places, low, results, moves, row)
    return end


@_compiled
def _in_order(
    board: Boards,
    places: Pair,
    dice: Pair,
    skip: int,
    results: Boards,
    moves: Ints,
    row: int,
    known: int,
) -> Pair:
    """Add the plays of one die and then the other, the second from no place in `skip`.

    Returns the next row, and `known` with the added plays whose results others may share.
    """
    first, second = dice
    left = _sources(places, first)
    while left:
        source = _highest(left)
        left ^= 1 << source
        target = max(0, source - first)
        replies = _sources(_places_after(board, places, source, target), second) & ~skip
        if not replies:
            continue
        hit = _move(board, source, target)
        while replies:
            reply = _highest(replies)
            replies ^= 1 << reply
            goal = max(0, reply - second)
            alike = _alike(source, target, reply, goal, hit)
            if known & alike:
                continue
            known |= alike
            packed = first << DIE_SHIFT | source | (second << DIE_SHIFT | reply) << MOVE_BITS
            row = _add(board, reply, goal, results, moves, row, packed)
            if row == _FULL:
                return row, known
        _undo(board, source, target, hit)
    return row, known


@_compiled
def _alike(source: int, target: int, reply: int, goal: int, hit: int) -> int:
    """The bit, below the 63rd, for the kind of plays with equal results; 0 if none is equal."""
    if target == 0 and goal == 0:
        return 1 << 20 + 6 * max(source, reply) + min(source, reply)
    if target == reply and not hit:
        return 1 << source
    return 1 << reply if goal == source else 0


@_compiled
def _single(board: Boards, places: Pair, die: int, results: Boards, moves: Ints, row: int) -> int:
    """Add every play of this single die."""
    sources = _sources(places, die)
    while sources and row != _FULL:
        source = _highest(sources)
        sources ^= 1 << source
        row = _add(
            board, source, max(0, source - die), results, moves, row, die << DIE_SHIFT | source
        )
    return row


@_compiled
def _double(
    board: Boards, places: Pair, die: int, results: Boards, moves: Ints, row: int, stack: Ints
) -> int:
    """Add every play of as many of the equal dice as can be played at all."""
    for depth in range(_MAX_MOVES, 0, -1):
        end = _falling(board, places, die, depth, results, moves, row, stack)
        if end != row:
            return end
    return row


@_compiled
def _falling(
    board: Boards,
    places: Pair,
    die: int,
    depth: int,
    results: Boards,
    moves: Ints,
    row: int,
    stack: Ints,
) -> int:
    """Add every play of exactly `depth` moves with non-increasing sources."""
    held, left, made = stack[0], stack[1], stack[2]
    held[0], left[0] = places[0], _sources(places, die)
    level, packed = 0, 0
    while level >= 0 and row != _FULL:
        shift = MOVE_BITS * level
        if left[level] == 0:
            level -= 1
            if level >= 0:
                source = packed >> MOVE_BITS * level & SOURCE_MASK
                packed &= (1 << MOVE_BITS * level) - 1
                _undo(board, source, max(0, source - die), made[level])
            continue
        source = _highest(left[level])
        left[level] ^= 1 << source
        target = max(0, source - die)
        longer = packed | (die << DIE_SHIFT | source) << shift
        if level == depth - 1:
            row = _add(board, source, target, results, moves, row, longer)
            continue
        after = _places_after(board, (held[level], places[1]), source, target)
        made[level] = _move(board, source, target)
        packed = longer
        level += 1
        held[level], left[level] = after[0], _sources(after, die) & ((2 << source) - 1)
    return row
