"""What a manual entry changes in the evidence of the turn in progress."""

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
    PlaySource,
    TurnEnded,
)
from engine.events.record import PositionSet, Unseen
from engine.message import msg
from engine.play import Play
from engine.referee.finish_turn import choose, judge_finished, record_turn
from engine.referee.manual import is_forced_pass, manual_play_events
from engine.referee.state import RefereeState
from engine.referee.turn_end import is_ended_by_player, is_late_end, turn_end_events
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence


def apply_manual_event(ref: RefereeState, event: Event) -> None:
    """Let what was observed count for what is in progress now that `event` was entered."""
    match event:
        case PlayRejected():
            ref.replay_throw(ref.evidence)
        case PositionSet() | GameStart():
            ref.start, ref.memory = None, None
            ref.swept_observations, ref.unowned_voids = 0, ()
            ref.cube = ref.cube.for_next_game()
            ref.begin_turn(TurnEvidence())
        case Unseen():
            ref.evidence = replace(ref.evidence, has_gap=True)
        case PlayMade():
            ref.memory = None
            ref.begin_turn(ref.full_evidence.next())
        case DiceRolled() | OpeningRolled() | CupDecided():
            # Whatever dice lie there, the turn is played with the roll that was entered.
            high, low = ref.state.roll or (None, None)
            if high is not None and low is not None:
                ref.entered_roll = ref.turn, (max(high, low), min(high, low))
            ref.begin_turn(ref.evidence)


def pass_if_forced(ref: RefereeState, when: Timestamp) -> Iterator[Event]:
    """Where nothing can be moved, the pass needs no entry."""
    if is_forced_pass(ref.state, ref.rules) and ref.state.to_move is not None:
        play = ref.corrections.plays.get(ref.turn, Play())
        player = ref.state.to_move
        by: PlaySource = "hand" if play.moves else "rules"
        yield from ref.emit_all(
            manual_play_events(ref.state, player, str(play), ref.rules, when, by)
        )


def end_turn_by_hand(ref: RefereeState, event: TurnEnded) -> Iterator[Event]:
    """Judge what was played now, or as soon as no hand is over the board."""
    if ref.is_manual:
        raise NotNow(msg("nobody watches: a turn ends when its play is told"))
    evidence, is_late = ref.full_evidence, is_late_end(ref.state, event)
    yield from ref.emit_all(turn_end_events(ref.state, evidence, event))
    if is_late:
        return
    ref.evidence = replace(ref.evidence, is_ended=True)
    if ref.period is not None and evidence.has_evidence:
        evidence = replace(evidence, is_ended=True)
        hypothesis = judge_finished(ref, evidence)
        if is_ended_by_player(evidence, hypothesis, ref.rules):
            when = Timestamp(event.time, event.frame)
            yield from record_turn(ref, choose(ref, hypothesis), evidence, when)
