"""The narde family's search at native speed; slow reference and proof: tests/naive_narde.py.

A board is 52 int8 counts as in engine/rules/_kernels.py, but both sides move the same way around:
own point p is the opponent's p + 12, wrapped, and nothing is ever hit, so a search changes only the
mover's 26 counts. A set of points is an integer with bit p for own point p.

The block rule makes the order of moves matter: a row of six may be forbidden even in passing. So
boards are found level by level, one level per move, and a hash table keeps each board of a level
once. What a step may do depends only on the board, never on how it was reached.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

from engine.arrays import Boards, Ints, Ints8
from engine.rules._kernels import _FULL, _highest
from engine.rules.search import DIE_SHIFT, MOVE_BITS

Fence = tuple[int, int, int, int, int, int]
"""What one board's rules forbid: see `_fence`."""
Space = tuple[Boards, Ints, Ints]
"""The boards of each level, their packed plays and hashes, and the hash table."""
_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])

_SIDE = 26
_HEAD = 24
_POINTS = (1 << 25) - 2
_HALF = (1 << 13) - 2
_HOME = (1 << 7) - 2
_PASSED = (1 << 12) - 2
_CHECKERS = 15
_LEVELS = 5
_ROW_BITS = 12
_ROWS = 1 << _ROW_BITS
"""Room for one level: 15 checkers can make four equal moves in at most 3,060 ways."""
_SLOTS = 1 << 13

AHEAD, IN_HOME, STACKED = 1, 2, 3
"""When a row of six is allowed; `STACKED` is Fevga's rule."""
NEVER, UNTIL_HOME = 2, 1
"""Whether checkers may move inside home; 0 = always."""


def _hash_words() -> Ints:
    """26 fixed odd words (splitmix64), whose sum over the checkers distinguishes boards."""
    words, state = [], 0
    for _ in range(_SIDE):
        state = state + 0x9E3779B97F4A7C15 & (1 << 64) - 1
        word = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1
        words.append(word ^ word >> 27)
    return np.array(words, np.uint64).view(np.int64)


_WORDS = _hash_words()


def _compiled(function: _Kernel) -> _Kernel:
    return cast(_Kernel, numba.njit(cache=True)(function))


@_compiled
def circling_batch(
    boards: Boards,
    dice: Ints8,
    floors: Ints8,
    house: Ints,
    first: int,
    results: Boards,
    moves: Ints,
    offsets: Ints,
) -> int:
    """List every distinct result of boards `first`..; return the first board that did not fit.

    boards: (P, 52) int8; dice: (P, 3) int8, the larger first, then the number of moves of a double;
    floors: (P, 2) int8, how many checkers must stay on the head, and how many if that leaves part
    of the roll unplayed; house: block, passing, exact, inside, runner. Output as for `legal_batch`.
    """
    rows = np.empty((_LEVELS, _ROWS, _SIDE), np.int8)
    words = np.empty((_LEVELS, 2, _ROWS), np.int64)
    seen = np.zeros(_SLOTS + 1, np.int64)
    space = (rows, words, seen)
    for i in range(first, len(boards)):
        _begin(space, boards[i])
        end, whole = _FULL, True
        for floor in floors[i]:
            fence = _fence(boards[i], house, int(floor))
            end, whole = _turn(space, boards[i], dice[i], fence, results, moves, offsets[i])
            if whole or end == _FULL or floors[i, 1] == floors[i, 0]:
                break
        if end == _FULL:
            return i
        offsets[i + 1] = end
    return len(boards)


@_compiled
def _begin(space: Space, board: Boards) -> None:
    """Make the board the only one of level 0."""
    rows, words, _ = space
    rows[0, 0] = board[:_SIDE]
    words[0, 0, 0] = words[0, 1, 0] = 0


@_compiled
def _fence(board: Boards, house: Ints, floor: int) -> Fence:
    """Where the mover may land, the forbidden rows of six, and the house's limits.

    The rows of six are bits q for the points q..q+5 on the opponent's path. The second number holds
    them negated if the ban applies only at the end of the turn.
    """
    landing, lowest = _POINTS, 0
    for point in range(_HEAD, 0, -1):
        if board[_SIDE + point] > 0:
            landing ^= 1 << (point + 12 if point <= 12 else point - 12)
            lowest = point
    ban = _ban(board, int(house[0]), lowest)
    return landing, ban if house[1] else -ban, floor, int(house[2]), int(house[3]), int(house[4])


@_compiled
def _ban(board: Boards, block: int, lowest: int) -> int:
    """The rows of six that the mover may not hold; `lowest` is the opponent's leading point."""
    if block == STACKED:
        behind = board[_SIDE + lowest] == _CHECKERS and lowest > 6
        # The opponent's points 7..12 are the mover's own starting quarter.
        return 1 << 7 | int(behind) << max(lowest - 6, 0)
    if block == 0 or board[_SIDE] > 0 or lowest == 0:
        return 0
    if block == IN_HOME:
        return 0 if lowest <= 6 else _POINTS
    return (1 << lowest) - 1


def rows_banned(board: Boards, block: int) -> int:
    """The rows of six that the mover of a board of 52 counts may not hold: bits as in `_fence`."""
    points = [point for point in range(1, _HEAD + 1) if board[_SIDE + point] > 0]
    return _ban(board, block, min(points, default=0))


@_compiled
def _rows_of_six(held: int) -> int:
    """Bit q for every row q..q+5 on the opponent's path that the mover holds."""
    theirs = held >> 12 & _HALF | (held & _HALF) << 12
    pairs = theirs & theirs >> 1
    return pairs & pairs >> 2 & pairs >> 4


@_compiled
def _held(own: Boards) -> int:
    held = 0
    for point in range(1, _HEAD + 1):
        held |= int(own[point] > 0) << point
    return held


@_compiled
def _sources(own: Boards, held: int, die: int, fence: Fence) -> int:
    """The points from which the die can be played, apart from the block rule."""
    landing, _, floor, exact, inside, runner = fence
    sources = held & landing << die
    is_home = held & ~_HOME == 0
    if inside == NEVER or (inside == UNTIL_HOME and is_home):
        sources &= ~_HOME
    if is_home and held:
        if held >> die & 1:
            sources |= 1 << die
        elif held >> die == 0 and not exact:
            sources |= 1 << _highest(held)
    waits = runner and own[_HEAD] != _CHECKERS and own[0] == 0 and held & _PASSED == 0
    return sources & ~(1 << _HEAD) if waits or own[_HEAD] <= floor else sources


@_compiled
def _is_banned(own: Boards, held: int, source: int, target: int, ban: int) -> bool:
    """Whether the step makes a row of six that is forbidden even in passing."""
    if ban <= 0 or target <= 0 or held >> target & 1:
        return False
    after = (held ^ int(own[source] == 1) << source) | 1 << target
    return bool(_rows_of_six(after) & ban)


@_compiled
def _turn(
    space: Space,
    board: Boards,
    dice: Ints8,
    fence: Fence,
    results: Boards,
    moves: Ints,
    row: int,
) -> tuple[int, bool]:
    """Add every play of the roll; return the next row, and whether the whole roll is played."""
    high, low, times = int(dice[0]), int(dice[1]), int(dice[2])
    sizes = np.zeros(_LEVELS, np.int64)
    sizes[0] = 1
    if high == low:
        last = times
        for level in range(1, times + 1):
            sizes[level] = _expand(space, (level - 1, level, level - 1), sizes, high, fence)
    else:
        last = 3
        # The levels in order of precedence: both dice, the larger, the smaller.
        sizes[2] = _expand(space, (0, 2, 0), sizes, high, fence)
        sizes[1] = _expand(space, (0, 1, 0), sizes, low, fence)
        # Both into one level, with none in between: the hash table handles one at a time.
        sizes[3] = _expand(space, (2, 3, 1), sizes, low, fence)
        sizes[3] = _expand(space, (1, 3, 1), sizes, high, fence)
    for level in range(last, 0, -1):
        end = _add_level(space, (level, sizes[level]), board, -fence[1], results, moves, row)
        if end != row:
            return end, level == last
    return _add_level(space, (0, 1), board, 0, results, moves, row), False


@_compiled
def _expand(space: Space, levels: tuple[int, int, int], sizes: Ints, die: int, fence: Fence) -> int:
    """Add to one level every board that the die makes from another's; return its new size.

    levels: from, to, and the number of moves made before.
    """
    rows, words, seen = space
    start, goal, made = levels
    count = int(sizes[goal])
    if count == 0:
        seen[_SLOTS] += 1
    for i in range(sizes[start]):
        own = rows[start, i]
        held = _held(own)
        sources = _sources(own, held, die, fence)
        while sources:
            source = _highest(sources)
            sources ^= 1 << source
            target = max(0, source - die)
            if _is_banned(own, held, source, target, fence[1]):
                continue
            made_row = rows[goal, count]
            made_row[:] = own
            made_row[source] -= 1
            made_row[target] += 1
            words[goal, 1, count] = words[start, 1, i] + _WORDS[target] - _WORDS[source]
            move = die << DIE_SHIFT | source
            words[goal, 0, count] = words[start, 0, i] | move << MOVE_BITS * made
            count += _is_new(rows[goal], words[goal, 1], seen, count)
    return count


@_compiled
def _is_new(rows: Boards, hashes: Ints, seen: Ints, row: int) -> int:
    """Whether no earlier row is equal; if so, remember it. 1 or 0."""
    # Each slot holds its level's number, so a new level finds the table empty without clearing it.
    level = seen[_SLOTS]
    slot = (hashes[row] ^ hashes[row] >> 32) & (_SLOTS - 1)
    while seen[slot] >> _ROW_BITS == level:
        known = seen[slot] & (_ROWS - 1)
        if hashes[known] == hashes[row] and (rows[known] == rows[row]).all():
            return 0
        slot = (slot + 1) & (_SLOTS - 1)
    seen[slot] = level << _ROW_BITS | row
    return 1


@_compiled
def _add_level(
    space: Space,
    level: tuple[int, int],
    board: Boards,
    ban: int,
    results: Boards,
    moves: Ints,
    row: int,
) -> int:
    """Write a level's boards without forbidden rows of six; return the next row or `_FULL`."""
    rows, words, _ = space
    number, size = level
    for i in range(size):
        own = rows[number, i]
        if ban > 0 and _rows_of_six(_held(own)) & ban:
            continue
        if row == len(results):
            return _FULL
        results[row, :_SIDE] = own
        results[row, _SIDE:] = board[_SIDE:]
        moves[row] = words[number, 0, i]
        row += 1
    return row
