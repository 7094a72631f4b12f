"""The short game's rules, written slowly and literally; shares no code with the engine.

Twin of `engine/rules/_kernels.py`: a board is a pair of 26-tuples, the mover's side vector first.
"""

from __future__ import annotations

Board = tuple[tuple[int, ...], tuple[int, ...]]

BAR = 25
OFF = 0
HOME = range(1, 7)


def naive_results(
    own: tuple[int, ...], other: tuple[int, ...], dice: tuple[int, int]
) -> set[Board]:
    """Every distinct legal position after the roll; itself if nothing can be played."""
    board = (tuple(own), tuple(other))
    a, b = dice
    orders = [[a] * 4] if a == b else [[a, b], [b, a]]
    reached = [played for order in orders for played in all_ways(board, order)]
    most = max(len(played) for played, _ in reached)
    if most == 1 and a != b:
        larger = [after for played, after in reached if played == (max(a, b),)]
        return set(larger or [after for played, after in reached if played == (min(a, b),)])
    return {after for played, after in reached if len(played) == most}


def all_ways(board: Board, dice: list[int]) -> list[tuple[tuple[int, ...], Board]]:
    """(dice played, board) of every way to play these dice in this order as far as possible."""
    if not dice or not (nexts := one_move(board, dice[0])):
        return [((), board)]
    return [
        ((dice[0], *played), after) for one in nexts for played, after in all_ways(one, dice[1:])
    ]


def one_move(board: Board, die: int) -> list[Board]:
    """Every board after one checker has moved by the die."""
    return [after_move(board, s, s - die) for s in range(1, 26) if may_move(board, s, die)]


def may_move(board: Board, source: int, die: int) -> bool:
    own, other = board
    if own[source] == 0:
        return False
    if own[BAR] > 0 and source != BAR:
        return False
    if source - die >= 1:
        return other[25 - (source - die)] <= 1
    if any(own[place] for place in range(1, 26) if place not in HOME):
        return False
    return source == die or not any(own[place] for place in range(source + 1, 7))


def after_move(board: Board, source: int, target: int) -> Board:
    own, other = list(board[0]), list(board[1])
    own[source] -= 1
    own[max(target, OFF)] += 1
    if target >= 1 and other[25 - target] == 1:
        other[25 - target] = 0
        other[BAR] += 1
    return tuple(own), tuple(other)
