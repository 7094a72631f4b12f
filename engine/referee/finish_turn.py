"""A turn that is over is settled: ruled on, or as somebody says it was, and recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.errors import IllegalPlay
from engine.events.match import Event, IllegalMade
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import NothingYet, Unsure
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.position import Side
from engine.referee.game_end import broken_off, end_events
from engine.referee.reroll import turn_events, void_event
from engine.referee.state import RefereeState
from engine.referee.turn_end import (
    is_left_mixed_up,
    is_set_up,
    moves_something,
    rule_end,
    ruling_at,
)
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import TurnHypothesis, ordered_ruling
from engine.turns.opening import before_guess, of_the_other
from engine.turns.throw import Throw

UNDECIDED: Final = (*BETWEEN_GAMES, Phase.DISPUTED, Phase.DOUBLED)
"""Phases in which no turn is in progress."""


def end_turn(notes: RefereeState, seen: TurnEvidence, arrival: StillPeriod) -> Iterator[Event]:
    """Whatever is pending is decided now."""
    told = ordered(notes, seen)
    ruling = told or ruling_at(notes.state, seen, arrival, notes.rules)
    ruling = chosen(notes, ruling, is_over=True)
    if not isinstance(ruling.verdict, NothingYet):
        yield from record(notes, ruling, seen, arrival.when)
    elif seen.throw is not None:
        yield from void(notes, seen.throw, arrival.when)
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
