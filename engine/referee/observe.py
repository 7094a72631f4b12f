"""What one more observation makes certain: a start, a throw, an answer, the end of a turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.events.match import DiceRolled, Event, OpeningRolled, PlayRejected
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import Illegal, NothingYet
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.referee.disputes import put_back_play, seen_answer, taken_back
from engine.referee.doubling import offered_events, taken_cube, taken_events, turned_cube
from engine.referee.finish_turn import (
    choose,
    decide,
    finish_swept_turn,
    finish_turn,
    judge_finished,
    record_turn,
    record_unowned_voids,
    throw_event,
    with_corrections,
)
from engine.referee.game_end import (
    MIN_SWEPT_OBSERVATIONS,
    UNSEEN_WIN_CONFIDENCE,
    broken_off,
)
from engine.referee.leftover_end import (
    find_last_moves,
    guess_last_moves,
    record_last_moves,
    recorded_double,
)
from engine.referee.set_up_errors import resumed_event
from engine.referee.state import RefereeState
from engine.referee.turn_end import (
    is_ended_by_player,
    is_over_after_lift,
    judge_before_throw,
    premature_event,
    simultaneous_throw,
)
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import judge_turn
from engine.turns.opening import is_undecided_opening, start_event
from engine.turns.position_check import shows_position
from engine.turns.throw import is_throw


def process_observation(ref: RefereeState, period: StillPeriod) -> Iterator[Event]:
    """The events that become certain with the newest observation in `period`."""
    if ref.is_swept(period):
        if ref.swept_observations + period.observation_count < MIN_SWEPT_OBSERVATIONS:
            return
        yield from finish_swept_turn(ref, period.timestamp)
        if ref.state.phase not in BETWEEN_GAMES:
            yield from _break_off(ref, period.timestamp)
    if ref.state.phase in BETWEEN_GAMES:
        yield from _await_start(ref, period)
    if ref.state.phase is Phase.DOUBLED:
        yield from _await_cube_answer(ref, period)
    # Twice, because the observation that ends a turn with an illegal play may also show its
    # acceptance.
    for _ in range(2):
        if ref.state.phase is Phase.DISPUTED:
            yield from _await_dispute_answer(ref, period)
        if ref.state.phase in (Phase.TO_ROLL, Phase.TO_PLAY):
            yield from _process_turn(ref, period)
        if ref.state.phase is not Phase.DISPUTED:
            return


def _break_off(ref: RefereeState, when: Timestamp) -> Iterator[Event]:
    """What a board that was swept in mid-game means; the plays that it implies stay in doubt."""
    first = ref.turn
    double = ref.glimpsed_double(when)
    if double is not None:
        yield ref.emit(double)
    else:
        yield from guess_last_moves(ref, when)
    yield from ref.emit_all(broken_off(ref.state, ref.rules, when))
    if ref.turn > first:
        decide(ref, UNSEEN_WIN_CONFIDENCE, 0.0)


def _await_start(ref: RefereeState, period: StillPeriod) -> Iterator[Event]:
    resumed = resumed_event(ref.state, period, ref.rules)
    if resumed is not None:
        ref.swept_observations = 0
        yield ref.emit(resumed)
        ref.begin_turn(TurnEvidence())
        return
    start = ref.start or ref.rules.opening()
    if ref.state.winner is not None:
        return
    is_thrown = is_throw(period.dice, ref.zone)
    if not shows_position(period, start, ref.rules, is_thrown=is_thrown):
        return
    ref.start = None
    ref.swept_observations = 0
    ref.cube = ref.cube.for_next_game()
    ref.unowned_voids = ()
    yield ref.emit(start_event(ref.state, ref.rules, ref.zone.rule_set, start, period.timestamp))
    ref.remember_board(period)
    ref.begin_turn(TurnEvidence())


def _await_cube_answer(ref: RefereeState, period: StillPeriod) -> Iterator[Event]:
    """Await the answer to an offered cube: it is redoubled, or taken when play continues."""
    turned = turned_cube(ref.state, ref.confirmed_cube(period), ref.rules, period.timestamp)
    if turned is not None:
        yield ref.emit(turned)
    taken = taken_cube(ref.state, ref.evidence, period, ref.rules)
    if taken is not None:
        yield ref.emit(taken)


def _await_dispute_answer(ref: RefereeState, period: StillPeriod) -> Iterator[Event]:
    """Await the end of a dispute: the opponent plays on, or the checkers go back."""
    cube = ref.confirmed_cube(period)
    answer = seen_answer(ref.state, ref.evidence, period, cube, ref.rules)
    if answer.event is not None:
        yield ref.emit(answer.event)
    if isinstance(answer.event, PlayRejected):
        ref.replay_throw(ref.evidence.with_period(period)[0])
    elif answer.is_void:
        ref.begin_turn(ref.evidence.next())


def _process_turn(ref: RefereeState, period: StillPeriod) -> Iterator[Event]:
    back = taken_back(ref.state, ref.evidence, period, ref.rules)
    if back is not None:
        yield ref.emit(back)
        ref.replay_throw(ref.evidence)
        return
    yield from _reject_put_back(ref, period)
    evidence, is_new_throw = ref.evidence.with_period(period)
    double = recorded_double(ref.state)
    last = None if is_new_throw else find_last_moves(ref.state, evidence, ref.rules, double)
    if last is not None:
        yield from record_last_moves(ref, last, evidence, period.timestamp)
    elif is_new_throw:
        yield from _process_next_throw(ref, period)
    elif ref.evidence.throw is None and evidence.throw is not None:
        unseen = judge_before_throw(ref.state, ref.evidence, period, ref.rules)
        if unseen is not None:
            hypothesis = choose(ref, with_corrections(ref, ref.evidence, unseen, period))
            yield from record_turn(ref, hypothesis, ref.evidence, period.timestamp)
    elif (evidence.is_ended and evidence.has_evidence) or evidence.is_lifted:
        hypothesis = judge_finished(ref, evidence)
        if is_ended_by_player(evidence, hypothesis, ref.rules) or is_over_after_lift(
            ref.state, hypothesis, ref.confirmed_cube(period), ref.rules, period.timestamp
        ):
            yield from record_turn(ref, choose(ref, hypothesis), evidence, period.timestamp)
    if ref.state.phase is Phase.TO_ROLL:
        yield from _await_roll(ref, period)


def _reject_put_back(ref: RefereeState, period: StillPeriod) -> Iterator[Event]:
    """Record an illegal play put back before its dice were picked up; the roll is played again."""
    if ref.rolled_turn in ref.corrections.plays:
        return
    before = ref.evidence
    hypothesis = put_back_play(ref.state, before, period, ref.rules)
    if hypothesis is None or before.stood is None:
        return
    shown, when = before.as_stood(), period.timestamp
    yield from record_turn(ref, hypothesis, shown, before.stood.timestamp)
    player = hypothesis.origin.side.other
    yield ref.emit(PlayRejected(time=when.time, frame=when.frame, player=player))
    ref.memory = None
    ref.begin_turn(replace(before, stood=None))


def _await_roll(ref: RefereeState, period: StillPeriod) -> Iterator[Event]:
    """Before a roll the cube may be offered; a roll is recorded as soon as it is clear."""
    evidence, _ = ref.evidence.with_period(period)
    cube_events = offered_events if evidence.throw is None else taken_events
    cube = ref.confirmed_cube(period)
    yield from ref.emit_all(cube_events(ref.state, cube, ref.rules, period.timestamp))
    throw = evidence.throw
    if throw is None:
        return
    rolled = throw_event(ref.state, evidence, period.timestamp)
    if rolled is not None:
        if isinstance(rolled, DiceRolled):
            yield from record_unowned_voids(ref, rolled.player)
        yield ref.emit(rolled)
        evidence = replace(evidence, zone=ref.evidence.zone)
        early = simultaneous_throw(ref.state, evidence, period.timestamp)
        if early is not None:
            yield ref.emit(early)
    is_undecided = is_undecided_opening(throw, ref.zone)
    is_opening_only = isinstance(rolled, OpeningRolled) and ref.state.phase is Phase.TO_ROLL
    if is_opening_only or (ref.rules.starter_rolls_again and is_undecided):
        ref.begin_turn(evidence.next())  # what is played is thrown again


def _process_next_throw(ref: RefereeState, period: StillPeriod) -> Iterator[Event]:
    """A new throw lies there: the turn is over, unless the throw came too early."""
    early = ref.evidence.early_throw(period)
    if early is not None:
        event = premature_event(ref.state, ref.evidence, early, period.timestamp)
        if event is not None:
            yield ref.emit(event)
        verdict = judge_turn(ref.state, ref.evidence, ref.rules).verdict
        if isinstance(verdict, NothingYet | Illegal):
            # The player on turn has not finished: they may, knowing what comes next.
            ref.evidence = ref.evidence.with_early(early.tracks)
            return
    is_void = ref.evidence.zone.voids_early
    yield from finish_turn(ref, ref.evidence, period)
    if early is not None:
        ref.evidence = replace(ref.evidence, early_dice=early.tracks, voids_early=is_void)
