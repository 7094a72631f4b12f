"""Names the moves of a turn that its dice do not allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Final

from engine.message import Message, Sentence, join, msg
from engine.play import Move
from engine.position import BAR, OFF, SideVector

MAX_MOVES: Final = 4
"""Checkers that a turn moves at most; with more of them elsewhere, nobody can tell the moves."""
MAX_DIE: Final = 6


def unrolled_moves(
    before: SideVector,
    after: SideVector,
    pips: Sequence[int],
    roll: str,
    told: Sequence[Move] = (),
) -> Sentence:
    """The moves from `before` to `after` that `pips` do not allow; empty if no move is at fault.

    Of all ways to move the checkers, the one with the fewest such moves. pips: the numbers that may
    be played. roll: the roll in words. told: the moves as they are recorded, which are that way if
    each is of another checker.
    """
    sources = [place for place in range(BAR, OFF, -1) for _ in range(before[place] - after[place])]
    targets = [
        place for place in range(BAR - 1, OFF - 1, -1) for _ in range(after[place] - before[place])
    ]
    if len(sources) != len(targets) or len(sources) > MAX_MOVES:
        return ""
    ways = [
        [Move(source, target) for source, target in zip(sources, order, strict=True)]
        for order in dict.fromkeys(permutations(targets))
    ]
    recorded = Counter(Move(move.source, move.target) for move in told)
    ways = [way for way in ways if Counter(way) == recorded] or ways
    forward = [way for way in ways if all(move.source > move.target for move in way)]
    faults = [find(way, pips, after) for way in forward for find in (_unrolled, _unrolled_at_last)]
    at_fault = min(faults, key=lambda one: (len(one), sum(map(_distance, one))), default=[])
    return _sentence(at_fault, pips, roll)


def _unrolled(moves: Iterable[Move], pips: Sequence[int], after: SideVector) -> list[Move]:
    """The moves for which no number is left, once every other has taken its own."""
    left = list(pips)
    rest = [move for move in moves if not _takes_one(move, left)]
    return [move for move in rest if not _takes_more(move, left, after)]


def _unrolled_at_last(moves: Iterable[Move], pips: Sequence[int], after: SideVector) -> list[Move]:
    """The same if the longest move takes its numbers first."""
    left = list(pips)
    longest_first = sorted(moves, key=_distance, reverse=True)
    return [
        move
        for move in longest_first
        if not (_takes_one(move, left) or _takes_more(move, left, after))
    ]


def _takes_one(move: Move, left: list[int]) -> bool:
    """Whether the move takes a number of `left`."""
    if _distance(move) not in left:
        return False
    left.remove(_distance(move))
    return True


def _takes_more(move: Move, left: list[int], after: SideVector) -> bool:
    """Whether the move takes several numbers of `left`, or bears off with a larger one."""
    distance, is_last = _distance(move), not any(after[move.source + 1 :])
    larger = [number for number in left if number > distance]
    if move.target == OFF and is_last and larger:
        left.remove(larger[0])
        return True
    for count in range(2, len(left) + 1):
        if distance in (sum(left[:count]), sum(left[-count:])):
            del left[:count]
            return True
    return False


def _distance(move: Move) -> int:
    return move.source - move.target


def _sentence(moves: Sequence[Move], pips: Sequence[int], roll: str) -> Sentence:
    if len(moves) == 2 and all(_distance(m) <= MAX_DIE and _distance(m) not in pips for m in moves):
        first, second = moves
        return msg(
            "{first} uses a {one}, {second} a {two}; neither was rolled",
            first=str(first),
            one=_distance(first),
            second=str(second),
            two=_distance(second),
        )
    return join([_one(move, pips, roll) for move in moves]) if moves else ""


def _one(move: Move, pips: Sequence[int], roll: str) -> Message:
    distance, text = _distance(move), str(move)
    if move.target == OFF and max(pips) > distance and distance not in pips:
        return msg(
            "{move} needs a {pips}: a larger number bears off only the checker farthest back",
            move=text,
            pips=distance,
        )
    if distance > MAX_DIE:
        return msg(
            "{move} moves {pips} pips, which {roll} does not give",
            move=text,
            pips=distance,
            roll=roll,
        )
    if distance in pips:
        return msg("{move} uses another {pips}, which was not rolled", move=text, pips=distance)
    return msg("{move} uses a {pips}, which was not rolled", move=text, pips=distance)
