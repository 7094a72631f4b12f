"""What the evidence of a turn becomes once something was told by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.errors import NotNow
from engine.events.cup import CupDecided
from engine.events.match import (
    DiceRolled,
    Event,
    GameStart,
    OpeningRolled,
    PlayMade,
    PlayRejected,
    TurnEnded,
)
from engine.events.record import PositionSet
from engine.play import Play
from engine.referee.finish_turn import chosen, record, ruled
from engine.referee.manual import is_forced_pass, played_events
from engine.referee.state import RefereeState
from engine.referee.turn_end import is_ended, is_late_end, told_end
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence


def heed(notes: RefereeState, event: Event) -> None:
    """What was seen counts for what is in progress now that `event` was told."""
    match event:
        case PlayRejected():
            notes.replay(notes.past)
        case PositionSet() | GameStart():
            notes.start, notes.memory, notes.swept, notes.unowned = None, None, 0, ()
            notes.cube = notes.cube.for_next_game()
            notes.go_on(TurnEvidence())
        case PlayMade():
            notes.memory = None
            notes.go_on(notes.seen.next())
        case DiceRolled() | OpeningRolled() | CupDecided():
            _know_roll(notes)


def passed(notes: RefereeState, when: Timestamp) -> Iterator[Event]:
    """Where nothing can be moved, nobody has to say so."""
    if is_forced_pass(notes.state, notes.rules) and notes.state.to_move is not None:
        play = notes.orders.plays.get(notes.turn, Play())
        player, by = notes.state.to_move, "hand" if play.moves else "rules"
        yield from notes.emit_all(
            played_events(notes.state, player, str(play), notes.rules, when, by)
        )


def _know_roll(notes: RefereeState) -> None:
    """The roll was told as it was made: whatever dice lie there, the turn is played with it."""
    high, low = notes.state.roll or (None, None)
    if high is not None and low is not None:
        notes.rolled = notes.turn, (max(high, low), min(high, low))
    notes.go_on(notes.past)


def end_as_told(notes: RefereeState, event: TurnEnded) -> Iterator[Event]:
    """What was played is ruled on now, or as soon as no hand is over the board."""
    if notes.is_manual:
        raise NotNow("nobody watches: a turn ends when its play is told")
    seen, is_late = notes.seen, is_late_end(notes.state, event)
    yield from notes.emit_all(told_end(notes.state, seen, event))
    if is_late:
        return
    notes.past = replace(notes.past, is_ended=True)
    if notes.current is not None and seen.has_look:
        seen = replace(seen, is_ended=True)
        ruling = ruled(notes, seen)
        if is_ended(seen, ruling, notes.rules):
            when = Timestamp(event.time, event.frame)
            yield from record(notes, chosen(notes, ruling), seen, when)
