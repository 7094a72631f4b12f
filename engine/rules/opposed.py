"""Search for short backgammon and its kin: the sides move against each other and blots are hit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from engine.arrays import Boards, Ints8
from engine.dice import Roll
from engine.position import BAR, HOME_POINTS, OFF, PLACES, SideVector
from engine.rules.house import UNKNOWN, TurnContext
from engine.rules.reasons import Reason
from engine.rules.search import PlaySearch, Rows, SearchResult, run_kernel

# Module names are found faster than numpy's: this is the engine's innermost call.
_empty: Final = np.empty
_INT8: Final = np.dtype(np.int8)
_INT64: Final = np.dtype(np.int64)
_CELLS: Final = 2 * PLACES
_ROWS_OF_ONE: Final = 64
"""Room for the plays of nearly every roll; a rare double is searched again with more."""


@dataclass(frozen=True, slots=True)
class OpposedSearch:
    """Every distinct legal result of the short game; a `PlaySearch` of `Rules`."""

    def __call__(self, boards: Boards, dice: Ints8, context: TurnContext = UNKNOWN) -> SearchResult:
        """The results for P boards; the history of the game makes no difference here."""
        # Imported here: numba takes longer to import than the rest of the engine together.
        from engine.rules._kernels import legal_batch

        return run_kernel(legal_batch, boards, dice)

    def of_one(
        self, own: SideVector, other: SideVector, roll: Roll, context: TurnContext = UNKNOWN
    ) -> Rows:
        """The results for one board, with minimal overhead."""
        legal_one = _kernel_of_one()
        counts, rows = bytes(own + other), _ROWS_OF_ONE
        while True:
            results, moves = _empty((rows, _CELLS), _INT8), _empty(rows, _INT64)
            found = legal_one(counts, roll.high, roll.low, results, moves)
            if found >= 0:
                return results[:found].reshape(found, 2, PLACES), moves[:found], None
            rows *= 8

    def can_move(self, board: Boards, roll: Roll, context: TurnContext = UNKNOWN) -> bool:
        """Whether any move of the roll is possible."""
        dice = np.array([(roll.high, roll.low)], np.int8)
        return bool(self(board[None], dice, context).moves[0] != 0)

    def toward(self, own: SideVector) -> PlaySearch:
        """The same search: its lists are short, so nothing is left out."""
        return self

    def at_most(self, results: int) -> PlaySearch:
        """The same search: no double goes on."""
        return self

    def exactly(self, board: Boards, dice: Sequence[int]) -> set[bytes]:
        """Every board after all these dice are played in this order."""
        boards = {board.tobytes()}
        for die in dice:
            boards = {after for one in boards for after in _boards_after(one, die)}
        return boards

    def leftover(self, board: Boards, numbers: Sequence[int]) -> Rows:
        """The board itself: nothing ever passes in these games."""
        assert not numbers, "no move passes to the opponent"  # noqa: S101
        return board[None].copy(), np.zeros(1, np.int64), None

    def relaxed(self) -> Iterator[tuple[Reason, PlaySearch]]:
        """Nothing: every rule of the short game shows in the checkers themselves."""
        return iter(())


@cache
def _kernel_of_one() -> Callable[..., int]:
    """The kernel; an import statement in the innermost call would cost a tenth of its time."""
    from engine.rules._kernels import legal_one

    return legal_one


def _boards_after(board: bytes, die: int) -> Iterator[bytes]:
    own, other = board[:PLACES], board[PLACES:]
    for source in [BAR] if own[BAR] else range(1, BAR):
        target = max(OFF, source - die)
        if not own[source] or not _may_land(own, other, source, die):
            continue
        new, hit = bytearray(own), bytearray(other)
        new[source] -= 1
        new[target] += 1
        if target and hit[BAR - target]:
            hit[BAR - target] -= 1
            hit[BAR] += 1
        yield bytes(new + hit)


def _may_land(own: bytes, other: bytes, source: int, die: int) -> bool:
    if source > die:
        return other[BAR - (source - die)] < 2
    return not any(own[HOME_POINTS + 1 if source == die else source + 1 :])
