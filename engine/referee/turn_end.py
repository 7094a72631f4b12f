"""When a play counts as finished, and the hypothesis about it at that time.

A turn ends when its dice are picked up (`is_over_after_lift`), with the next throw
(`judge_at_next_throw`), or when the player declares it by clock or by hand (`turn_end_events`,
`is_ended_by_player`). Until then, `find_pending_play` shows the play as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.errors import NotNow
from engine.events.match import Event, PlayMade, PrematureRoll, TurnEnded
from engine.evidence.cube_track import CubeAtRest
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import NothingYet, Played
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.message import msg
from engine.referee.doubling import turned_cube
from engine.referee.forced import is_settled
from engine.referee.manual import accepted_by
from engine.rules import Rules
from engine.ruleset import TurnEndRule
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import (
    TurnHypothesis,
    judge_answered,
    judge_turn,
    likelier_of,
    play_event,
)
from engine.turns.opening import before_guessed_starter
from engine.turns.position_check import exceeds_any_turn, is_mixed_up
from engine.turns.throw import Throw, throw_of
from engine.turns.zones import RollZone

LATER_TURNS_LOG_PRIOR: Final = -16.0
"""Log-prior that two turns passed unseen after this one and led to exactly the position seen."""
MIN_UNSEEN_TURN_POSTERIOR: Final = 0.5
"""Probability from which a turn whose dice nobody saw is recorded, for review."""
MIN_THROWN_AGAIN_NATS: Final = 5.0
"""Nats by which a void throw and the play of the next one must explain the observations better than
a play of the first: usually the next throw is the opponent's."""


def judge_at_next_throw(
    state: MatchState, evidence: TurnEvidence, arrival: StillPeriod, rules: Rules
) -> TurnHypothesis:
    """The hypothesis at the time of the next throw.

    The first view of that throw may show the position after the play, or already the next play.
    After a gap it is the only view that can show the play at all.
    """
    after = judge_end(state, evidence, rules, arrival, arrival)
    if evidence.has_gap:
        answered = judge_answered(state, evidence, rules, arrival)
        return after if answered is None else likelier_of(after, answered)
    before = judge_end(state, evidence, rules, following=arrival)
    if isinstance(before.verdict, NothingYet) and after.moves_checkers:
        void = evidence.void_log_prior(after.origin.side, arrival)
        again = evidence.thrown_again(arrival)
        if again.throw is not None:
            replayed = judge_turn(state, again, rules)
            is_likelier = void + replayed.weight > after.weight + MIN_THROWN_AGAIN_NATS
            if isinstance(replayed.verdict, Played) and is_likelier:
                return before
    return max(
        after,
        before,
        key=lambda one: (isinstance(one.verdict, Played), one.explained_p, one.best_p),
    )


def judge_end(
    state: MatchState,
    evidence: TurnEvidence,
    rules: Rules,
    arrival: StillPeriod | None = None,
    following: StillPeriod | None = None,
) -> TurnHypothesis:
    """The hypothesis about a finished turn; the board may show more than its play.

    The play may have been seen while its dice lay there, with two more turns unseen after it.
    """
    hypothesis = judge_turn(state, evidence, rules, arrival, following)
    was_seen_twice = evidence.last_with_dice is not None and evidence.after_lift is not None
    if not was_seen_twice or not hypothesis.may_lack_turns:
        return hypothesis
    earlier = judge_turn(state, replace(evidence, after_lift=None), rules)
    if not isinstance(earlier.verdict, Played) or _lead_to_same(earlier, hypothesis):
        return hypothesis  # nothing passed after it, however badly the later view shows it
    weight = earlier.weight + LATER_TURNS_LOG_PRIOR
    seen = replace(earlier, weight=weight, deferred=LATER_TURNS_LOG_PRIOR, rivals=())
    return likelier_of(hypothesis, seen)


def _lead_to_same(one: TurnHypothesis, other: TurnHypothesis) -> bool:
    mine, theirs = one.best, other.best
    return mine is not None and theirs is not None and mine.position == theirs.position


def judge_before_throw(
    state: MatchState, evidence: TurnEvidence, arrival: StillPeriod, rules: Rules
) -> TurnHypothesis | None:
    """The hypothesis about a turn before the first throw seen, if there was one.

    The first view of that throw may already show the next play.
    """
    if evidence.before_throw is None:
        return None
    before = judge_turn(state, evidence, rules)
    if before.best_p < MIN_UNSEEN_TURN_POSTERIOR:
        return None  # this is the usual case, and saves the second judgment
    hypothesis = judge_turn(state, evidence, rules, arrival)
    if hypothesis.is_unexplained:
        return before
    return hypothesis if hypothesis.best_p >= MIN_UNSEEN_TURN_POSTERIOR else None


def is_over_after_lift(
    state: MatchState,
    hypothesis: TurnHypothesis,
    cube: CubeAtRest | None,
    rules: Rules,
    when: Timestamp,
) -> bool:
    """Whether the turn whose dice were picked up is over.

    If nothing was moved, the throw may have been void, until the opponent throws or doubles. If a
    clock ends turns, checkers may be moved until it is pressed. A premature double is void if a
    premature roll is: a cube still there when the clock is pressed counts as offered then.
    """
    if hypothesis.best is None or is_set_up(hypothesis, rules):
        return False
    by_lift = state.rule_set.turn_end is not TurnEndRule.CLOCK
    if by_lift and hypothesis.is_decided and hypothesis.moves_checkers:
        return True
    if state.previous_turn_end_declared and not by_lift and _voids_premature(state, rules):
        return False
    after = replace(state, phase=Phase.TO_ROLL, to_move=hypothesis.origin.side.other)
    return turned_cube(after, cube, rules, when) is not None


def _voids_premature(state: MatchState, rules: Rules) -> bool:
    return RollZone(state.rule_set, is_settled=is_settled(state, rules)).voids_premature


def is_ended_by_player(evidence: TurnEvidence, hypothesis: TurnHypothesis, rules: Rules) -> bool:
    """Whether the player has ended the turn by clock or by hand, and the play is clear.

    What is unclear waits for one more view: the dice picked up, or the next throw. If a cup
    reported the roll and no dice are on the board, neither would ever come.
    """
    if not evidence.is_ended or hypothesis.best is None:
        return False
    has_no_dice = evidence.throw is None and evidence.known_roll is not None
    is_lifted = evidence.after_lift is not None
    is_clear = hypothesis.is_decided or is_lifted or has_no_dice
    return is_clear and not is_set_up(hypothesis, rules)


def turn_end_events(state: MatchState, evidence: TurnEvidence, event: TurnEnded) -> Iterator[Event]:
    """The end of a turn by clock or by hand; raises `NotNow` if there is no turn to end.

    If an illegal play stands until the next one is complete, this completes that one. A player who
    had not pressed the clock when the opponent threw may still do so.
    """
    if is_late_end(state, event):
        yield event
        return
    is_thrown = evidence.throw is not None or state.phase is Phase.TO_PLAY
    in_play = state.phase in (Phase.TO_ROLL, Phase.TO_PLAY, Phase.DISPUTED)
    is_known = state.to_move is not None and before_guessed_starter(state) is None
    if not in_play or not is_thrown or (is_known and state.to_move is not event.player):
        player = state.name(event.player)
        raise NotNow(msg("{player} has no turn to end: no roll was seen", player=player))
    if state.phase is Phase.DISPUTED:
        yield accepted_by(state, event.by, Timestamp(event.time, event.frame))
    yield event


def is_late_end(state: MatchState, event: TurnEnded) -> bool:
    """Whether the turn was already over by the opponent's throw, with the clock still running."""
    return state.owes_clock_press is event.player and state.to_move is event.player.other


def is_set_up(hypothesis: TurnHypothesis, rules: Rules) -> bool:
    """Whether hands set up or clear the board, and nothing was played."""
    best, origin = hypothesis.best, hypothesis.origin
    if best is None or best.legal:
        return False
    return exceeds_any_turn(origin.position, best.position, origin.side, rules)


def is_left_mixed_up(hypothesis: TurnHypothesis, rules: Rules) -> bool:
    """Whether the checkers were left in such a way that nobody can play on."""
    best = hypothesis.best
    if best is None or best.legal:
        return False
    return is_mixed_up(hypothesis.origin.position, best.position, rules)


def premature_event(
    state: MatchState, evidence: TurnEvidence, throw: Throw, when: Timestamp
) -> PrematureRoll | None:
    """The event that the opponent threw too early; None if it is not known who is on turn."""
    if state.to_move is None:
        return None
    return PrematureRoll(
        time=when.time,
        frame=when.frame,
        player=state.to_move.other,
        dice=throw.dice,
        stands=not evidence.zone.voids_early,
    )


def simultaneous_throw(
    state: MatchState, evidence: TurnEvidence, when: Timestamp
) -> PrematureRoll | None:
    """The event that the opponent threw along with the player on turn; None if already recorded."""
    dice = evidence.early_dice
    is_recorded = isinstance(state.last_game_event, PrematureRoll)
    if len(dice) < 2 or is_recorded or not evidence.zone.is_early(len(dice), len(dice)):
        return None
    return premature_event(state, evidence, throw_of(dice, when.time, when.frame), when)


def find_pending_play(
    state: MatchState, before: TurnEvidence, period: StillPeriod, rules: Rules
) -> PlayMade | None:
    """The play that `period` shows while its turn continues; `before` is the earlier evidence.

    It is what would be recorded if the turn ended now, and nothing follows from it. Only a legal
    play beyond doubt is returned: any other may break a rule or be unfinished.
    """
    if state.phase not in (Phase.TO_ROLL, Phase.TO_PLAY):
        return None
    evidence, is_new_throw = before.with_period(period)
    if is_new_throw or (evidence.throw is None and state.phase is Phase.TO_ROLL):
        return None
    hypothesis = judge_turn(state, evidence, rules)
    if not isinstance(hypothesis.verdict, Played) or not hypothesis.moves_checkers:
        return None
    if not hypothesis.origin.is_recorded or hypothesis.origin.unseen:
        return None
    return play_event(state, hypothesis, evidence, period.timestamp)
