"""A turn played kush by kush, because a double that rises can have too many results to list.

A kush is what is moved before the rest of the turn: four equal moves of a double that rises, equal
moves that the opponent's double left over, or the whole of any other roll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from engine.arrays import Boards
from engine.dice import Roll
from engine.play import Move
from engine.position import Position, Side
from engine.rules.base import Rules
from engine.rules.chain import NUMBERS, Kush, Partial, begin, goes_on, search_kush
from engine.rules.circling import CirclingSearch
from engine.rules.house import KUSH_MOVES, UNKNOWN, TurnContext, as_pips
from engine.rules.legal import LegalPlays
from engine.rules.single_roll import is_home


@dataclass(frozen=True, slots=True, eq=False)
class KushTurn:
    """A turn of which some kushes have been played."""

    position: Position
    """The board now."""
    side: Side
    rules: Rules
    kushes: tuple[Kush, ...]
    """All of the turn, at most."""
    now: int
    """The index of the kush to play; the number of kushes once the turn is over."""
    floor: int
    """How many checkers must stay on the head until the turn is over."""
    is_chain: bool
    """Whether a kush that is not completed ends the turn."""
    rows: Partial
    """The boards after the kush to play."""
    moves: tuple[Move, ...] = ()
    """Those of the kushes that have been played."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        return self.now == len(self.kushes)

    @property
    def numbers(self) -> tuple[int, ...]:
        """What to move now, as far as possible."""
        kush = self.kushes[self.now]
        return (kush.number,) * kush.times

    @property
    def plays(self) -> LegalPlays:
        """Every distinct result of the kush to play; never empty: a forced pass is one entry."""
        found = self.rows.results, self.rows.moves[:, self.now], None
        return LegalPlays(self.position, self.side, found)

    def after(self, index: int) -> KushTurn:
        """The turn after the play with this index in `plays`."""
        made, chosen = self.plays[index], self.rows.where(np.array([index]))
        following = replace(
            self, position=made.position, now=self.now + 1, moves=self.moves + made.play.moves
        )
        doubles, kush = self.rules.doubles, self.kushes[self.now]
        if following.is_over or (self.is_chain and not goes_on(chosen, kush, doubles)[0]):
            return replace(following, now=len(self.kushes))
        return replace(following, rows=following.searched(chosen))

    def past_forced_passes(self) -> KushTurn:
        """The turn at the next kush of which something can be moved, or over."""
        is_passed = not self.is_over and self.plays.is_pass
        return self.after(0).past_forced_passes() if is_passed else self

    def searched(self, before: Partial) -> Partial:
        """The boards after the kush to play from this one board."""
        return search_kush(_search_of(self.rules), before, self.kushes[self.now], self.floor)


def begin_roll(
    position: Position, side: Side, roll: Roll, rules: Rules, context: TurnContext = UNKNOWN
) -> KushTurn:
    """The turn of `side` with `roll`; see `legal_plays`."""
    own, other = position.of(side), position.of(side.other)
    board = np.array((own, other), np.int8)
    if not (rules.doubles.rising and roll.is_double and not is_home(board[None])[0]):
        found = rules.search.of_one(own, other, roll, context)
        only = begin(board, found[0], found[1].reshape(len(found[1]), -1)[:, 0])
        return KushTurn(position, side, rules, (Kush(0, 0, 0),), 0, 0, False, only)
    search = _search_of(rules)
    numbers = range(roll.high, NUMBERS + 1)
    kushes = tuple(Kush(number, KUSH_MOVES, n) for n, number in enumerate(numbers))
    first = search.first_moves(board[None], np.array([as_pips(roll)], np.int8), context)
    rows = begin(board, first.results, first.moves)
    return KushTurn(position, side, rules, kushes, 0, search.floor(board), True, rows)


def begin_leftover(
    position: Position, side: Side, numbers: Sequence[int], rules: Rules
) -> KushTurn:
    """The moves that the opponent's double left to `side`; see `leftover_plays`."""
    board: Boards = np.array((position.of(side), position.of(side.other)), np.int8)
    groups = ((number, len(list(group))) for number, group in groupby(numbers))
    kushes = tuple(Kush(number, times, n) for n, (number, times) in enumerate(groups))
    start = begin(board, board[None], np.zeros(1, np.int64))
    floor = _search_of(rules).floor(board)
    turn = KushTurn(position, side, rules, kushes, 0, floor, False, start)
    return replace(turn, rows=turn.searched(start))


def _search_of(rules: Rules) -> CirclingSearch:
    assert isinstance(rules.search, CirclingSearch), "only narde's doubles rise"  # noqa: S101
    return rules.search
