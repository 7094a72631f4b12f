"""Where a turn can lead: every legal result of every roll as rows of cells, and the reverse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final

import numpy as np

from engine.arrays import Boards, Floats, Ints
from engine.dice import ALL_ROLLS, Roll
from engine.errors import TooManyPlays
from engine.evidence.likelihood import board_cells
from engine.evidence.observation import cell_counts
from engine.play import Move, Play
from engine.position import BAR, OFF, PLACES, Position, Side
from engine.rules import Rules
from engine.rules.legal import LegalPlay, find_play

_DICE: Final = np.array([(roll.high, roll.low) for roll in ALL_ROLLS], np.int8)
MOST_LISTED: Final = 1_000
"""Results of a double that rises up to which they are listed; those of other rolls always are."""
PRIOR: Final = np.log([roll.weight for roll in ALL_ROLLS])
"""(21,) log-probabilities of the rolls before anything is seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """Every legal result of every roll for one position and side."""

    before: Ints
    """(28,) cells of the position."""
    cells: Ints
    """(N, 28), grouped by roll."""
    rolls: Ints
    """(N,) index into `ALL_ROLLS`."""
    shares: Floats
    """(N,) minus the log of the roll's number of results: all are equally likely."""
    unlisted: tuple[int, ...] = ()
    """Doubles, as indices into `ALL_ROLLS`, that have too many results to list."""

    @property
    def is_shut_out(self) -> bool:
        """Whether no roll can be played."""
        return not self.unlisted and bool((self.cells == self.before).all())


@lru_cache(maxsize=32)
def find_outcomes(position: Position, side: Side, rules: Rules) -> Outcomes:
    """The outcomes of any roll of `side` in `position`; the newest are cached."""
    return search_outcomes(position, side, rules)


@lru_cache(maxsize=256)
def find_play_cached(
    position: Position, side: Side, roll: Roll, result: Position, rules: Rules
) -> LegalPlay | None:
    """`find_play` with its newest answers cached: a turn is judged at many looks.

    Raises `TooManyPlays` if the search gives up.
    """
    return find_play(position, side, roll, result, rules)


def search_outcomes(position: Position, side: Side, rules: Rules) -> Outcomes:
    """The outcomes of any roll of `side` in `position`."""
    found = _search_listed if rules.doubles.rising else _search_all
    boards, sizes = found(position, side, rules)
    is_listed = sizes > 0
    return Outcomes(
        before=cell_counts(position),
        cells=board_cells(boards, side, position.course),
        rolls=np.repeat(np.arange(len(ALL_ROLLS)), sizes),
        shares=np.repeat(-np.log(sizes[is_listed]), sizes[is_listed]),
        unlisted=tuple(np.flatnonzero(~is_listed).tolist()),
    )


def _search_all(position: Position, side: Side, rules: Rules) -> tuple[Boards, Ints]:
    """(N, 2, 26) the results of all rolls, and how many each roll has."""
    board = np.array([position.of(side), position.of(side.other)], np.int8)
    found = rules.search(np.repeat(board[None], len(ALL_ROLLS), axis=0), _DICE)
    return found.results, np.diff(found.offsets)


def _search_listed(position: Position, side: Side, rules: Rules) -> tuple[Boards, Ints]:
    """The same, roll by roll; a double with too many results counts as having none."""
    search, own, other = rules.search.at_most(MOST_LISTED), position.of(side), side.other
    lists = []
    for roll in ALL_ROLLS:
        try:
            lists.append(search.of_one(own, position.of(other), roll)[0])
        except TooManyPlays:
            lists.append(np.empty((0, 2, PLACES), np.int8))
    return np.concatenate(lists), np.array([len(listed) for listed in lists])


def moves_between(before: Position, after: Position, side: Side) -> Play:
    """The difference between two positions in notation, legal or not.

    Checkers are paired from the back, so that a shuffle of several reads as the fewest moves.
    """
    own, new = before.of(side), after.of(side)
    left = [p for p in range(BAR, -1, -1) for _ in range(max(own[p] - new[p], 0))]
    reached = [p for p in range(BAR, -1, -1) for _ in range(max(new[p] - own[p], 0))]
    sent = after.of(side.other)[BAR] - before.of(side.other)[BAR]
    return Play(tuple(_moves(before, side, left, reached, sent)))


def _moves(
    before: Position, side: Side, left: list[int], reached: list[int], sent: int
) -> Iterator[Move]:
    theirs = before.of(side.other)
    for source, target in zip_longest(left, reached, fillvalue=OFF):
        blot = OFF < target < BAR and theirs[before.course.across(target)] > 0
        hit = blot and sent > 0
        sent -= hit
        yield Move(source, target, hit)
