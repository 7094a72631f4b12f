"""A turn that is over is settled: ruled on, or as somebody says it was, and recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import exp
from typing import Final

from engine.errors import IllegalPlay
from engine.events.match import DiceRolled, DiceVoid, Event, IllegalMade, OpeningRolled, PlayMade
from engine.events.record import PositionFound
from engine.evidence.still_period import StillPeriod
from engine.inference.missed_turns import MissedPlay
from engine.inference.verdict import NothingYet, Unsure
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.state import MatchState
from engine.position import Side
from engine.referee.game_end import broken_off, end_events
from engine.referee.hit_and_run import as_refereed
from engine.referee.state import RefereeState
from engine.referee.turn_end import (
    is_left_mixed_up,
    is_set_up,
    moves_something,
    rule_end,
    ruling_at,
)
from engine.rules import VARIANTS
from engine.timestamp import Timestamp
from engine.turns.evidence import SURE_ROLL, TurnEvidence
from engine.turns.hypotheses import TurnHypothesis, known_rolls, made_event, ordered_ruling
from engine.turns.opening import before_guess, lots_event, lots_won_by, of_the_other
from engine.turns.throw import EARLY, Throw
from engine.turns.zones import RollZone

UNDECIDED: Final = (*BETWEEN_GAMES, Phase.DISPUTED, Phase.DOUBLED)
"""Phases in which no turn is in progress."""


def end_turn(notes: RefereeState, seen: TurnEvidence, arrival: StillPeriod) -> Iterator[Event]:
    """Whatever is pending is decided now."""
    told = ordered(notes, seen)
    ruling = told or ruling_at(notes.state, seen, arrival, notes.rules)
    ruling = chosen(notes, ruling, is_over=True)
    if not isinstance(ruling.verdict, NothingYet):
        yield from record(notes, ruling, seen, arrival.timestamp)
    elif seen.throw is not None:
        yield from void(notes, seen.throw, arrival.timestamp)
        notes.go_on(seen.next())


def ruled(notes: RefereeState, seen: TurnEvidence) -> TurnHypothesis:
    """What is made of a turn that has ended."""
    return ordered(notes, seen) or rule_end(notes.state, seen, notes.rules)


def ordered(notes: RefereeState, seen: TurnEvidence) -> TurnHypothesis | None:
    """What somebody says that was played, if that can be in this history."""
    play = notes.orders.plays.get(notes.turn)
    if play is None:
        return None
    try:
        return ordered_ruling(notes.state, seen, play, notes.rules)
    except IllegalPlay:
        return None


def chosen(notes: RefereeState, ruling: TurnHypothesis, *, is_over: bool = False) -> TurnHypothesis:
    """The ruling, or the rival that is to be told instead of it.

    is_over: whether the turn has ended also where nothing was played.
    """
    told = ruling
    if notes.decided is None:
        rivals = tuple(one for one in ruling.rivals if is_over or moves_something(one))
        notes.decided = replace(ruling, rivals=rivals)
        told = (ruling, *rivals)[notes.choice]
    notes.log_weight += told.weight - told.owed
    return told


def void(notes: RefereeState, throw: Throw, when: Timestamp) -> Iterator[Event]:
    """The throw does not count; whose it was may only be known later, see `claim`."""
    side = notes.state.to_move or throw.roller
    if side is None and not throw.draws_lots:
        notes.unowned = (*notes.unowned, throw)
    elif side is not None:
        told = void_event(throw, side, notes.ground, when)
        if told is not None:
            yield notes.emit(told)


def claim(notes: RefereeState, side: Side) -> Iterator[Event]:
    """The void throws so far, now that it is known whose they were."""
    unowned, notes.unowned = notes.unowned, ()
    for throw in unowned:
        told = void_event(throw, side, notes.ground, Timestamp(throw.seconds, throw.frame))
        if told is not None:
            yield notes.emit(told)


def record(
    notes: RefereeState, ruling: TurnHypothesis, seen: TurnEvidence, when: Timestamp
) -> Iterator[Event]:
    """The play, and all that belongs to it: earlier voids, its roll, the end of the game."""
    begun = before_guess(notes.state)
    if begun is not None and ruling.history.side is not notes.state.to_move:
        yield from notes.emit_all(of_the_other(notes.state, begun, when))
    unowned, notes.unowned = notes.unowned, ()
    *before, made = turn_events(notes.state, ruling, seen, unowned, when)
    yield from notes.emit_all((*before, made))
    notes.remember(seen.newest)
    notes.go_on(seen.next())
    if not isinstance(made, IllegalMade):
        yield from notes.emit_all(end_events(notes.state, notes.rules, when))


def finish(notes: RefereeState, when: Timestamp) -> Iterator[Event]:
    """The last turn of a video, if it was seen whole."""
    seen = notes.past
    if notes.state.phase in UNDECIDED or not seen.has_look:
        return
    ruling = ruled(notes, seen)
    if isinstance(ruling.verdict, NothingYet):
        if seen.throw is not None and seen.lifted is not None and not seen.is_replay:
            yield from void(notes, seen.throw, when)
    elif is_left_mixed_up(ruling, notes.rules):
        yield from notes.emit_all(broken_off(notes.state, notes.rules, when))
    elif not is_set_up(ruling, notes.rules) and (
        not isinstance(ruling.verdict, Unsure) or seen.lifted
    ):
        yield from record(notes, chosen(notes, ruling), seen, when)


def turn_weight(notes: RefereeState) -> float:
    """The log-probability of what was seen since the last turn was told."""
    seen = notes.seen
    if notes.state.phase in UNDECIDED or not seen.has_look:
        return 0.0
    ruling = ruled(notes, seen)
    return min(ruling.weight - ruling.owed, 0.0)


TOLD_FAULT: Final = 0.5
"""From this probability on a fault that was seen is why a throw did not count."""


def told_throw(
    state: MatchState, seen: TurnEvidence, when: Timestamp
) -> DiceRolled | OpeningRolled | None:
    """The throw, as soon as it is clear, that it counts, and whose it is."""
    throw = seen.throw
    if throw is None or len(throw.tracks) < 2:
        return None
    p = exp(float(throw.rolls().max()))
    side = state.to_move
    if side is None and not throw.draws_lots and not seen.early:
        side, trust = throw.likely_roller(seen.ground) or (None, 1.0)
        p *= trust
    if p < SURE_ROLL or max(throw.faults(side, seen.ground).values()) >= TOLD_FAULT:
        return None
    if throw.draws_lots:
        return lots_event(throw, seen.ground)
    if side is None:
        return None
    return DiceRolled(
        time=when.time,
        frame=when.frame,
        player=side,
        dice=throw.dice,
        confidence=p,
        lay=throw.lay,
    )


def void_event(throw: Throw, side: Side, ground: RollZone, when: Timestamp) -> DiceVoid | None:
    """The throw does not count; None where that was told already, when it came too early."""
    faults = throw.faults(side, ground)
    reason = max(faults, key=lambda name: (faults[name], name == "cocked"))
    if reason == EARLY:
        return None
    if len(throw.tracks) < 2 and faults[reason] < TOLD_FAULT:
        reason = "off_board"  # where the other die fell, nobody saw
    return DiceVoid(
        time=when.time,
        frame=when.frame,
        player=side,
        reason=reason,
        dice=throw.dice,
        lay=throw.lay,
    )


def turn_events(
    state: MatchState,
    ruling: TurnHypothesis,
    seen: TurnEvidence,
    unowned: Iterable[Throw],
    when: Timestamp,
) -> Iterator[Event]:
    """The play, and all that belongs to it: earlier voids, turns that nobody saw, its roll.

    unowned: void throws of a player who was not known then.
    """
    made = made_event(ruling, seen, known_rolls(state, seen), when.time, when.frame)
    made = as_refereed(made, ruling.history.position, VARIANTS[state.variant], state.rule_set)
    thrown = when if seen.throw is None else Timestamp(seen.throw.seconds, seen.throw.frame)
    for event in _before(state, made, ruling, seen, unowned, thrown):
        state = state.after(event)
        yield event
    is_told = state.phase is Phase.TO_PLAY and state.to_move is made.player
    if seen.throw is not None and made.dice is not None and not is_told:
        yield DiceRolled(
            time=thrown.time,
            frame=thrown.frame,
            player=made.player,
            dice=made.dice,
            confidence=made.confidence,
            lay=seen.throw.lay,
        )
    yield made


def _before(
    state: MatchState,
    made: PlayMade,
    ruling: TurnHypothesis,
    seen: TurnEvidence,
    unowned: Iterable[Throw],
    thrown: Timestamp,
) -> Iterator[Event]:
    for throw in unowned:
        void = void_event(throw, made.player, seen.ground, Timestamp(throw.seconds, throw.frame))
        if void is not None:
            yield void
    if ruling.history.is_found:
        yield PositionFound(time=thrown.time, frame=thrown.frame, position=ruling.history.position)
    for play in ruling.history.missed:
        # It was over before the throw that it makes way for.
        yield _missed_event(play, made, thrown)
    if seen.throw is not None and seen.throw.draws_lots and state.to_move is None:
        lots = lots_won_by(made.player, seen.throw)
        plays_lots = made.dice == seen.throw.dice
        if lots is not None and plays_lots and not VARIANTS[state.variant].starter_rolls_again:
            yield lots


def _missed_event(missed: MissedPlay, made: PlayMade, when: Timestamp) -> PlayMade:
    """A play that nobody saw, or the pass of a player who is shut out."""
    return PlayMade(
        time=when.time,
        frame=when.frame,
        player=missed.side,
        dice=missed.roll,
        play=str(missed.play),
        position=missed.position,
        confidence=made.confidence,
        review=made.review,
        doubts=made.doubts,
    )
