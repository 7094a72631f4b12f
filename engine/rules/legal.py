"""Every legal play of a position and a roll: the results at once, the plays on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby
from typing import Final, NamedTuple, overload

import numpy as np

from engine.arrays import Boards
from engine.dice import Roll
from engine.errors import IllegalPlay, TooManyPlays
from engine.message import msg
from engine.play import Move, Play
from engine.position import OFF, PLACES, Course, Position, Side, place_name
from engine.rules.base import Rules
from engine.rules.house import UNKNOWN, TurnContext
from engine.rules.search import DIE_SHIFT, MOVE_BITS, SOURCE_MASK, Rows

MOST_SHOWN: Final = 4_000
"""Plays that a person may choose from or that are counted; four equal moves have at most 3,060."""


class LegalPlay(NamedTuple):
    """One way to play a roll, and the position that it leads to."""

    play: Play
    position: Position


class LegalPlays(Sequence[LegalPlay]):
    """Every distinct result of a roll once; never empty: a forced pass is one entry."""

    __slots__ = ("_left", "_mover", "_moves", "_position", "results")

    results: Boards
    """(N, 2, 26): the mover's side vector after each play, then the opponent's; read-only."""

    def __init__(self, position: Position, mover: Side, rows: Rows) -> None:
        self.results, self._moves, self._left = rows
        self.results.setflags(write=False)
        self._position = position
        self._mover = mover

    @overload
    def __getitem__(self, index: int) -> LegalPlay: ...
    @overload
    def __getitem__(self, index: slice) -> list[LegalPlay]: ...
    def __getitem__(self, index: int | slice) -> LegalPlay | list[LegalPlay]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        own, other = self.results[index].tolist()
        position = self._position.with_sides(self._mover, tuple(own), tuple(other))
        return LegalPlay(self._play(index), position)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[LegalPlay]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"LegalPlays({', '.join(str(legal.play) for legal in self)})"

    @property
    def is_pass(self) -> bool:
        """Whether no move is possible."""
        return not self._moves[0].any()

    def find(self, position: Position) -> LegalPlay | None:
        """The play that leads to `position`, or None if no legal one does."""
        index = self.index_of(position)
        return None if index is None else self[index]

    def index_of(self, position: Position) -> int | None:
        """The index of the play that leads to `position`, or None if no legal one does."""
        is_reached = (self.results == _board(position, self._mover)).all(axis=(1, 2))
        return int(is_reached.argmax()) if is_reached.any() else None

    def leftover(self, index: int) -> tuple[int, ...]:
        """The numbers that this play leaves to the opponent, who moves them before rolling.

        Always empty except in the gulbar family and giul.
        """
        if self._left is None:
            return ()
        times = enumerate(self._left[index].tolist(), start=1)
        return tuple(number for number, count in times for _ in range(count))

    def _play(self, index: int) -> Play:
        """The moves, in a legal order."""
        if self._position.course is Course.CIRCLING:  # nothing is hit
            kushes = self._moves[index].ravel().tolist()
            return Play(tuple(chain.from_iterable(map(_unhindered, kushes))))
        steps = [step for packed in self._moves[index].ravel() for step in _unpacked(int(packed))]
        # From the back of the board forward; if both sides circle, a row of six may forbid that.
        steps.sort(reverse=True)
        other = list(self._position.of(self._mover.other))
        return Play(tuple(_made(source, die, other, self._position) for source, die in steps))


def _unpacked(packed: int) -> Iterator[tuple[int, int]]:
    while packed:
        yield packed & SOURCE_MASK, (packed >> DIE_SHIFT) & 7
        packed >>= MOVE_BITS


@lru_cache(maxsize=4096)
def _unhindered(packed: int) -> tuple[Move, ...]:
    """The moves of one group where no move hits; long lists have few different ones."""
    return tuple(Move(source, max(OFF, source - die)) for source, die in _unpacked(packed))


def _made(source: int, die: int, other: list[int], position: Position) -> Move:
    """The move with its hit, which is removed from `other`."""
    target = max(OFF, source - die)
    across = position.course.across(target) if target != OFF else OFF
    hit = target != OFF and other[across] == 1
    if hit:
        other[across] = 0
    return Move(source, target, hit)


def _board(position: Position, mover: Side) -> Boards:
    """(2, 26), the mover's side vector first."""
    light, dark = position.light, position.dark
    # Writable like every other array; otherwise numba compiles the whole search a second time.
    counts = bytearray(light + dark if mover is Side.LIGHT else dark + light)
    return np.frombuffer(counts, np.int8).reshape(2, PLACES)


def legal_plays(
    position: Position, side: Side, roll: Roll, rules: Rules, context: TurnContext = UNKNOWN
) -> LegalPlays:
    """Every distinct legal result of `side` playing `roll`, with one play that reaches it.

    `context` distinguishes narde's first turns if the position does not.
    """
    is_light = side is Side.LIGHT
    own, other = (position.light, position.dark) if is_light else (position.dark, position.light)
    return LegalPlays(position, side, rules.search.of_one(own, other, roll, context))


def can_move(
    position: Position, side: Side, roll: Roll, rules: Rules, context: TurnContext = UNKNOWN
) -> bool:
    """Whether `side` can move a checker; of a double that rises, only its first four are tried."""
    return rules.search.can_move(_board(position, side), roll, context)


def is_legal(
    position: Position,
    side: Side,
    roll: Roll,
    result: Position,
    rules: Rules,
    context: TurnContext = UNKNOWN,
) -> bool:
    """Whether some legal play of `roll` leads to `result`."""
    return find_play(position, side, roll, result, rules, context) is not None


def find_play(
    position: Position,
    side: Side,
    roll: Roll,
    result: Position,
    rules: Rules,
    context: TurnContext = UNKNOWN,
) -> LegalPlay | None:
    """A legal play of `roll` that leads to `result`; None if there is none."""
    return _plays_toward(position, side, roll, result, rules, context).find(result)


def list_few_plays(position: Position, side: Side, roll: Roll, rules: Rules) -> LegalPlays | None:
    """The legal plays, or None if a double rises to more than are worth showing."""
    few = rules.search.at_most(MOST_SHOWN)
    try:
        return LegalPlays(
            position, side, few.of_one(position.of(side), position.of(side.other), roll)
        )
    except TooManyPlays:
        return None


def count_plays(position: Position, side: Side, roll: Roll, rules: Rules) -> int:
    """The number of legal plays; 0 stands for more than are worth counting."""
    found = list_few_plays(position, side, roll, rules)
    return 0 if found is None else len(found)


def leftover_after(
    position: Position, side: Side, roll: Roll, result: Position, rules: Rules
) -> tuple[int, ...] | None:
    """The numbers that playing `roll` to `result` leaves over; None if no play leads there."""
    plays = _plays_toward(position, side, roll, result, rules, UNKNOWN)
    index = plays.index_of(result)
    return None if index is None else plays.leftover(index)


def _plays_toward(
    position: Position, side: Side, roll: Roll, result: Position, rules: Rules, context: TurnContext
) -> LegalPlays:
    """The legal plays, except some that cannot lead to `result`."""
    search, other = rules.search.toward(result.of(side)), position.of(side.other)
    return LegalPlays(position, side, search.of_one(position.of(side), other, roll, context))


def leftover_plays(
    position: Position, side: Side, numbers: Sequence[int], rules: Rules
) -> LegalPlays:
    """Every distinct result of `side` moving the `numbers` that the opponent left.

    As many as possible are moved; `numbers` are as `LegalPlays.leftover` gives them.
    """
    return LegalPlays(position, side, rules.search.leftover(_board(position, side), numbers))


def list_few_leftover_plays(
    position: Position, side: Side, numbers: Sequence[int], rules: Rules
) -> LegalPlays | None:
    """The same, or None if there are more than are worth showing."""
    few = rules.search.at_most(MOST_SHOWN)
    try:
        return LegalPlays(position, side, few.leftover(_board(position, side), numbers))
    except TooManyPlays:
        return None


def find_leftover_play(
    position: Position, side: Side, numbers: Sequence[int], result: Position, rules: Rules
) -> LegalPlay | None:
    """A way to move what the opponent left that leads to `result`; None if there is none."""
    search = rules.search.toward(result.of(side))
    plays = LegalPlays(position, side, search.leftover(_board(position, side), numbers))
    return plays.find(result)


def can_move_leftover(position: Position, side: Side, numbers: Sequence[int], rules: Rules) -> bool:
    """Whether `side` can move any of the `numbers` that the opponent left."""
    board = _board(position, side)
    groups = (tuple(group) for _, group in groupby(numbers))
    return any(rules.search.leftover(board, group)[1].any() for group in groups)


def apply_play(position: Position, side: Side, play: Play, rules: Rules) -> Position:
    """The position after the moves, with hits sent to the bar.

    Dice and obligations are not checked. Raises `IllegalPlay` if a place has no checker left to
    move or a point is closed.
    """
    own, other = list(position.of(side)), list(position.of(side.other))
    for move in play.moves:
        _lift(own, move)
        _land(own, other, move, rules)
    return position.with_sides(side, tuple(own), tuple(other))


def _lift(own: list[int], move: Move) -> None:
    if own[move.source] == 0:
        source = place_name(move.source)
        raise IllegalPlay(
            msg("{move}: there is no checker on {source}", move=str(move), source=source)
        )
    own[move.source] -= 1


def _land(own: list[int], other: list[int], move: Move, rules: Rules) -> None:
    own[move.target] += 1
    if move.target == OFF:
        return
    across = rules.course.across(move.target)
    if other[across] >= rules.holds:
        target = place_name(move.target)
        raise IllegalPlay(msg("{move}: the opponent holds {target}", move=str(move), target=target))
    if other[across]:
        other[across] -= 1
        other[-1] += 1
