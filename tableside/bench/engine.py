"""Benchmarks of the engine: complete lists of distinct legal results a second, and gnubg_nn's."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.dice import Roll
from engine.position import BAR, OFF, PLACES, Position, Side
from engine.rules import SHORT
from engine.rules.legal import legal_plays
from tableside.bench import BenchRow, Measure, median_seconds

TURNS: Final = 2_000
_SEED: Final = 20
_FIRST_PLY: Final = 6
_UNIT: Final = "lists/s"
_MISSING: Final = "gnubg_nn is not installed: pip install tableside[bench]"

Turn = tuple[Position, Roll]


@dataclass(frozen=True, slots=True)
class _Lists:
    """The same turns in the form that each program takes; light is on roll."""

    turns: tuple[Turn, ...]
    boards: NDArray[np.int8]
    """(P, 2, 26)"""
    dice: NDArray[np.int8]
    """(P, 2)"""


def midgame_turns(count: int = TURNS, seed: int = _SEED) -> tuple[Turn, ...]:
    """Turns of random play from the seventh ply on while there is contact, the same every time.

    Light is on roll, and nobody has borne off.
    """
    chance = random.Random(seed)  # noqa: S311 (a fixed list, no secret)
    turns: list[Turn] = []
    while len(turns) < count:
        position, ply = SHORT.opening(), 0
        while _has_contact(position) and not position.light[OFF] + position.dark[OFF]:
            roll = Roll(chance.randint(1, 6), chance.randint(1, 6))
            if ply >= _FIRST_PLY:
                turns.append((position, roll))
            after = chance.choice(legal_plays(position, Side.LIGHT, roll, SHORT)).position
            position, ply = Position(after.dark, after.light), ply + 1
    return tuple(turns[:count])


def _has_contact(position: Position) -> bool:
    return _furthest(position.light) + _furthest(position.dark) > BAR


def _furthest(vector: tuple[int, ...]) -> int:
    return max(place for place, count in enumerate(vector) if count)


def _lists() -> _Lists:
    turns = midgame_turns()
    boards = np.array([(position.light, position.dark) for position, _ in turns], np.int8)
    dice = np.array([(roll.high, roll.low) for _, roll in turns], np.int8)
    return _Lists(turns, boards.reshape(-1, 2, PLACES), dice)


def _measure_arrays() -> BenchRow:
    """All turns in one call, from arrays to arrays."""
    lists = _lists()
    return _row(lists, lambda: SHORT.search(lists.boards, lists.dice))


def _measure_api() -> BenchRow:
    """One call of `legal_plays` a turn: all results, of which no `Play` is built."""
    lists = _lists()
    return _row(lists, lambda: [legal_plays(p, Side.LIGHT, r, SHORT) for p, r in lists.turns])


def _row(lists: _Lists, work: Callable[[], object]) -> BenchRow:
    count = len(lists.turns)
    here = count / median_seconds(work, clock=time.process_time)
    try:
        rival = _gnubg_work(lists)
    except ImportError:
        return BenchRow(here, _UNIT, _MISSING)
    baseline = count / median_seconds(rival, clock=time.process_time)
    return BenchRow(here, _UNIT, "gnubg_nn.moves, the same turns", baseline)


def _gnubg_work(lists: _Lists) -> Callable[[], list[int]]:
    """A call that lets gnubg_nn list the same turns, and gives the number of results of each."""
    import gnubg_nn

    arguments = [
        ([_gnubg_side(p.dark), _gnubg_side(p.light)], roll.high, roll.low)
        for p, roll in lists.turns
    ]
    return lambda: [len(gnubg_nn.moves(*one)) for one in arguments]


def _gnubg_side(vector: tuple[int, ...]) -> list[int]:
    """25 counts: the side's own points 1..24, then the bar."""
    return list(vector[1:])


ROWS: Final[dict[str, Measure]] = {
    "legal_plays_arrays": _measure_arrays,
    "legal_plays_api": _measure_api,
}
