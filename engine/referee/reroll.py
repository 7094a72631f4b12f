"""The events of one turn: its throw, told or void, its play, and what came silently before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import exp
from typing import Final

from engine.events.match import DiceRolled, DiceVoid, Event, OpeningRolled, PlayMade
from engine.events.record import PositionFound
from engine.inference.missed_turns import MissedPlay
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.position import Side
from engine.referee.hit_and_run import as_refereed
from engine.rules import VARIANTS
from engine.timestamp import Timestamp
from engine.turns.evidence import SURE_ROLL, TurnEvidence
from engine.turns.hypotheses import TurnHypothesis, known_rolls, made_event
from engine.turns.opening import lots_event, lots_won_by
from engine.turns.throw import EARLY, Throw
from engine.turns.zones import RollZone

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
