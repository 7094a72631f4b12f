"""Doubles that continue: rising kushes, and the moves that pass to the opponent.

A kush is four equal moves, played as far as possible; the chain ends with the first kush that is
not completed, or when all checkers are home.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Boards, Ints, Ints8, Mask, row_hashes
from engine.errors import TooManyPlays
from engine.position import CHECKERS, OFF, PLACES
from engine.rules.house import HEAD, KUSH_MOVES, Doubles, LeftoverMoves
from engine.rules.search import MOVE_BITS, Leftover, Rows, SearchResult
from engine.rules.single_roll import SingleRollSearch, can_reach, is_home

NUMBERS: Final = 6
_BATCH: Final = 1_000
"""Boards searched together: each has up to some hundred results, most of them already found."""
_BOARDS_PER_RESULT: Final = 100
_FOURTH_MOVE: Final = 3 * MOVE_BITS


class Kush(NamedTuple):
    """Equal moves of one turn."""

    number: int
    times: int
    column: int
    """The index of the kush in its chain, from 0."""


class Partial(NamedTuple):
    """Boards partway through a chain."""

    results: Boards
    """(N, 2, 26) boards."""
    moves: Ints
    """(N, 6) packed plays, one for each kush."""
    off: Ints8
    """(N,) how many checkers the mover had off before the latest kush."""
    is_last: Mask
    """(N,) whether that kush was the extra one for coming home."""

    def where(self, which: Mask | Ints) -> Partial:
        """Some of them."""
        return Partial(self.results[which], self.moves[which], self.off[which], self.is_last[which])

    @classmethod
    def joined(cls, parts: Sequence[Partial]) -> Partial:
        """All of these lists as one."""
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def play_out_doubles(
    search: SingleRollSearch, boards: Boards, dice: Ints8, found: SearchResult
) -> SearchResult:
    """The turns of `found`, with doubles played on and what passes to the opponent."""
    turns = []
    for i, (board, (high, low)) in enumerate(
        zip(boards.reshape(-1, 2, PLACES), dice.tolist(), strict=True)
    ):
        rows = slice(found.offsets[i], found.offsets[i + 1])
        first = begin(board, found.results[rows], found.moves[rows])
        first = _at_stop(search, first, 0) if high == low else first
        turns.append(
            _play_out(search, board, high, first) if high == low else (first, _no_leftover(first))
        )
    offsets = np.concatenate([[0], np.cumsum([len(left) for _, left in turns])])
    results, moves = (np.concatenate([plays[k] for plays, _ in turns]) for k in (0, 1))
    return SearchResult(results, moves, offsets, np.concatenate([left for _, left in turns]))


def play_leftover(search: SingleRollSearch, board: Boards, numbers: Sequence[int]) -> Rows:
    """The results of as many of these moves as possible, kush by kush."""
    plays, floor = begin(board, board[None], np.zeros(1, np.int64)), search.floor(board)
    for column, (number, group) in enumerate(groupby(numbers)):
        plays = _play_kush(search, plays, Kush(number, len(list(group)), column), floor)
    return plays.results, plays.moves, None


def begin(board: Boards, results: Boards, moves: Ints) -> Partial:
    """The boards after the first kush from this one, by these packed plays."""
    packed = np.zeros((len(moves), NUMBERS), np.int64)
    packed[:, 0] = moves
    off = np.full(len(moves), board[0, OFF], np.int8)
    return Partial(results, packed, off, np.zeros(len(moves), np.bool_))


def _no_leftover(plays: Partial) -> Leftover:
    return np.zeros((len(plays.moves), NUMBERS), np.int8)


def _play_out(
    search: SingleRollSearch, board: Boards, number: int, first: Partial
) -> tuple[Partial, Leftover]:
    """Every board once at which the chain of this double ends, and what it leaves."""
    parts = list(_chain_ends(search, board, number, first))
    ends = Partial.joined([part[0] for part in parts])
    left = np.concatenate([part[1] for part in parts])
    _, once = np.unique(row_hashes(ends.results[:, 0]), return_index=True)
    once.sort()
    return ends.where(once), left[once]


def _chain_ends(
    search: SingleRollSearch, board: Boards, first_number: int, plays: Partial
) -> Iterator[tuple[Partial, Leftover]]:
    """Yield where the chain ends, kush by kush."""
    doubles, floor = search.house.doubles, search.floor(board)
    rises = bool(doubles.rising and not is_home(board[None])[0])
    for column, number in enumerate(range(first_number, NUMBERS + 1)):
        kush = Kush(number, KUSH_MOVES, column)
        is_followed = goes_on(plays, kush, doubles) & (rises and number < NUMBERS)
        ending = plays.where(~is_followed)
        yield ending, _leftover(ending, kush, doubles, rises=rises)
        if not is_followed.any():
            return
        following = Kush(number + 1, KUSH_MOVES, column + 1)
        plays = _play_kush(search, plays.where(is_followed), following, floor)


def goes_on(plays: Partial, kush: Kush, doubles: Doubles) -> Mask:
    """(N,) whether the next kush is played: this one was completed and not all are home."""
    is_full = plays.moves[:, kush.column] >> _FOURTH_MOVE != 0
    came_home_last = doubles.one_kush_more & (plays.results[:, 0, OFF] == plays.off)
    following: Mask = is_full & ~plays.is_last & (came_home_last | ~is_home(plays.results))
    return following


def _leftover(ending: Partial, kush: Kush, doubles: Doubles, *, rises: bool) -> Leftover:
    """(N, 6) what passes to the opponent from `kush` and the higher ones."""
    left, made = _no_leftover(ending), _count_moves(ending.moves[:, kush.column])
    unplayed = np.where(ending.results[:, 0, OFF] == CHECKERS, 0, KUSH_MOVES - made)
    if doubles.passing is LeftoverMoves.STARTED_KUSH:
        unplayed = np.where(made > 0, unplayed, 0)
    if doubles.passing is not LeftoverMoves.NOTHING:
        left[:, kush.number - 1] = unplayed
    if doubles.passing is LeftoverMoves.CHAIN and rises:
        is_stuck = (unplayed > 0) & ~ending.is_last & ~is_home(ending.results)
        left[is_stuck, kush.number :] = KUSH_MOVES
    return left


def _count_moves(packed: Ints) -> Ints:
    shifts = np.arange(0, KUSH_MOVES * MOVE_BITS, MOVE_BITS)
    return np.asarray(np.count_nonzero(packed[:, None] >> shifts & 255, axis=1))


def _play_kush(search: SingleRollSearch, plays: Partial, kush: Kush, floor: int) -> Partial:
    """Every board after one more kush, once; raises `TooManyPlays` if there are too many."""
    if not len(plays.results):  # none of them was at the stop of the kush before
        return plays
    parts: list[Partial] = []
    # A short list must not take as long as a long one.
    batch = max(1, min(_BATCH, search.most_results // _BOARDS_PER_RESULT))
    for start in range(0, len(plays.results), batch):
        some = plays.where(np.arange(start, min(start + batch, len(plays.results))))
        after = search_kush(search, some, kush, floor)
        after = _at_stop(search, after, kush.column)
        if search.target is not None:
            after = after.where(can_reach(after.results, search.target))
        parts.append(_distinct(after, kush.column))
        if sum(len(part.results) for part in parts) > 2 * search.most_results:
            parts = [_distinct(Partial.joined(parts), kush.column)]
            _check_size(search, parts[0])
    return _check_size(search, _distinct(Partial.joined(parts), kush.column))


def _check_size(search: SingleRollSearch, plays: Partial) -> Partial:
    if len(plays.results) > search.most_results:
        raise TooManyPlays(
            f"this double has more than {search.most_results:,} results: "
            "list it kush by kush, as Game.legal_kushes does"
        )
    return plays


def _at_stop(search: SingleRollSearch, plays: Partial, column: int) -> Partial:
    """The boards that agree with the known one after this kush, if there is one."""
    if not search.stops:
        return plays
    stop = np.array(search.stops[min(column, len(search.stops) - 1)], np.int8)
    return plays.where(np.all(plays.results[:, 0] == stop, axis=1))


def search_kush(search: SingleRollSearch, plays: Partial, kush: Kush, floor: int) -> Partial:
    """Every board after one more kush, with each of `plays` that leads there."""
    dice = np.full((len(plays.results), 3), (kush.number, kush.number, kush.times), np.int8)
    floors = np.full(len(plays.results), floor, np.int8)
    if search.house.heads_each_kush and search.house.heads:
        floors = plays.results[:, 0, HEAD] - search.house.heads
    found = search.search_roll(plays.results, dice, np.column_stack([floors, floors]))
    before = plays.where(np.repeat(np.arange(len(plays.results)), np.diff(found.offsets)))
    moves = before.moves.copy()
    moves[:, kush.column] = found.moves
    return Partial(found.results, moves, before.results[:, 0, OFF], is_home(before.results))


def _distinct(plays: Partial, column: int) -> Partial:
    """Each board once, but separately if chains continue from it for different reasons."""
    is_full = plays.moves[:, column] >> _FOURTH_MOVE != 0
    borne_off = plays.off != plays.results[:, 0, OFF]
    keys = np.column_stack([plays.results[:, 0], is_full, borne_off, plays.is_last])
    _, once = np.unique(row_hashes(keys.astype(np.int8)), return_index=True)
    return plays.where(once)
