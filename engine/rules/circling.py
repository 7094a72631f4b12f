"""Search for the narde family: both sides move the same way around and nothing is hit.

One kush at a time is searched at native speed (engine/rules/_narde_kernels.py); a rising double is
a chain of kushes, each played as far as possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

import numpy as np

from engine.arrays import Boards, Ints8, distinct_rows
from engine.dice import ALL_ROLLS, Roll
from engine.errors import TooManyPlays
from engine.position import CHECKERS, HOME_POINTS, PLACES, SideVector
from engine.rules.chain import NUMBERS, play_leftover, play_out_doubles
from engine.rules.chain_path import Journey, Leg, chain_legs, leftover_legs, propose_stops
from engine.rules.house import (
    HEAD,
    KUSH_MOVES,
    UNKNOWN,
    HomeMoves,
    LeftoverMoves,
    Pips,
    SixPrime,
    TurnContext,
    as_pips,
)
from engine.rules.reasons import Reason
from engine.rules.search import Rows, SearchResult
from engine.rules.single_roll import SingleRollSearch, can_reach

_PROPOSALS: Final = 6
"""Ways to a result that are tried before all ways are listed: nearly always the first is legal."""
_MOST_LEFTOVER: Final = 1_000
"""Ways to play what was left over that are listed before one is looked for."""
_MOST_BEGINNINGS: Final = 60
"""Ways to play the first kushes that are each followed."""
_MOST_TRIED: Final = 4_000
"""Boards on all ways to a result that are tried then."""
_OPPONENTS_HEAD: Final = 12
_NOTHING: Final = SearchResult(
    np.empty((0, 2, PLACES), np.int8),
    np.empty((0, NUMBERS), np.int64),
    np.zeros(2, np.int64),
    np.empty((0, NUMBERS), np.int8),
)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A chain of which some kushes are played."""

    stops: tuple[SideVector, ...] = ()
    """The mover's board after each."""
    is_ended: bool = False
    """Whether the last could not be completed."""

    def is_running(self, board: Boards) -> bool:
        """Whether it goes on with no checker past the opponent's head."""
        own = self.stops[-1] if self.stops else board[0, 0]
        return not (self.is_ended or any(own[:_OPPONENTS_HEAD]))


@dataclass(frozen=True, slots=True)
class CirclingSearch(SingleRollSearch):
    """Every distinct result of whole turns; a `PlaySearch` of `Rules`."""

    opponents_first: Pips | None = None
    """What the opponent rolled first, if known; otherwise the board tells what it may have been."""

    def __call__(self, boards: Boards, dice: Ints8, context: TurnContext = UNKNOWN) -> SearchResult:
        """The results of whole turns; chains of rising doubles are played to their ends."""
        found = self.first_moves(boards, dice, context)
        doubles = self.house.doubles
        if doubles.rising or doubles.passing is not LeftoverMoves.NOTHING or doubles.rolls_again:
            return play_out_doubles(self, boards, dice, found)
        return found

    def of_one(
        self, own: SideVector, other: SideVector, roll: Roll, context: TurnContext = UNKNOWN
    ) -> Rows:
        """The results of one board."""
        board, dice = np.array([(own, other)], np.int8), np.array([as_pips(roll)], np.int8)
        if self.target is not None and self._rises(own, roll) and not self.stops:
            found = self._toward_target(board, dice, context)
        else:
            found = self(board, dice, context)
        return found.results, found.moves, found.leftover

    def _rises(self, own: SideVector, roll: Roll) -> bool:
        """Whether the pips of a chain tell which kushes it has."""
        rises = roll.is_double and self.house.doubles.rising
        return rises and self.house.exact and any(own[HOME_POINTS + 1 :])

    def _toward_target(self, board: Boards, dice: Ints8, context: TurnContext) -> SearchResult:
        """At least one way to the target, if there is any; found without listing the others."""
        freely, number, is_proposed = replace(self, target=None), int(dice[0, 0]), False
        for begun in self._beginnings(board, number):
            journey = self._journey(board, begun, number)
            for seed in range(_PROPOSALS):
                stops = None if journey is None else propose_stops(journey, seed)
                if stops is None:
                    break
                is_proposed = True
                found = replace(freely, stops=(*begun.stops, *stops))(board, dice, context)
                if self._is_target_among(found.results):
                    return found
        if not is_proposed:
            return _NOTHING
        return self.at_most(min(self.most_results, _MOST_TRIED))(board, dice, context)

    def exactly(self, board: Boards, dice: Sequence[int]) -> set[bytes]:
        """Every board, as bytes, after all these dice are played in this order."""
        if self.target is not None and len(dice) > KUSH_MOVES:
            return self._exactly_target(board, dice)
        return _played_exactly(self, board, dice)

    def _exactly_target(self, board: Boards, dice: Sequence[int]) -> set[bytes]:
        """The target, if these dice lead there; found without listing other boards."""
        assert self.target is not None  # noqa: S101
        own, other = (tuple(side) for side in board.tolist())
        kushes = [tuple(group) for _, group in groupby(dice)]
        legs = tuple(Leg(kush[0], len(kush), len(kush)) for kush in kushes)
        journey = Journey(own, other, self.target, legs, self.house, self.banned_rows(board))
        for seed in range(_PROPOSALS):
            now, stops = board, propose_stops(journey, seed)
            if stops is None:
                break
            for kush, stop in zip(kushes, stops, strict=True):
                after = np.array((stop, other), np.int8)
                if after.tobytes() not in _played_exactly(self.toward(stop), now, kush):
                    break
                now = after
            else:
                return {now.tobytes()}
        return set()

    def _journey(self, board: Boards, begun: _Begun, number: int) -> Journey | None:
        """The rest of a chain from `number` to the target; None if its pips do not fit."""
        assert self.target is not None  # noqa: S101
        own, other = (tuple(side) for side in board[0].tolist())
        now, following = begun.stops[-1] if begun.stops else own, number + len(begun.stops)
        legs = chain_legs(now, self.target, following)
        if legs is None or (legs if begun.is_ended else self._must_go_on(board, legs, following)):
            return None
        is_first_turn = own[HEAD] == CHECKERS
        banned = self.banned_rows(board[0])
        return Journey(now, other, self.target, legs, self.house, banned, is_first_turn)

    def _must_go_on(self, board: Boards, legs: tuple[Leg, ...], number: int) -> bool:
        """Whether one more move can certainly be made after these kushes, which end at the target.

        Then more of the chain must be played.
        """
        assert self.target is not None  # noqa: S101
        last = legs[-1] if legs else Leg(number, 0, 0)
        if last.number > NUMBERS:
            return False
        is_whole = last.most == KUSH_MOVES
        if is_whole and (last.number == NUMBERS or not any(self.target[HOME_POINTS + 1 :])):
            return False
        die, ended = last.number + int(is_whole), board.copy()
        ended[0, 0] = self.target
        stays = np.full((1, 2), self.target[HEAD], np.int8)  # the head may have been left already
        found = self.search_roll(ended, np.array([[die, die, 1]], np.int8), stays)
        return bool(found.moves[0] != 0)

    def _beginnings(self, board: Boards, number: int) -> tuple[_Begun, ...]:
        """What the first kushes of a chain may have been, in each way to play them.

        As long as one checker has to run first there are few ways, but the order of moves matters,
        which `propose_stops` ignores; otherwise no kush is played yet.
        """
        ready: list[_Begun] = []
        pending = [_Begun()] if self.house.one_runner else []
        for die in range(number, NUMBERS + 1):
            running = [begun for begun in pending if begun.is_running(board)]
            ready += [begun for begun in pending if begun not in running]
            pending = [after for begun in running for after in self._kush_after(begun, board, die)]
            if len(pending) > _MOST_BEGINNINGS:
                break
        return (*ready, *pending) if self.house.one_runner else (_Begun(),)

    def _kush_after(self, begun: _Begun, board: Boards, die: int) -> Iterator[_Begun]:
        """What has begun with one more kush, in each way."""
        now = board.copy()
        now[0, 0] = begun.stops[-1] if begun.stops else board[0, 0]
        kush = np.array([[die, die, KUSH_MOVES]], np.int8)
        found = self.search_roll(now, kush, np.full((1, 2), self.floor(now[0]), np.int8))
        is_whole = (found.moves >> 24 != 0).tolist()
        for own, is_full in zip(found.results[:, 0].tolist(), is_whole, strict=True):
            if is_full or tuple(own) == self.target:
                yield _Begun((*begun.stops, tuple(own)), is_ended=not is_full)

    def can_move(self, board: Boards, roll: Roll, context: TurnContext = UNKNOWN) -> bool:
        """Whether any move of the roll is possible; the chain of a double is not played out."""
        dice = np.array([as_pips(roll)], np.int8)
        return bool(self.first_moves(board[None], dice, context).moves[0] != 0)

    def first_moves(self, boards: Boards, dice: Ints8, context: TurnContext) -> SearchResult:
        """The results of each roll, or of the first four moves of a double."""
        turns = [
            self._floors(board, (int(high), int(low)), context)
            for board, (high, low) in zip(boards.reshape(-1, 2, PLACES), dice, strict=True)
        ]
        floors = np.array([pair for pair, _ in turns], np.int8).reshape(-1, 2)
        times = np.where(dice[:, 0] == dice[:, 1], KUSH_MOVES, 0)
        rolls = np.column_stack([dice, times]).astype(np.int8)
        found = self.search_roll(boards, rolls, floors)
        is_unsure = np.array([unsure for _, unsure in turns], np.bool_)
        if not is_unsure.any():
            return found
        floors[is_unsure, 1] = floors[is_unsure, 0]
        return _either(found, self.search_roll(boards, rolls, floors))

    def toward(self, own: SideVector) -> CirclingSearch:
        """The search that follows a chain of doubles only where it can lead to `own`."""
        return replace(self, target=own)

    def at_most(self, results: int) -> CirclingSearch:
        """The search that raises `TooManyPlays` if a chain of doubles has more results."""
        return replace(self, most_results=results)

    def leftover(self, board: Boards, numbers: Sequence[int]) -> Rows:
        """The results of playing what the opponent passed on, each kush as far as possible.

        The head and block rules apply.
        """
        if self.target is None:
            return play_leftover(self, board, numbers)
        freely = replace(self, target=None)
        try:
            return play_leftover(freely.at_most(_MOST_LEFTOVER), board, numbers)
        except TooManyPlays:
            return self._leftover_toward_target(board, numbers)

    def _leftover_toward_target(self, board: Boards, numbers: Sequence[int]) -> Rows:
        assert self.target is not None  # noqa: S101
        own, other = (tuple(side) for side in board.tolist())
        legs, banned = leftover_legs(numbers), self.banned_rows(board)
        journey = Journey(own, other, self.target, legs, self.house, banned)
        for seed in range(_PROPOSALS):
            stops = propose_stops(journey, seed)
            if stops is None:
                break
            found = play_leftover(replace(self, target=None, stops=stops), board, numbers)
            if self._is_target_among(found[0]):
                return found
        else:  # no proposal could be played, but another way may lead there
            few = self.at_most(min(self.most_results, _MOST_TRIED))
            return play_leftover(few, board, numbers)
        return _NOTHING.results, _NOTHING.moves, None

    def _is_target_among(self, results: Boards) -> bool:
        """Whether (N, 2, 26) `results` contain the target; a chain may have ended before it."""
        assert self.target is not None  # noqa: S101
        return bool((results[:, 0] == np.array(self.target)).all(axis=1).any())

    def relaxed(self) -> Iterator[tuple[Reason, CirclingSearch]]:
        """The search without one of its rules, and the name of that rule."""
        free: tuple[tuple[Reason, str, Any], ...] = (
            (Reason.HEAD_RULE, "heads", 0),
            (Reason.ONE_RUNNER, "one_runner", False),
            (Reason.BLOCK_RULE, "block", SixPrime.ANY),
            (Reason.BEAR_OFF_NOT_EXACT, "exact", False),
            (Reason.MOVED_IN_HOME, "inside", HomeMoves.ALWAYS),
        )
        for reason, option, value in free:
            if getattr(self.house, option) != value:
                yield reason, replace(self, house=replace(self.house, **{option: value}))

    def _floors(
        self, board: Boards, roll: Pips, context: TurnContext
    ) -> tuple[tuple[int, int], bool]:
        """How many checkers stay on the head, and whether the first roll is not known to allow it.

        If it may not have, whoever moves one checker only has broken no rule.
        """
        floor, is_first_turn = self.floor(board), context.first_turn
        if is_first_turn is None:
            is_first_turn = board[0, HEAD] == CHECKERS
        if self.house.heads != 1 or not is_first_turn:
            return (floor, floor), False
        opponents = self._opponents_first_rolls(board, context)
        gives = self.house.gives_second_head
        each = {gives(roll, frozenset({one})) for one in opponents or ()}
        return (floor, floor - int(gives(roll, opponents))), len(each) > 1

    def _opponents_first_rolls(self, board: Boards, context: TurnContext) -> frozenset[Pips] | None:
        """What the opponent may have rolled first; None if nothing, or if it does not matter."""
        if context.opponent_first_roll is not None:
            first = context.opponent_first_roll
            return frozenset({(max(first), min(first))})
        if not self.house.depends_on_first_roll or context.first_turn is not None:
            return None
        if board[1, HEAD] == CHECKERS:
            return None
        if self.opponents_first is not None:
            return frozenset({self.opponents_first})
        # Without the limits of this search, which a first double of the opponent may exceed.
        reached: dict[bytes, frozenset[Pips]] = _boards_after_first_turn(CirclingSearch(self.house))
        return reached.get(board[1].tobytes(), frozenset())


def _either(one: SearchResult, other: SearchResult) -> SearchResult:
    """What either search finds for each board."""
    counts = np.diff(one.offsets), np.diff(other.offsets)
    owner = np.concatenate([np.repeat(np.arange(len(count)), count) for count in counts])
    results = np.concatenate([one.results, other.results]).reshape(len(owner), -1)
    _, first = np.unique(np.c_[owner, results], axis=0, return_index=True)
    order = first[np.argsort(owner[first], kind="stable")]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner[order], minlength=len(counts[0])))])
    moves = np.concatenate([one.moves, other.moves])[order]
    return SearchResult(results[order].reshape(-1, 2, PLACES), moves, offsets)


def _played_exactly(search: CirclingSearch, board: Boards, dice: Sequence[int]) -> set[bytes]:
    boards, floor = board[None], search.floor(board)
    for die in dice:
        one = np.full((len(boards), 3), (die, die, 1), np.int8)
        found = search.search_roll(boards, one, np.full((len(boards), 2), floor, np.int8))
        after = found.results[found.moves != 0]
        if search.target is not None:
            after = after[can_reach(after, search.target)]
        boards = distinct_rows(after.reshape(-1, 2 * PLACES))[0].reshape(-1, 2, PLACES)
    return {one.tobytes() for one in boards}


@lru_cache(maxsize=32)
def _boards_after_first_turn(search: CirclingSearch) -> dict[bytes, frozenset[Pips]]:
    """The side vectors after a starter's first turn, and the rolls that lead to them."""
    start = np.zeros((2, PLACES), np.int8)
    start[:, HEAD] = CHECKERS
    reached: dict[bytes, frozenset[Pips]] = {}
    for roll in ALL_ROLLS:
        pips = np.array([as_pips(roll)], np.int8)
        for own, _ in search(start[None], pips, TurnContext(first_turn=True)).results:
            known = reached.get(own.tobytes(), frozenset())
            reached[own.tobytes()] = known | {as_pips(roll)}
    return reached
