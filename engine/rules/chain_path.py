"""The boards between the kushes of a chain, found from its first board and its last.

A chain can have millions of results, so whether it leads to one board is not looked up in a list.
The opponent does not move meanwhile: which points are closed, how many pips each kush has and so
how many kushes there were are known, and how many checkers make each move is a small integer
program. Its solution may ignore some rules, and therefore is only a proposal, played on the
generator; but if it has none, no play leads there.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.position import BAR, CHECKERS, HOME_POINTS, OFF, PLACES, SideVector
from engine.rules.house import HEAD, KUSH_MOVES, HomeMoves, HouseRules

NUMBERS: Final = 6


class _Leg(NamedTuple):
    """Equal moves."""

    number: int
    times: int


def _legs_between(own: SideVector, target: SideVector, number: int) -> tuple[_Leg, ...] | None:
    """The kushes, from that of `number` on, that add up to these pips; None if none do."""
    pips, legs = _pips(own) - _pips(target), []
    for die in range(number, NUMBERS + 1):
        times = min(KUSH_MOVES, pips // die)
        if times <= 0:
            break
        legs.append(_Leg(die, times))
        pips -= die * times
    return tuple(legs) if pips == 0 else None


def propose_stops(
    own: SideVector,
    other: SideVector,
    target: SideVector,
    number: int,
    house: HouseRules,
    seed: int,
) -> tuple[SideVector, ...] | None:
    """The mover's boards after each kush from `number` on, on one way from `own` to `target`.

    None if there is no way; `seed` chooses among several.
    """
    legs = _legs_between(own, target, number)
    if legs is None or not legs:
        return (target,) if own == target else None
    # Imported here: scipy.optimize takes longer to import than the rest of the engine together.
    from scipy.optimize import Bounds, LinearConstraint, milp

    moves = _possible_moves(other, target, legs, house)
    if not moves:
        return None
    columns = [source for source, _, _ in moves]
    flow = np.zeros((PLACES, len(moves)), np.int64)
    flow[columns, range(len(moves))] = -1
    flow[[max(OFF, s - die) for s, die, _ in moves], range(len(moves))] = 1
    legs_of = np.array([leg for _, _, leg in moves])
    own_, rows, low, high = np.array(own), [], [], []
    for leg in range(len(legs)):
        after = flow * (legs_of <= leg)
        is_end = leg == len(legs) - 1
        rows += [after, (legs_of == leg)[None]]
        low += [np.array(target) - own_ if is_end else -own_, [legs[leg].times]]
        high += [np.array(target) - own_ if is_end else CHECKERS - own_, [legs[leg].times]]
    rows_of_heads, limits = _head_limits(columns, legs_of, own, house)
    rows += rows_of_heads
    low += [[0]] * len(limits)
    high += [[limit] for limit in limits]
    found = milp(
        np.random.default_rng(seed).random(len(moves)),
        integrality=np.ones(len(moves)),
        bounds=Bounds(0, KUSH_MOVES),
        constraints=LinearConstraint(np.vstack(rows), np.concatenate(low), np.concatenate(high)),
        options={"mip_rel_gap": np.inf},  # any solution will do
    )
    if found.x is None:
        return None
    times = np.rint(found.x).astype(np.int64)
    return tuple(
        tuple((own_ + (flow * (legs_of <= leg)) @ times).tolist()) for leg in range(len(legs))
    )


def _pips(own: SideVector) -> int:
    return sum(place * count for place, count in enumerate(own))


def _possible_moves(
    other: SideVector, target: SideVector, legs: tuple[_Leg, ...], house: HouseRules
) -> list[tuple[int, int, int]]:
    """Each source, die and leg of a move that the opponent and the house do not always forbid."""
    is_home, moves = not any(target[HOME_POINTS + 1 :]), []
    for leg, (die, _) in enumerate(legs):
        for source in range(1, BAR):
            goal = source - die
            if goal < OFF or (goal == OFF and not is_home):
                continue
            if goal > OFF and source <= HOME_POINTS and house.inside is HomeMoves.NEVER:
                continue
            if goal > OFF and other[goal + 12 if goal <= 12 else goal - 12]:
                continue
            moves.append((source, die, leg))
    return moves


def _head_limits(
    sources: list[int], legs_of: Ints, own: SideVector, house: HouseRules
) -> tuple[list[Floats], list[int]]:
    """Rows that count what leaves the head, and the most that may."""
    if not house.heads:
        return [], []
    is_head = np.array(sources) == HEAD
    # A first turn may take one more.
    most = house.heads + int(own[HEAD] == CHECKERS)
    if not house.heads_each_kush:
        return [is_head[None]], [most]
    legs = range(int(legs_of.max()) + 1)
    rows = [(is_head & (legs_of == leg))[None] for leg in legs]
    return rows, [most if leg == 0 else house.heads for leg in legs]
