"""`Rules`: one variant as a value: its data, and hooks with the standard game as default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.position import BAR, CHECKERS, OFF, PLACES, Course, Position, Side, SideVector

HOME: Final = 6
_Cell = TypeVar("_Cell", bound=np.generic)
_ROWS_A_BOARD: Final = 24
_ROWS_AT_LEAST: Final = 512


class Found(NamedTuple):
    """The results of P boards, one list after the other."""

    results: NDArray[np.int8]
    """(N, 2, 26): the mover's side vector after the play, then the opponent's."""
    moves: NDArray[np.int64]
    """(N,) packed plays, see engine/_kernels.py; 0 is a forced pass."""
    offsets: NDArray[np.int64]
    """(P + 1,): board i has `results[offsets[i]:offsets[i + 1]]`, at least one row."""


class Outcome(NamedTuple):
    """How a game ended."""

    winner: Side
    points: int
    result: str


Search = Callable[[NDArray[np.int8], NDArray[np.int8]], Found]
"""boards (P, 2, 26), mover first, and dice (P, 2), the larger first, to every distinct result."""
Score = Callable[[Position, Side, int], tuple[int, str]]
"""A finished position, its loser and the loser's count of `off` at the start, to points and
the result's name."""


def opposed_search(boards: NDArray[np.int8], dice: NDArray[np.int8]) -> Found:
    """Every distinct legal result of the short game and its kin (RULES.md section A)."""
    # Imported here: numba takes longer to import than all the rest of the engine together.
    from engine._kernels import legal_batch

    flat = boards.reshape(-1, 2 * PLACES)
    rows = max(_ROWS_AT_LEAST, _ROWS_A_BOARD * len(boards))
    results, moves = np.empty((rows, 2 * PLACES), np.int8), np.empty(rows, np.int64)
    offsets = np.zeros(len(boards) + 1, np.int64)
    done = legal_batch(flat, dice, 0, results, moves, offsets)
    while done < len(boards):
        results, moves = _twice(results), _twice(moves)
        done = legal_batch(flat, dice, done, results, moves, offsets)
    found = offsets[-1]
    return Found(results[:found].reshape(-1, 2, PLACES), moves[:found], offsets)


def _twice(rows: NDArray[_Cell]) -> NDArray[_Cell]:
    return np.concatenate([rows, np.empty_like(rows)])


def backgammon_score(position: Position, loser: Side, idle: int) -> tuple[int, str]:
    """Three points with a checker on the bar or in the winner's home, two with none borne off."""
    vector = position.of(loser)
    if vector[OFF] > idle:
        return 1, "single"
    return (3, "backgammon") if any(vector[BAR - HOME :]) else (2, "gammon")


def side_vector(points: Mapping[int, int]) -> SideVector:
    """26 counts with these points filled; every checker not named counts as borne off."""
    off = CHECKERS - sum(points.values())
    return tuple(off if place == OFF else points.get(place, 0) for place in range(PLACES))


@dataclass(frozen=True, slots=True)
class Rules:
    """One variant; the defaults are those of the short game."""

    name: str
    """The word in files and on the command line."""
    title: str
    """The name for people."""
    start: SideVector
    """Where each side begins, in its own numbers."""
    course: Course = Course.OPPOSED
    holds: int = 2
    """How many checkers close a point to the opponent; fewer are hit."""
    search: Search = opposed_search
    score: Score = backgammon_score

    def opening(self) -> Position:
        """The position that every game begins from."""
        return Position(self.start, self.start, self.course)

    def outcome(self, position: Position) -> Outcome | None:
        """Who has won and how much; None while both sides have checkers in play."""
        for winner in Side:
            if position.of(winner)[OFF] == CHECKERS:
                points, result = self.score(position, winner.other, self.start[OFF])
                return Outcome(winner, points, result)
        return None
