"""The moves left over by a double that bear off a player's last checkers.

No throw of that player follows that would show them to be over: the board does. They end the game,
unless the opponent has a last throw.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from typing import Final, NamedTuple

import numpy as np

from engine.arrays import Ints
from engine.dice import ALL_ROLLS, Roll
from engine.events.match import Event, PlayMade
from engine.evidence.observation import cell_counts
from engine.inference.outcomes import find_outcomes
from engine.inference.verdict import MIN_PLAY_POSTERIOR, Candidate, Played
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.position import CHECKERS, OFF, Position, Side
from engine.referee.finish_turn import choose, decide, record_turn
from engine.referee.game_end import end_events
from engine.referee.state import RefereeState
from engine.rules import Rules
from engine.rules.house import KUSH_MOVES, LeftoverMoves
from engine.rules.legal import LegalPlay, list_few_leftover_plays, list_few_plays
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import TurnHypothesis, known_rolls
from engine.turns.origins import TurnOrigin

NUMBERS: Final = 6
MAX_FAULT_P: Final = 0.5
"""Probability of a fault from which a throw may not count."""
MIN_MISREAD_LOG_P: Final = -10.0
"""Log-probability from which a double may have been thrown: that of one misread die."""


class LastMoves(NamedTuple):
    """How a player bears off the last checkers."""

    double: Candidate | None
    """The play of the double; None if it is recorded."""
    leftover: LegalPlay
    """The moves left over that do."""
    p: float
    weight: float
    """The log-probability of the observations."""


class _Ending(NamedTuple):
    """One way in which the board may have come about."""

    double: tuple[Roll, LegalPlay] | None
    """The double and its play; None if it is recorded."""
    leftover: LegalPlay
    roll_log_p: float = 0.0


def find_last_moves(state: MatchState, evidence: TurnEvidence, rules: Rules) -> LastMoves | None:
    """These moves, if the board shows beyond doubt that they were made."""
    if rules.doubles.passing is LeftoverMoves.NOTHING or evidence.newest is None:
        return None
    endings = list(_endings(state, evidence, rules))
    if not endings or state.position is None:
        return None
    before, view = cell_counts(state.position), evidence.view(evidence.newest, state.position_at)
    ends = np.array([cell_counts(one.leftover.position) for one in endings])
    others = np.unique(np.vstack([before, *_others(state, rules)]), axis=0)
    cells = np.vstack([ends, others])
    scores = view.score(cells, before).copy()
    scores[: len(endings)] += [one.roll_log_p for one in endings]
    same = np.flatnonzero((cells == cells[scores.argmax()]).all(axis=1))
    p_same = float(np.logaddexp.reduce(scores[same]))
    p = exp(p_same - float(np.logaddexp.reduce(scores)))
    if same[-1] >= len(endings) or p < MIN_PLAY_POSTERIOR:
        return None
    best = int(same[scores[same].argmax()])
    chosen, double = endings[best], None
    if chosen.double is not None:
        roll, made = chosen.double
        double = Candidate(made.position, made.play, roll, p, exp(float(scores[best]) - p_same))
    return LastMoves(double, chosen.leftover, p, float(scores[best]) - view.max_score)


def _endings(state: MatchState, evidence: TurnEvidence, rules: Rules) -> Iterator[_Ending]:
    """Every play of the double, if it is not recorded, with every way to finish after it."""
    position, side = state.position, state.to_move
    if position is None or side is None:
        return
    if state.leftover and evidence.throw is None:
        yield from (_Ending(None, end) for end in _last(position, side, state.leftover, rules))
    if state.leftover:
        return
    for double, log_p in _doubles(state, evidence):
        if not _may_end(position, side.other, _most_left_over(double.high, rules)):
            continue
        plays = list_few_plays(position, side, double, rules)
        if plays is None:
            continue
        for index, play in enumerate(plays):
            for end in _last(play.position, side.other, plays.leftover(index), rules):
                yield _Ending((double, play), end, log_p)


def _doubles(state: MatchState, evidence: TurnEvidence) -> Iterator[tuple[Roll, float]]:
    """The doubles, and the log-probability that each was thrown.

    Besides the recorded roll, those that a throw by the player on turn may be, one die misread.
    """
    high, low = state.roll or (None, None)
    if state.phase is Phase.TO_PLAY and high is not None and high == low:
        yield Roll(high, high), 0.0
        return
    throw, zone, side = evidence.throw, evidence.zone, state.to_move
    if throw is None or side is None or evidence.may_miss_turns:
        return
    if max(throw.faults(side, zone).values()) >= MAX_FAULT_P or throw.odds_of(side, zone) < 1:
        return
    pairs = zip(ALL_ROLLS, known_rolls(state, evidence).tolist(), strict=True)
    yield from ((roll, p) for roll, p in pairs if roll.is_double and p >= MIN_MISREAD_LOG_P)


def _most_left_over(number: int, rules: Rules) -> tuple[int, ...]:
    """The moves that a double leaves to the opponent if nothing of it can be played."""
    last = NUMBERS if rules.doubles.passing is LeftoverMoves.CHAIN else number
    return tuple(each for each in range(number, last + 1) for _ in range(KUSH_MOVES))


def _may_end(position: Position, side: Side, numbers: tuple[int, ...]) -> bool:
    """Whether so many moves, of so many pips, may bear off all checkers."""
    left = CHECKERS - position.of(side)[OFF]
    return bool(numbers) and left <= len(numbers) and position.pips(side) <= sum(numbers)


def _last(
    position: Position, side: Side, numbers: tuple[int, ...], rules: Rules
) -> Iterator[LegalPlay]:
    """The plays of these numbers that bear off the last checkers."""
    if not _may_end(position, side, numbers):
        return
    plays = list_few_leftover_plays(position, side, numbers, rules) or ()
    yield from (play for play in plays if rules.outcome(play.position) is not None)


def _others(state: MatchState, rules: Rules) -> Iterator[Ints]:
    """(N, 28) what else the board may show: the same turn with checkers left in play."""
    assert state.position is not None  # noqa: S101
    assert state.to_move is not None  # noqa: S101
    if state.leftover:
        plays = list_few_leftover_plays(state.position, state.to_move, state.leftover, rules) or ()
        going_on = (one.position for one in plays if rules.outcome(one.position) is None)
        yield from (cell_counts(one)[None] for one in going_on)
    else:
        yield find_outcomes(state.position, state.to_move, rules).cells


def record_last_moves(
    ref: RefereeState, last: LastMoves, evidence: TurnEvidence, when: Timestamp
) -> Iterator[Event]:
    """Record the play of the double, the moves left over and, if it is over, the game's end."""
    if last.double is None:
        decide(ref, last.p, last.weight)
    else:
        hypothesis = _of_double(ref.state, last, last.double)
        yield from record_turn(ref, choose(ref, hypothesis, is_over=True), evidence, when)
    if not ref.state.leftover or ref.state.to_move is None:
        return
    yield ref.emit(
        PlayMade(
            time=when.time,
            frame=when.frame,
            player=ref.state.to_move,
            dice=None,
            play=str(last.leftover.play),
            position=last.leftover.position,
            confidence=last.p,
        )
    )
    ref.begin_turn(ref.evidence.next())  # in which a last throw may follow
    yield from ref.emit_all(end_events(ref.state, ref.rules, when))


def _of_double(state: MatchState, last: LastMoves, double: Candidate) -> TurnHypothesis:
    """The hypothesis that the double was played so."""
    assert state.position is not None  # noqa: S101
    assert state.to_move is not None  # noqa: S101
    origin, verdict = TurnOrigin(state.position, state.to_move), Played(last.weight, double)
    return TurnHypothesis(origin, verdict, last.weight, p=last.p)
