"""House rule against hit and run: a checker that hit may not move on to safety in the same turn.

Some houses forbid hitting and then moving that checker on to a friendly stack; tournament rules
allow it. Legal plays are generated without the rule; the referee applies it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, permutations
from typing import Final

import numpy as np

from engine.dice import Roll
from engine.events.match import IllegalMade, PlayMade
from engine.message import msg
from engine.position import BAR, OFF, PLACES, Course, Position, Side
from engine.rules import Rules
from engine.rules.legal import find_play, legal_plays
from engine.ruleset import HitAndRunRule, RuleSet

RULE: Final = msg("the hitting checker was moved on to safety in the same turn (hit and run)")
_Board = bytes
"""The mover's side vector, then the opponent's."""


def is_hit_and_run(
    position: Position, side: Side, roll: Roll, result: Position, rules: Rules
) -> bool:
    """Whether every legal way of playing `roll` to `result` moves a checker that hit to safety."""
    if position.course is Course.CIRCLING or not _hits(position, result, side):
        return False
    found = find_play(position, side, roll, result, rules)
    if found is None:
        return False
    wanted, start = _bytes(result, side), _bytes(position, side)
    orders = set(permutations(roll.pips, len(found.play.moves)))
    return not any(_is_clean(start, dice, frozenset(), wanted, rules) for dice in orders)


def as_refereed(made: PlayMade, before: Position, rules: Rules, rule_set: RuleSet) -> PlayMade:
    """The play, or the illegal play that it is if hit and run is forbidden.

    If every play of the roll runs, the roll must be played regardless. A play that needs review is
    not called illegal yet.
    """
    if (
        rule_set.hit_and_run is HitAndRunRule.OK
        or made.review
        or not made.legal
        or made.dice is None
    ):
        return made
    first, second = made.dice
    if first is None or second is None:
        return made
    roll, side = Roll(first, second), made.player
    if not is_hit_and_run(before, side, roll, made.position, rules):
        return made
    plays = legal_plays(before, side, roll, rules)
    clean = sum(not is_hit_and_run(before, side, roll, one.position, rules) for one in plays)
    return IllegalMade.of(made, str(RULE), clean) if clean else made


def _hits(position: Position, result: Position, side: Side) -> bool:
    return result.of(side.other)[BAR] > position.of(side.other)[BAR]


def _bytes(position: Position, side: Side) -> _Board:
    return bytes((*position.of(side), *position.of(side.other)))


def _is_clean(
    board: _Board, dice: tuple[int, ...], hitters: frozenset[int], wanted: _Board, rules: Rules
) -> bool:
    """Whether `dice` in this order lead to `wanted`, and no checker on `hitters` runs to safety."""
    if not dice or not _may_become(board, wanted):
        return board == wanted
    return any(
        _is_clean(after, dice[1:], left, wanted, rules)
        for after, left in _clean_moves(board, dice[0], hitters, rules)
    )


def _may_become(board: _Board, wanted: _Board) -> bool:
    """Whether `wanted` is still reachable: no checker is past its place, none wrongly hit."""
    behind = zip(
        accumulate(reversed(board[:PLACES])), accumulate(reversed(wanted[:PLACES])), strict=True
    )
    return wanted[-1] >= board[-1] and all(now >= then for now, then in behind)


def _clean_moves(
    board: _Board, die: int, hitters: frozenset[int], rules: Rules
) -> Iterator[tuple[_Board, frozenset[int]]]:
    """Every move of one die except a run, with the places of the hitting checkers after it."""
    array = np.frombuffer(board, np.int8).reshape(2, PLACES).copy()
    for after in rules.search.exactly(array, (die,)):
        source = next(place for place in range(BAR, OFF, -1) if after[place] < board[place])
        target = max(OFF, source - die)
        # If there are several checkers on a point, another one moves on.
        is_hitter = source in hitters and board[source] == 1
        if is_hitter and target != OFF and board[target]:
            continue
        has_hit = after[PLACES + BAR] > board[PLACES + BAR]
        gone = {source} if is_hitter else set()
        come = {target} if has_hit or is_hitter else set()
        yield after, (hitters - gone) | come
