"""What one more quiet look tells: a start, a throw, an answer, or that a turn is over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.events.match import DiceRolled, Event, OpeningRolled, PlayRejected
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import Illegal, NothingYet
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.referee.disputes import answer_to, taken_back
from engine.referee.doubling import offered_events, taken_cube, taken_events, turned_cube
from engine.referee.finish_turn import chosen, claim, end_turn, ordered, record, ruled, told_throw
from engine.referee.game_end import SEVERAL, broken_off, is_swept
from engine.referee.set_up_errors import resumed
from engine.referee.state import RefereeState
from engine.referee.turn_end import (
    is_ended,
    is_final,
    premature_beside,
    premature_event,
    unseen_ruling,
)
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import rule_turn
from engine.turns.opening import is_open_lots, start_event
from engine.turns.position_check import shows_position
from engine.turns.throw import is_throw


def follow(notes: RefereeState, stretch: StillPeriod) -> Iterator[Event]:
    """What became certain with the newest of the looks in `stretch`."""
    if notes.state.phase not in BETWEEN_GAMES and is_swept(stretch, notes.state, notes.rules):
        if notes.swept + stretch.observation_count < SEVERAL:
            return
        yield from notes.emit_all(broken_off(notes.state, notes.rules, stretch.timestamp))
    if notes.state.phase in BETWEEN_GAMES:
        yield from _await_start(notes, stretch)
    if notes.state.phase is Phase.DOUBLED:
        yield from _await_answer(notes, stretch)
    # Twice: the look that ends a turn with an illegal play may show its acceptance too.
    for _ in range(2):
        if notes.state.phase is Phase.DISPUTED:
            yield from _settle_dispute(notes, stretch)
        if notes.state.phase in (Phase.TO_ROLL, Phase.TO_PLAY):
            yield from _follow_turn(notes, stretch)
        if notes.state.phase is not Phase.DISPUTED:
            return


def _await_start(notes: RefereeState, stretch: StillPeriod) -> Iterator[Event]:
    again = resumed(notes.state, stretch, notes.rules)
    if again is not None:
        notes.swept = 0
        yield notes.emit(again)
        notes.go_on(TurnEvidence())
        return
    wanted = notes.start or notes.rules.opening()
    if notes.state.winner is not None:
        return
    is_thrown = is_throw(stretch.dice, notes.ground)
    if not shows_position(stretch, wanted, notes.rules, is_thrown=is_thrown):
        return
    notes.start = None
    notes.swept = 0
    notes.cube = notes.cube.for_next_game()
    notes.unowned = ()
    yield notes.emit(
        start_event(notes.state, notes.rules, notes.ground.rule_set, wanted, stretch.timestamp)
    )
    notes.remember(stretch)
    notes.go_on(TurnEvidence())


def _await_answer(notes: RefereeState, stretch: StillPeriod) -> Iterator[Event]:
    """The cube waits: it is turned back, or play goes on and it was taken."""
    again = turned_cube(notes.state, notes.stands(stretch), notes.rules, stretch.timestamp)
    if again is not None:
        yield notes.emit(again)
    seen, _ = notes.past.with_stretch(stretch)
    taken = taken_cube(notes.state, seen.throw, stretch.timestamp)
    if taken is not None:
        yield notes.emit(taken)


def _settle_dispute(notes: RefereeState, stretch: StillPeriod) -> Iterator[Event]:
    """An illegal play stands until the opponent goes on, or the checkers go back."""
    stands = notes.stands(stretch)
    answer = answer_to(notes.state, notes.past, stretch, stands, notes.rules)
    if answer.event is not None:
        yield notes.emit(answer.event)
    if isinstance(answer.event, PlayRejected):
        notes.replay(notes.past.with_stretch(stretch)[0])
    elif answer.is_void:
        notes.go_on(notes.past.next())


def _follow_turn(notes: RefereeState, stretch: StillPeriod) -> Iterator[Event]:
    back = taken_back(notes.state, notes.past, stretch, notes.rules)
    if back is not None:
        yield notes.emit(back)
        notes.replay(notes.past)
        return
    seen, arrived = notes.past.with_stretch(stretch)
    if arrived:
        yield from _arrive(notes, stretch)
    elif notes.past.throw is None and seen.throw is not None:
        unseen = unseen_ruling(notes.state, notes.past, stretch, notes.rules)
        if unseen is not None:
            yield from record(
                notes,
                chosen(notes, ordered(notes, notes.past) or unseen),
                notes.past,
                stretch.timestamp,
            )
    elif (seen.is_ended and seen.has_look) or (seen.lifted is not None and not seen.is_replay):
        ruling = ruled(notes, seen)
        over = is_ended(seen, ruling, notes.rules) or is_final(
            notes.state, ruling, notes.stands(stretch), notes.rules, stretch.timestamp
        )
        if over:
            yield from record(notes, chosen(notes, ruling), seen, stretch.timestamp)
    if notes.state.phase is Phase.TO_ROLL:
        yield from _await_roll(notes, stretch)


def _await_roll(notes: RefereeState, stretch: StillPeriod) -> Iterator[Event]:
    """Before a roll the cube may be offered; a roll is told as soon as it is clear."""
    seen, _ = notes.past.with_stretch(stretch)
    cube_events = offered_events if seen.throw is None else taken_events
    stands = notes.stands(stretch)
    yield from notes.emit_all(cube_events(notes.state, stands, notes.rules, stretch.timestamp))
    if seen.throw is None:
        return
    told = told_throw(notes.state, seen, stretch.timestamp)
    if told is not None:
        if isinstance(told, DiceRolled):
            yield from claim(notes, told.player)
        yield notes.emit(told)
        early = premature_beside(notes.state, seen, stretch.timestamp)
        if early is not None:
            yield notes.emit(early)
    is_lost = notes.rules.starter_rolls_again and is_open_lots(seen.throw, notes.ground)
    is_lots = isinstance(told, OpeningRolled) and notes.state.phase is Phase.TO_ROLL
    if is_lots or is_lost:
        notes.go_on(seen.next())  # lots only: what is played is thrown afresh


def _arrive(notes: RefereeState, stretch: StillPeriod) -> Iterator[Event]:
    """A new throw lies there: the turn is over, unless that came too early."""
    early = notes.past.early_throw(stretch)
    if early is not None:
        told = premature_event(notes.state, notes.past, early, stretch.timestamp)
        if told is not None:
            yield notes.emit(told)
        verdict = rule_turn(notes.state, notes.past, notes.rules).verdict
        if isinstance(verdict, NothingYet | Illegal):
            # Whoever is on turn has not finished: he may, and knows what comes next.
            notes.past = notes.past.with_early(early.tracks)
            return
    is_void = notes.past.ground.voids_early
    yield from end_turn(notes, notes.past, stretch)
    if early is not None:
        notes.past = replace(notes.past, early=early.tracks, voids_early=is_void)
