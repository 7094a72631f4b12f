"""A finished turn: what was played, or entered instead, and the events that record it.

Besides the play, these are its throw, earlier void throws, unseen turns, and the end of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import exp, log
from typing import Final

from engine.dice import Roll
from engine.errors import IllegalPlay
from engine.events.match import (
    Dice,
    DiceRolled,
    DiceVoid,
    Event,
    IllegalMade,
    OpeningRolled,
    PlayMade,
)
from engine.events.record import PositionFound, Unseen
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import NothingYet, Played, Unsure
from engine.match.fold import apply_event
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.state import MatchState
from engine.position import Side
from engine.referee.game_end import broken_off, end_events, owes_throw
from engine.referee.hit_and_run import as_refereed
from engine.referee.manual import manual_play_events
from engine.referee.state import Decision, RefereeState
from engine.referee.turn_end import (
    is_left_mixed_up,
    is_set_up,
    judge_at_next_throw,
    judge_end,
)
from engine.rules.legal import apply_play, is_legal
from engine.timestamp import Timestamp
from engine.turns.evidence import MIN_ROLL_POSTERIOR, TurnEvidence
from engine.turns.hypotheses import TurnHypothesis, judge_from, manual_hypothesis, play_event
from engine.turns.opening import (
    before_guessed_starter,
    opening_roll_event,
    opening_roll_won_by,
    reassign_throws,
)
from engine.turns.origins import TurnOrigin, UnseenPlay
from engine.turns.throw import PREMATURE, Throw
from engine.turns.zones import RollZone

NO_TURN: Final = (*BETWEEN_GAMES, Phase.DISPUTED, Phase.DOUBLED)
"""Phases in which no turn is in progress."""
MIN_FAULT_POSTERIOR: Final = 0.5
"""Probability from which a visible flaw in a throw explains why it does not count."""


def finish_turn(ref: RefereeState, evidence: TurnEvidence, arrival: StillPeriod) -> Iterator[Event]:
    """The next throw lies there: record the play before it, or that its throw was void."""
    hypothesis = judge_at_next_throw(ref.state, evidence, arrival, ref.rules)
    hypothesis = with_corrections(ref, evidence, hypothesis, arrival)
    hypothesis = choose(ref, hypothesis, is_over=True)
    if not isinstance(hypothesis.verdict, NothingYet):
        yield from record_turn(ref, hypothesis, evidence, arrival.timestamp)
    elif evidence.throw is not None:
        # After a gap its play may be part of what was found.
        if not evidence.has_gap and not evidence.throw.outlasts(arrival.dice):
            yield from record_void(ref, evidence.throw, arrival.timestamp)
        ref.begin_turn(replace(evidence.next(), has_gap=evidence.has_gap))


def finish_last_turn(ref: RefereeState, when: Timestamp) -> Iterator[Event]:
    """Record the last turn of a video, if it was seen completely."""
    evidence = ref.evidence
    if ref.state.phase in NO_TURN or not evidence.has_evidence:
        return
    hypothesis = judge_finished(ref, evidence)
    if isinstance(hypothesis.verdict, NothingYet):
        if evidence.throw is not None and evidence.is_lifted:
            yield from record_void(ref, evidence.throw, when)
    elif is_left_mixed_up(hypothesis, ref.rules):
        yield from ref.emit_all(broken_off(ref.state, ref.rules, when))
    elif is_set_up(hypothesis, ref.rules):
        return
    elif isinstance(hypothesis.verdict, Unsure) and not evidence.after_lift:
        yield ref.emit(_unread(ref, when))  # it may not have been over, but something was played
    else:
        yield from record_turn(ref, choose(ref, hypothesis), evidence, when)


def finish_swept_turn(ref: RefereeState, when: Timestamp) -> Iterator[Event]:
    """Record the last turn before the board was swept or set up again, or that it was not read.

    It is nobody's illegal play: the board was cleared without a word about it.
    """
    evidence = ref.evidence
    if ref.state.phase in NO_TURN or not evidence.has_evidence:
        return
    hypothesis = judge_finished(ref, evidence)
    is_aside = is_left_mixed_up(hypothesis, ref.rules) or is_set_up(hypothesis, ref.rules)
    best, has_thrown = hypothesis.best, evidence.throw is not None
    # A last throw of which nothing can be played ends the game too.
    is_pass = best is not None and has_thrown and owes_throw(ref.state, ref.rules)
    if is_aside or not (hypothesis.moves_checkers or is_pass):
        return
    is_won = best is not None and ref.rules.outcome(best.position) is not None
    if is_won and isinstance(hypothesis.verdict, Played | Unsure):
        yield from record_turn(ref, choose(ref, hypothesis), evidence, when)
    else:
        yield ref.emit(_unread(ref, when))


def open_turn_weight(ref: RefereeState) -> float:
    """The log-probability of the observations since the last recorded turn."""
    evidence = ref.full_evidence
    if ref.state.phase in NO_TURN or not evidence.has_evidence:
        return 0.0
    is_going_on = evidence.throw is not None and evidence.after_lift is None
    hypothesis = judge_finished(ref, replace(evidence, is_going_on=is_going_on))
    return min(hypothesis.weight - hypothesis.deferred, 0.0)


def judge_finished(ref: RefereeState, evidence: TurnEvidence) -> TurnHypothesis:
    """The hypothesis on a turn that has ended."""
    return with_corrections(ref, evidence, judge_end(ref.state, evidence, ref.rules))


def with_corrections(
    ref: RefereeState,
    evidence: TurnEvidence,
    found: TurnHypothesis,
    arrival: StillPeriod | None = None,
) -> TurnHypothesis:
    """The hypothesis with its plays as corrected by hand, if those are possible in this history.

    The unseen plays that it assumes are turns too, before its own. arrival: see `judge_turn`.
    """
    plays, unseen = ref.corrections.plays, found.origin.unseen
    last = ref.turn + len(unseen)
    if plays.keys().isdisjoint(range(ref.turn, last + 1)):
        return found
    try:
        origin = _corrected_origin(ref, found.origin) if unseen else None
        if last in plays:
            return manual_hypothesis(ref.state, evidence, plays[last], ref.rules, origin)
    except IllegalPlay:
        return found
    assert origin is not None, "an unseen play was corrected"  # noqa: S101
    if origin.position == found.origin.position:
        return replace(found, origin=origin, rivals=())
    return judge_from(origin, ref.state, evidence, ref.rules, arrival)


def _corrected_origin(ref: RefereeState, origin: TurnOrigin) -> TurnOrigin:
    """The origin after the unseen plays as corrected; raises `IllegalPlay` if they do not fit."""
    position, unseen = ref.state.position, []
    assert position is not None, "a game is played"  # noqa: S101
    for number, one in enumerate(origin.unseen, start=ref.turn):
        play = ref.corrections.plays.get(number, one.play)
        before, position = position, apply_play(position, one.side, play, ref.rules)
        is_roll = one.roll and is_legal(before, one.side, Roll(*one.roll), position, ref.rules)
        unseen.append(
            UnseenPlay(
                one.side,
                play,
                position,
                one.roll if is_roll else None,
                is_manual=number in ref.corrections.plays,
            )
        )
    return replace(origin, position=position, unseen=tuple(unseen))


def corrected_leftover(ref: RefereeState, when: Timestamp) -> Iterator[Event]:
    """The moves left over, if they were corrected by hand: they need not be seen."""
    play, player = ref.corrections.plays.get(ref.turn), ref.state.to_move
    if play is None or player is None or not ref.state.leftover:
        return
    try:
        events = list(manual_play_events(ref.state, player, str(play), ref.rules, when))
    except IllegalPlay:  # in this history something else was left over
        return
    yield from ref.emit_all(events)
    ref.memory = None
    ref.begin_turn(ref.evidence)


def choose(ref: RefereeState, best: TurnHypothesis, *, is_over: bool = False) -> TurnHypothesis:
    """Decide for the best hypothesis, or the rival that is to be recorded instead; return it.

    Only the first decision of an observation has rivals: the others follow from it. is_over:
    whether the turn has ended even if nothing was played.
    """
    chosen, rivals = best, tuple(one for one in best.rivals if is_over or one.moves_checkers)
    if ref.decision is None:
        chosen = (best, *rivals)[ref.choice]
    decide(ref, best.p, chosen.weight - chosen.deferred, rivals)
    return chosen


def decide(
    ref: RefereeState, p: float, log_weight: float, rivals: tuple[TurnHypothesis, ...] = ()
) -> None:
    """Count what is recorded toward the weight of this history; note how certain it is.

    p: its probability, or that of the likeliest of its rivals; log_weight: the log-probability of
    the observations that it explains.
    """
    ref.decision = ref.decision or Decision(p, rivals)
    ref.log_weight += log_weight


def record_turn(
    ref: RefereeState, hypothesis: TurnHypothesis, evidence: TurnEvidence, when: Timestamp
) -> Iterator[Event]:
    """Record the play and all that belongs to it: earlier voids, its roll, the end of the game."""
    if hypothesis.is_unexplained:
        yield from _record_unread(ref, hypothesis, evidence, when)
        return
    begun = before_guessed_starter(ref.state)
    if begun is not None and hypothesis.origin.side is not ref.state.to_move:
        yield from ref.emit_all(reassign_throws(ref.state, begun, when))
    unowned, ref.unowned_voids = ref.unowned_voids, ()
    *before, made = turn_events(ref.state, hypothesis, evidence, unowned, when)
    yield from ref.emit_all((*before, made))
    ref.remember_board(evidence.newest)
    is_certain = isinstance(made, PlayMade) and not made.review
    following = evidence.next(is_certain=is_certain)
    if ref.state.leftover and evidence.after_lift is not None:
        ahead = evidence.view(evidence.after_lift, ref.state.position_at)
        following = replace(following, ahead=ahead)
    ref.begin_turn(following)
    if not isinstance(made, IllegalMade):
        yield from ref.emit_all(end_events(ref.state, ref.rules, when))
    yield from corrected_leftover(ref, when)


def _record_unread(
    ref: RefereeState, hypothesis: TurnHypothesis, evidence: TurnEvidence, when: Timestamp
) -> Iterator[Event]:
    """Record that unread turns have passed, and the position they led to."""
    best = hypothesis.best
    assert best is not None, "a game is played"  # noqa: S101
    if not evidence.has_gap:  # otherwise that has been recorded
        yield ref.emit(_unread(ref, when))
    yield ref.emit(PositionFound(time=when.time, frame=when.frame, position=best.position))
    ref.remember_board(evidence.newest)
    ref.begin_turn(replace(evidence.next(), has_gap=True))


def _unread(ref: RefereeState, when: Timestamp) -> Unseen:
    """The stretch since the newest event, in which something unread was played."""
    last = ref.state.last_event
    assert last is not None, "a game is played"  # noqa: S101
    return Unseen(time=when.time, frame=when.frame, start=last.time, end=when.time, reason="unread")


def record_void(ref: RefereeState, throw: Throw, when: Timestamp) -> Iterator[Event]:
    """Record that a throw does not count, or keep it until its roller is known."""
    side = ref.state.to_move or throw.roller
    if side is not None:
        yield from ref.emit_all(_void_events((throw,), side, ref.zone, when))
    elif not throw.is_opening_roll:
        ref.unowned_voids = (*ref.unowned_voids, throw)


def record_unowned_voids(ref: RefereeState, side: Side) -> Iterator[Event]:
    """Record the void throws so far, now that their roller is known."""
    unowned, ref.unowned_voids = ref.unowned_voids, ()
    yield from ref.emit_all(_void_events(unowned, side, ref.zone))


def throw_event(
    state: MatchState, evidence: TurnEvidence, when: Timestamp
) -> DiceRolled | OpeningRolled | None:
    """The throw's event if the throw is clear and counts and its roller is known; else None."""
    throw, zone = evidence.throw, evidence.zone
    if throw is None or len(throw.tracks) < 2:
        return None
    p = exp(float(throw.rolls().max()))
    side = state.to_move
    if side is None and not throw.is_opening_roll and not evidence.early_dice:
        side, roller_p = throw.likely_roller(zone) or (None, 1.0)
        p *= roller_p
    if p < MIN_ROLL_POSTERIOR or not is_valid(throw, side, zone):
        return None
    if throw.is_opening_roll:
        return opening_roll_event(throw, zone)
    return None if side is None else _rolled(throw, side, throw.dice, p, when)


def is_valid(throw: Throw, side: Side | None, zone: RollZone) -> bool:
    """Whether a throw by `side` counts, as far as can be seen."""
    return max(throw.faults(side, zone).values()) < MIN_FAULT_POSTERIOR


def void_event(throw: Throw, side: Side, zone: RollZone, when: Timestamp) -> DiceVoid | None:
    """The event that a throw does not count; None if it came too early and is already recorded.

    Nor is a throw recorded that lies in the opponent's half and was barely read: in such a view the
    previous turn may have been missed, and the dice may be the opponent's.
    """
    faults = throw.faults(side, zone)
    reason = max(faults, key=lambda name: (faults[name], name == "cocked"))
    is_clear = throw.rolls().max() >= log(MIN_ROLL_POSTERIOR)
    if reason == PREMATURE or (reason == "wrong_half" and not is_clear):
        return None
    if len(throw.tracks) < 2 and faults[reason] < MIN_FAULT_POSTERIOR:
        reason = "off_board"  # nobody saw where the other die fell
    dice, lay = throw.dice, throw.dice_at_rest
    return DiceVoid(
        time=when.time, frame=when.frame, player=side, reason=reason, dice=dice, dice_at_rest=lay
    )


def _void_events(
    throws: Iterable[Throw], side: Side, zone: RollZone, when: Timestamp | None = None
) -> Iterator[DiceVoid]:
    """when: the time of the events; None for the time of each throw."""
    voids = (void_event(one, side, zone, when or one.timestamp) for one in throws)
    return (void for void in voids if void is not None)


def _rolled(throw: Throw, side: Side, dice: Dice, p: float, when: Timestamp) -> DiceRolled:
    return DiceRolled(
        time=when.time,
        frame=when.frame,
        player=side,
        dice=dice,
        confidence=p,
        dice_at_rest=throw.dice_at_rest,
    )


def turn_events(
    state: MatchState,
    hypothesis: TurnHypothesis,
    evidence: TurnEvidence,
    unowned: tuple[Throw, ...],
    when: Timestamp,
) -> Iterator[Event]:
    """The play and all that belongs to it: earlier voids, unseen turns, its roll.

    unowned: void throws by a player who was not known at the time.
    """
    throw = evidence.after_plays(len(hypothesis.origin.unseen)).throw
    made = play_event(state, hypothesis, evidence, when)
    made = as_refereed(made, hypothesis.origin.position, state.rules, state.rule_set)
    thrown = when if throw is None else throw.timestamp
    before = (
        *_void_events(unowned, made.player, evidence.zone),
        *_unseen_events(hypothesis, made, thrown),
        *_opening_roll(state, made, throw),
    )
    for event in before:
        state = apply_event(state, event)
        yield event
    is_recorded = state.phase is Phase.TO_PLAY and state.to_move is made.player
    if throw is not None and made.dice is not None and not is_recorded:
        # The board may show the play beyond doubt, and not which of several rolls it was made with.
        sure = made.confidence * (1.0 if hypothesis.best is None else hypothesis.best.roll_p)
        yield _rolled(throw, made.player, made.dice, sure, thrown)
    yield made


def _unseen_events(
    hypothesis: TurnHypothesis, made: PlayMade, when: Timestamp
) -> Iterator[PositionFound | PlayMade]:
    """Unseen plays, or the pass of a player who is shut out.

    They were over before the throw that follows them.
    """
    origin = hypothesis.origin
    if origin.is_found:
        yield PositionFound(time=when.time, frame=when.frame, position=origin.position)
    for unseen in origin.unseen:
        yield PlayMade(
            time=when.time,
            frame=when.frame,
            player=unseen.side,
            dice=unseen.roll,
            play=str(unseen.play),
            position=unseen.position,
            confidence=1.0 if unseen.is_manual else made.confidence,
            review=made.review and not unseen.is_manual,
            uncertainties=() if unseen.is_manual else made.uncertainties,
            by="hand" if unseen.is_manual else "sight",
        )


def _opening_roll(
    state: MatchState, made: PlayMade, throw: Throw | None
) -> Iterator[OpeningRolled]:
    """The opening roll from a throw not recorded as one: the player who plays has won it."""
    if throw is None or not throw.is_opening_roll or state.to_move is not None:
        return
    opening = opening_roll_won_by(made.player, throw)
    starter_plays_it = not state.rules.starter_rolls_again
    if opening is not None and made.dice == throw.dice and starter_plays_it:
        yield opening
