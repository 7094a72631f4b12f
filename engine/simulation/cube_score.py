"""What a referee told of the cube and of the ends of games, held against the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.events.match import Doubled, DoubleDropped, DoubleTaken, GameEnd
from engine.match.state import MatchState
from engine.position import Side
from engine.simulation.match import TrueCubeAction


class CubeCount(NamedTuple):
    """How many moves of the cube were told, and how."""

    right: int
    """As they were, and when."""
    late: int
    """As they were, but before or after another turn."""
    missed: int
    invented: int


def states_of(state: MatchState) -> list[MatchState]:
    """Every state of the history that is told, oldest first."""
    states = [state]
    while states[-1].prior is not None:
        states.append(states[-1].prior)
    return states[::-1]


def told_cube(state: MatchState) -> Iterator[TrueCubeAction]:
    """What was told of the cube in the history that stands."""
    for after in states_of(state):
        before, event = after.prior, after.last
        if before is None or not isinstance(event, Doubled | DoubleTaken | DoubleDropped):
            continue
        offer = before.cube.offer
        value = event.value if isinstance(event, Doubled) else offer.value if offer else 0
        yield TrueCubeAction(before.games, len(before.played), event.type, event.player, value)


def told_ends(state: MatchState) -> dict[int, tuple[Side, int]]:
    """Who won each game of those that ended, and how many points."""
    ends = ((one.games, one.last) for one in states_of(state))
    return {
        event.game or game: (event.winner, event.points)
        for game, event in ends
        if isinstance(event, GameEnd)
    }


def count_cube(true: Sequence[TrueCubeAction], told: Sequence[TrueCubeAction]) -> CubeCount:
    """Each move is paired once: with the same one, else with one at another turn of its game."""
    left_true, left_told = Counter(true), Counter(told)
    right = left_true & left_told
    left_true, left_told = left_true - right, left_told - right
    late = _untimed(left_true) & _untimed(left_told)
    return CubeCount(
        right.total(),
        late.total(),
        left_true.total() - late.total(),
        left_told.total() - late.total(),
    )


def _untimed(moves: Counter[TrueCubeAction]) -> Counter[TrueCubeAction]:
    return Counter(move._replace(plays=0) for move in moves.elements())
