"""Doubles that go on: rising kushes, and the moves that pass to the opponent.

A kush is four equal moves, played as far as it goes; the chain ends
with the first kush that is not completed, or when all checkers are home.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Boards, Ints
from engine.errors import TooManyPlays
from engine.position import CHECKERS, OFF, PLACES, SideVector
from engine.rules.found import Leftover, Rows, SearchResult
from engine.rules.house import Doubles, LeftoverMoves
from engine.rules.kush import HEAD, KUSH, KushSearch, as_pair, is_home

NUMBERS: Final = 6
_AT_ONCE: Final = 1_000
"""Boards searched at once: each has up to some hundred results, which are then thinned out."""
_FOURTH_MOVE: Final = 24
_MOVE_BITS: Final = 8
_WORDS: Final = np.random.default_rng(24).integers(-(2**63), 2**63 - 1, 32) | 1


class _Line(NamedTuple):
    """Boards on their way through one chain."""

    results: Boards
    """(N, 2, 26)"""
    moves: Ints
    """(N, 6)"""
    off: NDArray[np.int8]
    """(N,) how many checkers the mover had off before the last kush."""
    is_last: NDArray[np.bool_]
    """(N,) whether that kush was the one more that coming home gives."""

    def where(self, which: NDArray[np.bool_] | Ints) -> _Line:
        return _Line(self.results[which], self.moves[which], self.off[which], self.is_last[which])


def follow(search: KushSearch, boards: Boards, dice: Boards, found: SearchResult) -> SearchResult:
    """The turns of `found`, doubles played on and with what passes to the opponent."""
    turns = []
    for i, (board, pips) in enumerate(zip(boards.reshape(-1, 2, PLACES), dice, strict=True)):
        rows = slice(found.offsets[i], found.offsets[i + 1])
        line = _begun(board, found.results[rows], found.moves[rows])
        high, low = as_pair(pips)
        turns.append(_ended(search, board, high, line) if high == low else (line, _none(line)))
    offsets = np.concatenate([[0], np.cumsum([len(left) for _, left in turns])])
    results, moves = (np.concatenate([line[k] for line, _ in turns]) for k in (0, 1))
    return SearchResult(results, moves, offsets, np.concatenate([left for _, left in turns]))


def play_left(search: KushSearch, board: Boards, numbers: Sequence[int]) -> Rows:
    """The results of as many of these moves as can be made, kush by kush."""
    line, floor = _begun(board, board[None], np.zeros(1, np.int64)), search.floor(board)
    for column, (die, group) in enumerate(groupby(numbers)):
        line = _played_on(search, line, (die, len(list(group)), column), floor)
    return line.results, line.moves, None


def _begun(board: Boards, results: Boards, moves: Ints) -> _Line:
    packed = np.zeros((len(moves), NUMBERS), np.int64)
    packed[:, 0] = moves
    off = np.full(len(moves), board[0, OFF], np.int8)
    return _Line(results, packed, off, np.zeros(len(moves), np.bool_))


def _none(line: _Line) -> Leftover:
    return np.zeros((len(line.moves), NUMBERS), np.int8)


def _ended(search: KushSearch, board: Boards, die: int, line: _Line) -> tuple[_Line, Leftover]:
    """Every board once where the chain of this double ends, and what it leaves."""
    parts = list(_ends(search, board, die, line))
    whole = _joined([part[0] for part in parts])
    left = np.concatenate([part[1] for part in parts])
    _, once = np.unique(_words(whole.results[:, 0]), return_index=True)
    once.sort()
    return whole.where(once), left[once]


def _ends(
    search: KushSearch, board: Boards, die: int, line: _Line
) -> Iterator[tuple[_Line, Leftover]]:
    """Where the chain ends, kush by kush."""
    doubles, floor = search.house.doubles, search.floor(board)
    rises = doubles.rising and not is_home(board[None])[0]
    for column, number in enumerate(range(die, NUMBERS + 1)):
        goes_on = _goes_on(line, column, doubles) & bool(rises and number < NUMBERS)
        ending = line.where(~goes_on)
        yield ending, _left(ending, (number, column), doubles, higher=bool(rises))
        if not goes_on.any():
            return
        line = _played_on(search, line.where(goes_on), (number + 1, KUSH, column + 1), floor)


def _goes_on(line: _Line, column: int, doubles: Doubles) -> NDArray[np.bool_]:
    """(N,) whether the next kush is played: this one was completed, not all are home."""
    full = line.moves[:, column] >> _FOURTH_MOVE != 0
    came_home_last = doubles.one_kush_more & (line.results[:, 0, OFF] == line.off)
    allowed: NDArray[np.bool_] = ~line.is_last & (came_home_last | ~is_home(line.results))
    goes_on: NDArray[np.bool_] = full & allowed
    return goes_on


def _left(ending: _Line, at: tuple[int, int], doubles: Doubles, *, higher: bool) -> Leftover:
    """(N, 6) what passes to the opponent of kush `at` (number, column) and the higher ones."""
    number, column = at
    left, made = _none(ending), _count_moves(ending.moves[:, column])
    open_moves = np.where(ending.results[:, 0, OFF] == CHECKERS, 0, KUSH - made)
    if doubles.passing is LeftoverMoves.STARTED_KUSH:
        open_moves = np.where(made > 0, open_moves, 0)
    if doubles.passing is not LeftoverMoves.NOTHING:
        left[:, number - 1] = open_moves
    if doubles.passing is LeftoverMoves.CHAIN and higher:
        stuck = (open_moves > 0) & ~ending.is_last & ~is_home(ending.results)
        left[stuck, number:] = KUSH
    return left


def _count_moves(packed: Ints) -> Ints:
    made = np.zeros(len(packed), np.int64)
    for shift in range(0, KUSH * _MOVE_BITS, _MOVE_BITS):
        made += packed >> shift & 255 != 0
    return made


def _played_on(search: KushSearch, line: _Line, kush: tuple[int, int, int], floor: int) -> _Line:
    """Every board after one more kush, once; `TooManyPlays` if there are too many."""
    column = kush[2]
    parts: list[_Line] = []
    for start in range(0, len(line.results), _AT_ONCE):
        some = line.where(np.arange(start, min(start + _AT_ONCE, len(line.results))))
        after = _played(search, some, kush, floor)
        if search.target is not None:
            after = after.where(_may_become(after.results, search.target))
        parts.append(_distinct(after, column))
        if sum(len(part.results) for part in parts) > 2 * search.most_results:
            parts = [_distinct(_joined(parts), column)]
            _check_size(search, parts[0])
    return _check_size(search, _distinct(_joined(parts), column))


def _check_size(search: KushSearch, line: _Line) -> _Line:
    if len(line.results) > search.most_results:
        raise TooManyPlays(
            f"this double has more than {search.most_results:,} results: list it kush by kush"
        )
    return line


def _may_become(results: Boards, target: SideVector) -> NDArray[np.bool_]:
    """(N,) whether no checker is further on than `target` has it."""
    behind = np.cumsum(results[:, 0, ::-1], axis=1)
    may: NDArray[np.bool_] = np.all(behind >= np.cumsum(target[::-1]), axis=1)
    return may


def _joined(parts: list[_Line]) -> _Line:
    return _Line(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _played(search: KushSearch, line: _Line, kush: tuple[int, int, int], floor: int) -> _Line:
    """Every line after one more kush: (number, times, column)."""
    number, times, column = kush
    dice = np.full((len(line.results), 3), (number, number, times), np.int8)
    heads = line.results[:, 0, HEAD] - search.house.heads
    each = search.house.heads_each_kush and search.house.heads
    floors = heads if each else np.full_like(heads, floor)
    found = search.kush(line.results, dice, np.column_stack([floors, floors]))
    from_line = np.repeat(np.arange(len(line.results)), np.diff(found.offsets))
    before = line.where(from_line)
    moves = before.moves.copy()
    moves[:, column] = found.moves
    return _Line(found.results, moves, before.results[:, 0, OFF], is_home(before.results))


def _distinct(line: _Line, column: int) -> _Line:
    """Each board once, those apart that go on for different reasons."""
    is_full = line.moves[:, column] >> _FOURTH_MOVE != 0
    borne_off = line.off != line.results[:, 0, OFF]
    keys = np.column_stack([line.results[:, 0], is_full, borne_off, line.is_last])
    _, once = np.unique(_words(keys.astype(np.int8)), return_index=True)
    return line.where(once)


def _words(rows: NDArray[np.int8]) -> Ints:
    """A number for each row; of 100,000 rows two are taken for one in 1 of 10^9 lists."""
    # Twenty times as quick as comparing rows, and a chain is mostly that.
    words: Ints = rows.astype(np.int64) @ _WORDS[: rows.shape[1]]
    return words
