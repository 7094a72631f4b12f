"""The boards between the kushes of a chain, found from its first board and its last.

A chain can have millions of results, so whether it leads to one board is not looked up in a list.
The opponent does not move meanwhile: which points are closed, how many pips each kush has and so
how many kushes there were are known, and how many checkers make each move is a small integer
program. Its solution may ignore the order of moves within a kush, and therefore is only a proposal,
played on the generator; but if it has none, no play leads there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Floats, Ints
from engine.position import BAR, CHECKERS, HOME_POINTS, OFF, PLACES, SideVector
from engine.rules.house import HEAD, KUSH_MOVES, HomeMoves, HouseRules

NUMBERS: Final = 6
_MOST_CUTS: Final = 20
"""Times that a forbidden row of six is forbidden and the program solved again."""
_EARLIER: Final = 5.0
"""How much more a move counts than one of the next kush: as many as possible come first."""


class Leg(NamedTuple):
    """Equal moves: as many as possible, at least and at most so many."""

    number: int
    least: int
    most: int


class Row(NamedTuple):
    """Six points, all of which the mover may not hold after a leg."""

    leg: int
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Journey:
    """From the mover's counts `own` to `target`, against `other`, by these legs."""

    own: SideVector
    other: SideVector
    target: SideVector
    legs: tuple[Leg, ...]
    house: HouseRules
    banned: tuple[tuple[int, ...], ...] = ()
    """Sets of six points that the mover may not hold at the end of a leg."""
    is_first_turn: bool = False
    """Whether one more may leave the head in the first leg."""


def chain_legs(own: SideVector, target: SideVector, number: int) -> tuple[Leg, ...] | None:
    """The kushes, from that of `number` on, that add up to these pips; None if none do."""
    left, legs = _pips(own) - _pips(target), []
    for die in range(number, NUMBERS + 1):
        times = min(KUSH_MOVES, left // die)
        if times <= 0:
            break
        legs.append(Leg(die, times, times))
        left -= die * times
    return tuple(legs) if left == 0 else None


def leftover_legs(numbers: Sequence[int]) -> tuple[Leg, ...]:
    """What the opponent left over, of which any part may be impossible."""
    groups = ((number, len(list(group))) for number, group in groupby(numbers))
    return tuple(Leg(number, 0, times) for number, times in groups)


def propose_stops(journey: Journey, seed: int) -> tuple[SideVector, ...] | None:
    """The mover's boards after each leg, on one way from start to end; perhaps with a banned row.

    None if there is no way; `seed` chooses among several.
    """
    if not journey.legs:
        return (journey.target,) if journey.own == journey.target else None
    program = _Program.of(journey, seed)
    if program is None:
        return None
    rows: list[Row] = []
    for _ in range(_MOST_CUTS):
        stops = program.solved(rows)
        broken = [] if stops is None else list(_rows_held(stops, journey.banned))
        if not broken:
            break
        rows += broken
    return stops


def _rows_held(stops: tuple[SideVector, ...], banned: tuple[tuple[int, ...], ...]) -> Iterator[Row]:
    for leg, stop in enumerate(stops):
        yield from (Row(leg, points) for points in banned if all(stop[p] for p in points))


def _pips(own: SideVector) -> int:
    return sum(place * count for place, count in enumerate(own))


@dataclass(frozen=True, slots=True, eq=False)
class _Program:
    """How often each of M moves is made."""

    journey: Journey
    sources: Ints
    """(M,) where each move begins."""
    legs_of: Ints
    """(M,) the leg it belongs to."""
    flow: Ints
    """(26, M) what one such move adds to each place."""
    costs: Floats
    """(M,) to be minimized."""

    @classmethod
    def of(cls, journey: Journey, seed: int) -> _Program | None:
        moves = list(_possible_moves(journey))
        if not moves:
            return None
        sources, dice, legs_of = np.array(moves).T
        flow = np.zeros((PLACES, len(moves)), np.int64)
        flow[sources, range(len(moves))] = -1
        flow[np.maximum(OFF, sources - dice), range(len(moves))] = 1
        costs = np.random.default_rng(seed).random(len(moves))
        if any(leg.least < leg.most for leg in journey.legs):
            costs -= 2 * CHECKERS * _EARLIER ** (len(journey.legs) - legs_of)
        return cls(journey, sources, legs_of, flow, costs)

    def solved(self, rows: Sequence[Row]) -> tuple[SideVector, ...] | None:
        """The boards after each leg, none of which holds one of `rows` after its leg."""
        # Imported here: scipy.optimize takes longer to import than the rest of the engine together.
        from scipy.optimize import Bounds, LinearConstraint, milp

        journey, count = self.journey, len(self.costs)
        empty = sorted({(row.leg, point) for row in rows for point in row.points})
        low, matrix, high = self._limits(rows, empty)
        is_choice = any(leg.least < leg.most for leg in journey.legs)
        found = milp(
            np.concatenate([self.costs, np.zeros(len(empty))]),
            integrality=np.ones(count + len(empty)),
            bounds=Bounds(0, np.r_[np.full(count, KUSH_MOVES), np.ones(len(empty))]),
            constraints=LinearConstraint(matrix, low, high),
            # Any solution will do, unless as many moves as possible are to be found.
            options={"mip_rel_gap": 0.0 if is_choice else np.inf},
        )
        if found.x is None:
            return None
        times, own = np.rint(found.x[:count]).astype(np.int64), np.array(journey.own)
        return tuple(
            tuple((own + self._until(leg) @ times).tolist()) for leg in range(len(journey.legs))
        )

    def _until(self, leg: int) -> Ints:
        """(26, M) what each move adds to each place by the end of a leg."""
        return self.flow * (self.legs_of <= leg)

    def _limits(
        self, rows: Sequence[Row], empty: list[tuple[int, int]]
    ) -> tuple[Floats, Floats, Floats]:
        """The least, the coefficients and the most of every constraint.

        empty: legs and points for each of which a variable says that the point is empty then.
        """
        journey, own = self.journey, np.array(self.journey.own)
        low, matrix, high = [], [], []
        for index, leg in enumerate(journey.legs):
            is_last = index == len(journey.legs) - 1
            end = np.array(journey.target) - own
            matrix += [self._until(index), (self.legs_of == index)[None]]
            low += [end if is_last else -own, [leg.least]]
            high += [end if is_last else CHECKERS - own, [leg.most]]
        for away in range(self._first_home_leg()):
            # With all checkers home, the chain would end.
            matrix.append(self._until(away)[HOME_POINTS + 1 :].sum(axis=0)[None])
            low.append([1 - own[HOME_POINTS + 1 :].sum()])
            high.append([CHECKERS])
        for which, most in self._head_limits():
            matrix.append(which[None])
            low.append([0])
            high.append([most])
        wide = np.vstack(matrix).astype(np.float64)
        wide = np.hstack([wide, np.zeros((len(wide), len(empty)))])
        cuts = np.zeros((len(empty) + len(rows), wide.shape[1]))
        for n, (index, point) in enumerate(empty):
            cuts[n, : len(self.costs)] = self._until(index)[point]
            cuts[n, len(self.costs) + n] = CHECKERS
        for n, row in enumerate(rows, start=len(empty)):
            for point in row.points:
                cuts[n, len(self.costs) + empty.index((row.leg, point))] = 1
        least = np.r_[np.full(len(empty), -np.inf), np.ones(len(rows))]
        most_ = np.r_[[CHECKERS - own[p] for _, p in empty], np.full(len(rows), np.inf)]
        return (
            np.concatenate([*low, least]),
            np.vstack([wide, cuts]),
            np.concatenate([*high, most_]),
        )

    def _first_home_leg(self) -> int:
        """The first leg of a chain after which all checkers may be home."""
        legs = self.journey.legs
        if any(leg.least < leg.most for leg in legs):
            return 0  # what was left over is played on at home
        return len(legs) - 1 - int(self.journey.house.doubles.one_kush_more)

    def _head_limits(self) -> Iterator[tuple[Ints, int]]:
        """Which moves leave the head, and how many of them may be made."""
        house, is_head = self.journey.house, self.sources == HEAD
        if not house.heads:
            return
        # A first turn may take one more.
        more = int(self.journey.is_first_turn)
        if not house.heads_each_kush:
            yield is_head.astype(np.int64), house.heads + more
            return
        for leg in range(len(self.journey.legs)):
            is_of_leg = is_head & (self.legs_of == leg)
            yield is_of_leg.astype(np.int64), house.heads + more * (leg == 0)


def _possible_moves(journey: Journey) -> Iterator[tuple[int, int, int]]:
    """Each source, die and leg of a move that the opponent and the house do not always forbid."""
    target, other = journey.target, journey.other
    is_home, last = not any(target[HOME_POINTS + 1 :]), len(journey.legs) - 1
    for leg, (die, _, most) in enumerate(journey.legs):
        # Once all are home, a chain ends; what was left over goes on.
        may_bear_off = is_home and (leg == last or journey.legs[leg].least < most)
        for source in range(1, BAR):
            goal = source - die
            if goal < OFF or (goal == OFF and not may_bear_off):
                continue
            if goal > OFF and source <= HOME_POINTS and journey.house.inside is HomeMoves.NEVER:
                continue
            if goal > OFF and other[goal + 12 if goal <= 12 else goal - 12]:
                continue
            yield source, die, leg
