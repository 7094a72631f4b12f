"""A player who plays as people do: a fast hand-written evaluation of positions, plus noise.

It need not be strong. It must make points, hit, run, prime and bear off, so that a simulated game
visits the positions that real games visit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Boards
from engine.dice import Roll
from engine.match.leftover import Numbers
from engine.position import BAR, OFF, Course, Position, Side
from engine.rules import Rules
from engine.rules.kush_turn import KushTurn, begin_leftover, begin_roll
from engine.rules.legal import list_few_leftover_plays, list_few_plays

Worth = NDArray[np.float64]

WHIM: Final = 1.5
"""Standard deviation of the noise in an evaluation, in pips."""
HIT_CHANCES: Final = np.array([11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3]) / 36
"""Probability that a checker hits a blot 1..12 pips ahead, with nothing in between."""
POINT_WORTH: Final = np.array(
    [1, 2, 3, 5, 7, 6, 5, 3, 2, 2, 2, 2, 2, 1, 1, 2, 2, 3, 3, 5, 5, 3, 2, 1], float
)
"""Value in pips of holding each own point 1..24: the home board, the bar point, anchors."""
TEMPO: Final = 6.0
"""Cost in pips of being hit, besides the distance lost: the opponent's gain in time."""
CLOSED_OUT: Final = 3.0
"""Pips per closed home point while the opponent is on the bar."""
PRIME: Final = 0.6
"""Pips times the square of the number of points held out of six in a row."""
HEAP: Final = 1.2
"""Cost in pips of each checker beyond the third on a point."""
HOME: Final = 6


def _safe_logs() -> Worth:
    """(25, 24) log-probability that a checker at r misses a blot on point p, for r < p.

    Both in the mover's numbers: the opponent moves up through them from 0, the opponent's bar.
    """
    ahead = np.arange(1, BAR)[None] - np.arange(BAR)[:, None]
    reached = (ahead >= 1) & (ahead <= len(HIT_CHANCES))
    chances = HIT_CHANCES[np.clip(ahead, 1, len(HIT_CHANCES)) - 1]
    return np.where(reached, np.log1p(-chances), 0.0)


SAFE_LOGS: Final = _safe_logs()


def choose_play(
    rng: np.random.Generator, position: Position, side: Side, roll: Roll, rules: Rules
) -> Position:
    """The position after the play that such a player chooses."""
    plays = list_few_plays(position, side, roll, rules)
    if plays is None:
        return _choose_kushes(rng, begin_roll(position, side, roll, rules))
    return plays[_choose(rng, plays.results, position.course)].position


def choose_leftover_play(
    rng: np.random.Generator, position: Position, side: Side, numbers: Numbers, rules: Rules
) -> Position:
    """The position after such a player has moved what the opponent's double left over."""
    plays = list_few_leftover_plays(position, side, numbers, rules)
    if plays is None:
        return _choose_kushes(rng, begin_leftover(position, side, numbers, rules))
    return plays[_choose(rng, plays.results, position.course)].position


def _choose_kushes(rng: np.random.Generator, turn: KushTurn) -> Position:
    """The position after a turn of which such a player chooses one kush after another."""
    while not turn.is_over:
        turn = turn.after(_choose(rng, turn.plays.results, turn.position.course))
    return turn.position


def _choose(rng: np.random.Generator, boards: Boards, course: Course) -> int:
    return int((judge_boards(boards, course) + rng.normal(0, WHIM, len(boards))).argmax())


def judge_boards(boards: Boards, course: Course = Course.OPPOSED) -> Worth:
    """(N,) the value of each board for the player who has just moved, in pips."""
    own, other = boards[:, 0].astype(float), boards[:, 1].astype(float)
    places = np.arange(BAR + 1)
    race = other @ places - own @ places
    # Bearing off beats merely moving: at the end, pips are wasted.
    race += 3 * own[:, OFF]
    if course is Course.CIRCLING:
        return np.asarray(race + _spread(own))
    return np.asarray(race + np.where(_in_contact(own, other), _shape(own, other), 0.0))


def _spread(own: Worth) -> Worth:
    """(N,) what blocks the opponent, where nothing is hit: points held, and held in a row."""
    points = own[:, 1:BAR]
    held = points > 0
    prime = np.lib.stride_tricks.sliding_window_view(held, HOME, axis=1).sum(axis=2)
    heaps = np.maximum(points - 3, 0).sum(axis=1)
    return np.asarray(held.sum(axis=1) + PRIME * prime.max(axis=1) ** 2 - HEAP * heaps)


def _in_contact(own: Worth, other: Worth) -> NDArray[np.bool_]:
    furthest = [BAR - np.argmax(side[:, ::-1] > 0, axis=1) for side in (own, other)]
    return np.asarray(furthest[0] + furthest[1] > BAR)


def _shape(own: Worth, other: Worth) -> Worth:
    points = own[:, 1:BAR]
    held = points >= 2
    prime = np.lib.stride_tricks.sliding_window_view(held[:, :18], HOME, axis=1).sum(axis=2)
    closed = held[:, :HOME].sum(axis=1) * (other[:, BAR] > 0)
    heaps = np.maximum(points - 3, 0).sum(axis=1)
    return np.asarray(
        held @ POINT_WORTH
        + PRIME * prime.max(axis=1) ** 2
        + CLOSED_OUT * closed
        - HEAP * heaps
        - _danger(points, other)
    )


def _danger(points: Worth, other: Worth) -> Worth:
    """(N,) the pips that the opponent is expected to win by hitting blots."""
    # Own point p is the opponent's 25 - p; their bar is just before the mover's ace point.
    threats = (other[:, BAR:0:-1] > 0).astype(float)
    hit = 1 - np.exp(threats @ SAFE_LOGS)
    lost = BAR - np.arange(1, BAR) + TEMPO
    return np.asarray(((points == 1) * hit * lost).sum(axis=1))
