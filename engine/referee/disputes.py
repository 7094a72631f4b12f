"""An illegal play: rejected, accepted, or still open; and a legal play taken back.

An illegal play that stood for a while beside its dice and was put back is rejected, whoever noticed
it. The rule set says until when an illegal play can be corrected: the opponent's roll or double, or
their whole play.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.arrays import Floats
from engine.dice import Roll
from engine.events.match import DiceVoid, PlayAccepted, PlayRejected, TakenBack
from engine.evidence.cube_track import CubeAtRest
from engine.evidence.likelihood import PositionView, with_floor
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.evidence.whole_board import contradicting_position
from engine.inference.outcomes import find_outcomes
from engine.inference.verdict import Illegal, NothingYet
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.position import OFF, Position, Side
from engine.referee.doubling import turned_cube
from engine.referee.finish_turn import is_valid, void_event
from engine.referee.manual import ACCEPTED_BY_DOUBLE, ACCEPTED_BY_ROLL, accepted_by
from engine.rules import Rules
from engine.rules.illegality import is_unfinished
from engine.rules.legal import is_legal
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import TurnHypothesis, judge_turn
from engine.turns.position_check import MIN_CHANGE_NATS, cells_of, shows_position, shows_put_back

MIN_TAKE_BACK_OBSERVATIONS: Final = 3
"""Observations of the position before a play until it counts as put back, not just shown
briefly."""
MIN_PUT_BACK_OBSERVATIONS: Final = 2
"""The same for checkers that go back while their dice lie there, or for the play replacing
theirs."""


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """The opponent's answer, as far as it has been seen."""

    event: PlayAccepted | PlayRejected | DiceVoid | None = None
    is_void: bool = False
    """Whether the opponent's throw does not count, so that there is no answer yet."""


def seen_answer(
    state: MatchState,
    before: TurnEvidence,
    period: StillPeriod,
    cube: CubeAtRest | None,
    rules: Rules,
) -> SeenAnswer:
    """How the illegal play is answered by what `period` adds to the evidence `before`."""
    turn, when = state.turns[-1], period.timestamp
    made, side = turn.event, turn.event.player
    evidence, is_new_throw = before.with_period(period)
    # The observation that ended the turn is compared with the position before it.
    reference = (
        None if period.reference_frame is None else state.position_at(period.reference_frame)
    )
    if shows_put_back(
        *(period, made.position, turn.before, side, made.dice, rules),
        has_answer=bool(evidence.throw),
        reference=reference,
        errors=before.errors,
    ):
        return SeenAnswer(PlayRejected(time=when.time, frame=when.frame, player=side.other))
    if evidence.throw is not None:
        return _by_throw(state, before, period, rules, is_new_throw=is_new_throw)
    doubles = state.rule_set.acceptance_event in ACCEPTED_BY_DOUBLE
    if doubles and turned_cube(state, cube, rules, when) is not None:
        return SeenAnswer(accepted_by(state, "double", when))
    return SeenAnswer()


def _by_throw(
    state: MatchState,
    before: TurnEvidence,
    period: StillPeriod,
    rules: Rules,
    *,
    is_new_throw: bool,
) -> SeenAnswer:
    """A valid roll accepts immediately if the rule set says so; a complete play always does."""
    when, by_roll = period.timestamp, state.rule_set.acceptance_event in ACCEPTED_BY_ROLL
    evidence = before if is_new_throw else before.with_period(period)[0]
    opponent = state.turns[-1].event.player.other
    assert evidence.throw is not None, "there is no throw"  # noqa: S101
    if by_roll and is_valid(evidence.throw, opponent, evidence.zone):
        return SeenAnswer(accepted_by(state, "roll", when))
    if not is_new_throw and evidence.after_lift is None:
        return SeenAnswer()
    hypothesis = judge_turn(state, evidence, rules, period if is_new_throw else None)
    if is_new_throw and isinstance(hypothesis.verdict, NothingYet):
        return SeenAnswer(void_event(evidence.throw, opponent, evidence.zone, when), is_void=True)
    if is_new_throw or (hypothesis.moves_checkers and hypothesis.is_decided):
        return SeenAnswer(accepted_by(state, "roll" if by_roll else "play", when))
    return SeenAnswer()


def taken_back(
    state: MatchState, before: TurnEvidence, period: StillPeriod, rules: Rules
) -> TakenBack | None:
    """The event that the last play was put back before the opponent threw.

    Only for a play that needs no review; otherwise the record itself may be wrong.
    """
    turn = state.current_game_turns[-1] if state.current_game_turns else None
    is_open = state.phase is Phase.TO_ROLL and before.throw is None
    if turn is None or not is_open or period.observation_count < MIN_TAKE_BACK_OBSERVATIONS:
        return None
    played = turn.event.position
    if turn.event.review or played != state.position or played == turn.before:
        return None
    if not shows_position(period, turn.before, rules):
        return None
    answers = find_outcomes(played, turn.event.player.other, rules).cells
    settled = cell_counts(played)
    view = PositionView.of(period, errors=before.errors)
    left = max(view.score(cells, settled).max() for cells in (settled[None], answers))
    if view.score(cells_of(turn.before), settled)[0] <= left + MIN_CHANGE_NATS:
        return None
    when = period.timestamp
    return TakenBack(time=when.time, frame=when.frame, player=turn.event.player)


def put_back_play(
    state: MatchState, before: TurnEvidence, period: StillPeriod, rules: Rules
) -> TurnHypothesis | None:
    """The illegal play that stood beside its dice until it was put back, as `period` shows.

    Before the dice are picked up, an accusation needs more than afterward: the roll is recorded,
    every place is read exactly as the play left it, and no further moves would have made it legal.
    """
    is_open = state.phase is Phase.TO_PLAY and not (before.is_ended or before.after_lift)
    if before.stood is None or not is_open or before.with_period(period)[1]:
        return None
    read = with_floor(before.stood.table, before.errors.misread_share)
    made = _illegal_reading(read, state, rules)
    if made is None or period.observation_count < MIN_PUT_BACK_OBSERVATIONS:
        return None
    origin, side = state.position, state.to_move
    assert origin is not None and side is not None, "a player is to play"  # noqa: S101, PT018
    at = period.reference_frame
    reference = origin if at is None else state.position_at(at)
    args = (period, made, origin, side, state.roll, rules)
    if not shows_put_back(*args, reference=reference, errors=before.errors):
        return None
    hypothesis = judge_turn(state, before.as_stood(), rules)
    verdict, found = hypothesis.verdict, hypothesis.origin
    is_accused = isinstance(verdict, Illegal) and verdict.best.is_explained
    is_same = hypothesis.best is not None and hypothesis.best.position == made
    is_recorded = found.is_recorded and not found.unseen
    return hypothesis if is_accused and is_same and is_recorded else None


def _illegal_reading(read: Floats, state: MatchState, rules: Rules) -> Position | None:
    """The position read, if it is a finished play of the recorded roll that breaks a rule.

    read: (28, 31) log-probabilities of the counts.
    """
    origin, side, (high, low) = state.position, state.to_move, state.roll or (None, None)
    if origin is None or side is None or high is None or low is None:
        return None
    made = contradicting_position(read, origin)
    # If the trays are not visible, a checker still in the hand looks borne off.
    if made is None or any(made.of(one)[OFF] != origin.of(one)[OFF] for one in Side):
        return None
    turn = (origin, side, Roll(high, low), made, rules)
    return None if is_legal(*turn) or is_unfinished(*turn) else made
