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
from engine.referee.game_end import UNSEEN_WIN_CONFIDENCE, end_events, unseen_play
from engine.referee.state import RefereeState
from engine.rules import Rules
from engine.rules.house import KUSH_MOVES, LeftoverMoves
from engine.rules.legal import LegalPlay, list_few_leftover_plays, list_few_plays
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import TurnHypothesis, known_rolls
from engine.turns.origins import TurnOrigin

NUMBERS: Final = 6
MIN_DOUBLE_LOG_P: Final = -7.0
"""Log-probability from which a doubtful throw may be a double."""


class LastMoves(NamedTuple):
    """How a player bears off the last checkers."""

    play: LegalPlay | None
    """The play of the double; None if it is recorded."""
    leftover: LegalPlay
    """The moves left over that do."""
    p: float
    weight: float
    """The log-probability of the observations."""


def find_last_moves(
    state: MatchState, evidence: TurnEvidence, rules: Rules, double: Roll | None
) -> LastMoves | None:
    """These moves, if the board shows beyond doubt that they were made.

    `double`: the roll that left them over, if its play is not recorded.
    """
    if rules.doubles.passing is LeftoverMoves.NOTHING or evidence.newest is None:
        return None
    pairs = list(_endings(state, evidence, rules, double))
    if not pairs or state.position is None:
        return None
    before, view = cell_counts(state.position), evidence.view(evidence.newest, state.position_at)
    ends = np.array([cell_counts(leftover.position) for _, leftover in pairs])
    cells = np.vstack([ends, before, *_others(state, rules)])
    scores = view.score(cells, before)
    best = int(scores.argmax())
    p = exp(float(scores[best] - np.logaddexp.reduce(scores)))
    if best >= len(pairs) or p < MIN_PLAY_POSTERIOR:
        return None
    return LastMoves(*pairs[best], p, float(scores[best]) - view.max_score)


def recorded_double(state: MatchState) -> Roll | None:
    """The double that is to be played, if it was recorded."""
    high, low = state.roll or (None, None)
    is_double = state.phase is Phase.TO_PLAY and high is not None and high == low
    return Roll(high, high) if is_double and high is not None else None


def _endings(
    state: MatchState, evidence: TurnEvidence, rules: Rules, double: Roll | None
) -> Iterator[tuple[LegalPlay | None, LegalPlay]]:
    """Every play of the double, if it is not recorded, with every way to finish after it."""
    position, side = state.position, state.to_move
    if position is None or side is None:
        return
    if state.leftover and evidence.throw is None:
        yield from ((None, end) for end in _last(position, side, state.leftover, rules))
    if double is None:
        return
    if CHECKERS - position.of(side.other)[OFF] > _most_left_over(rules):
        return
    plays = list_few_plays(position, side, double, rules)
    if plays is None:
        return
    for index in range(len(plays)):
        numbers = plays.leftover(index)
        if _may_end(position, side.other, numbers):
            play = plays[index]
            yield from ((play, end) for end in _last(play.position, side.other, numbers, rules))


def _most_left_over(rules: Rules) -> int:
    """How many moves a double may leave to the opponent."""
    return KUSH_MOVES * (NUMBERS if rules.doubles.passing is LeftoverMoves.CHAIN else 1)


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
    if last.play is None:
        decide(ref, last.p, last.weight)
    else:
        hypothesis = _of_double(ref.state, last, last.play)
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


def guess_last_moves(ref: RefereeState, when: Timestamp) -> Iterator[Event]:
    """Record, for review, a double with one die misread and the moves that it left over.

    Only for a game that is broken off, if they alone explain the last view of the board.
    """
    state, evidence = ref.state, ref.evidence
    if ref.turn in ref.corrections.plays or ref.turn in ref.corrections.rolls:
        return
    if state.leftover or state.phase not in (Phase.TO_ROLL, Phase.TO_PLAY):
        return
    found = [
        (last, double)
        for double in _doubles_misread(state, evidence)
        if (last := find_last_moves(state, evidence, ref.rules, double)) and last.play
    ]
    if not found or state.to_move is None:
        return
    (last, double), side = max(found, key=lambda pair: pair[0].weight), state.to_move
    assert last.play is not None  # noqa: S101
    p = min(last.p, UNSEEN_WIN_CONFIDENCE)
    yield ref.emit(unseen_play(side, last.play, (double.high, double.low), p, when))
    yield ref.emit(unseen_play(side.other, last.leftover, None, p, when))


def _doubles_misread(state: MatchState, evidence: TurnEvidence) -> Iterator[Roll]:
    """The doubles that a roll is if one die was misread, or that a doubtful throw may be."""
    doubles = (roll for roll in ALL_ROLLS if roll.is_double)
    if state.roll is not None:
        yield from (double for double in doubles if double.high in state.roll)
    elif evidence.throw is not None:
        log_p = dict(zip(ALL_ROLLS, known_rolls(state, evidence).tolist(), strict=True))
        yield from (double for double in doubles if log_p[double] >= MIN_DOUBLE_LOG_P)


def _of_double(state: MatchState, last: LastMoves, play: LegalPlay) -> TurnHypothesis:
    """The hypothesis that the double on the board was played so."""
    assert state.position is not None  # noqa: S101
    assert state.to_move is not None  # noqa: S101
    assert state.roll is not None  # noqa: S101
    number, _ = state.roll
    assert number is not None, "a double is played"  # noqa: S101
    best = Candidate(play.position, play.play, Roll(number, number), last.p, 1.0)
    origin, verdict = TurnOrigin(state.position, state.to_move), Played(last.weight, best)
    return TurnHypothesis(origin, verdict, last.weight, p=last.p)
