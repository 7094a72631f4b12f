"""How a variant finds its plays: `PlaySearch`, and the arrays that it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from engine.arrays import Boards, Ints, Ints8
from engine.dice import Roll
from engine.position import PLACES, SideVector
from engine.rules.house import TurnContext
from engine.rules.reasons import Reason

DIE_SHIFT: Final = 5
SOURCE_MASK: Final = 31
MOVE_BITS: Final = 8
"""A packed move is one byte, `die << DIE_SHIFT | source`; a packed play has its first move in the
lowest byte."""
Leftover = Ints8
"""(N, 6): how often each number 1..6 is passed on to the opponent."""
Rows = tuple[Boards, Ints, Leftover | None]
"""The results of one board, the packed plays, and what each leaves; see `SearchResult`."""
_MIN_ROWS: Final = 512
_ROWS_PER_BOARD: Final = 24


class SearchResult(NamedTuple):
    """The results for P boards, one list after another."""

    results: Boards
    """(N, 2, 26): the mover's side vector after the play, then the opponent's."""
    moves: Ints
    """(N,) packed plays; 0 is a forced pass. (N, 6) if a double continues with higher numbers: one
    packed play for each, in order."""
    offsets: Ints
    """(P + 1,): board i has `results[offsets[i]:offsets[i + 1]]`, at least one row."""
    leftover: Leftover | None = None
    """What each play leaves to the opponent; None in games that leave nothing."""


class PlaySearch(Protocol):
    """How a variant finds its plays."""

    def __call__(self, boards: Boards, dice: Ints8, context: TurnContext = ..., /) -> SearchResult:
        """Every result of boards (P, 2, 26), mover first, and dice (P, 2), larger first."""

    def of_one(
        self, own: SideVector, other: SideVector, roll: Roll, context: TurnContext = ...
    ) -> Rows:
        """The results for one board, as fast as possible."""

    def can_move(self, board: Boards, roll: Roll, context: TurnContext = ...) -> bool:
        """Whether any move of the roll is possible on this (2, 26) board."""

    def toward(self, own: SideVector) -> PlaySearch:
        """The same search, which may leave out what cannot lead to these counts of the mover."""

    def at_most(self, results: int) -> PlaySearch:
        """The same search, which raises `TooManyPlays` if a chain of doubles has more results."""

    def exactly(self, board: Boards, dice: Sequence[int]) -> set[bytes]:
        """Every board, as bytes, after all these dice are played in this order."""

    def leftover(self, board: Boards, numbers: Sequence[int]) -> Rows:
        """The results of moving what the opponent passed on, as much of it as possible."""

    def relaxed(self) -> Iterable[tuple[Reason, PlaySearch]]:
        """The search without one of its rules, for each rule that has its own name."""


def run_kernel(kernel: Callable[..., int], boards: Boards, *options: Any) -> SearchResult:
    """A batch kernel's results for (P, 2, 26) boards; its output grows until everything fits."""
    flat = np.ascontiguousarray(boards.reshape(-1, 2 * PLACES))
    room = max(_MIN_ROWS, _ROWS_PER_BOARD * len(flat))
    results, moves = np.empty((room, 2 * PLACES), np.int8), np.empty(room, np.int64)
    offsets = np.zeros(len(flat) + 1, np.int64)
    done = 0
    while (done := kernel(flat, *options, done, results, moves, offsets)) < len(flat):
        results = np.concatenate([results, np.empty_like(results)])
        moves = np.concatenate([moves, np.empty_like(moves)])
    found = offsets[-1]
    return SearchResult(results[:found].reshape(-1, 2, PLACES), moves[:found], offsets)
