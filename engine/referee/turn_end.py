"""When a turn is over, and what is ruled then: by the lift of its dice or by the next throw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.errors import NotNow
from engine.events.match import Event, PlayMade, PrematureRoll, TurnEnded
from engine.evidence.cube_track import CubeAtRest
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import Played
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.referee.doubling import turned_cube
from engine.referee.manual import accepted_by
from engine.rules import Rules
from engine.ruleset import PrematureRule, TurnEndRule
from engine.timestamp import Timestamp
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import (
    TurnHypothesis,
    best_candidate,
    either,
    is_doubtful,
    is_settled,
    known_rolls,
    made_event,
    rule_turn,
    told_p,
)
from engine.turns.opening import before_guess
from engine.turns.position_check import is_mixed_up, is_no_turn
from engine.turns.throw import Throw, throw_of

LATER: Final = -16.0
"""Log-probability that two turns passed unseen after this one, and led to just what stands."""
LIKELY: Final = 0.5
"""A turn whose dice nobody saw is recorded from this probability on, for review."""


def ruling_at(
    state: MatchState, seen: TurnEvidence, arrival: StillPeriod, rules: Rules
) -> TurnHypothesis:
    """The ruling when the next throw lies there; its first look may show the position, or not."""
    return max(
        (
            rule_end(state, seen, rules, arrival, arrival),
            rule_end(state, seen, rules, following=arrival),
        ),
        key=lambda one: (isinstance(one.verdict, Played), told_p(one.verdict)),
    )


def rule_end(
    state: MatchState,
    seen: TurnEvidence,
    rules: Rules,
    arrival: StillPeriod | None = None,
    following: StillPeriod | None = None,
) -> TurnHypothesis:
    """The ruling on a turn that has ended; what stands there may be more than its play.

    While its dice lay the play was seen perhaps, and then two more turns passed unseen.
    """
    ruling = rule_turn(state, seen, rules, arrival, following)
    if seen.held is None or seen.lifted is None or not is_doubtful(ruling):
        return ruling
    held = rule_turn(state, replace(seen, lifted=None), rules)
    if not isinstance(held.verdict, Played):
        return ruling
    return either(ruling, replace(held, weight=held.weight + LATER, owed=LATER))


def unseen_ruling(
    state: MatchState, seen: TurnEvidence, arrival: StillPeriod, rules: Rules
) -> TurnHypothesis | None:
    """The ruling on a turn before the first throw that was seen, if there was one."""
    if seen.blank is None:
        return None
    if told_p(rule_turn(state, seen, rules).verdict) < LIKELY:
        return None  # mostly: then nobody need look twice
    ruling = rule_turn(state, seen, rules, arrival)
    return ruling if told_p(ruling.verdict) >= LIKELY else None


def is_final(
    state: MatchState,
    ruling: TurnHypothesis,
    stands: CubeAtRest | None,
    rules: Rules,
    when: Timestamp,
) -> bool:
    """Whether the turn whose dice were lifted is over.

    Where nothing was moved it may be a void throw, until the opponent throws or doubles; where a
    clock ends turns, checkers may still be moved until then. A double too early is void where a
    roll is: a cube that still lies there when the clock is pressed is offered then.
    """
    best = best_candidate(ruling.verdict)
    if best is None or is_set_up(ruling, rules):
        return False
    by_lift = state.rule_set.turn_end is not TurnEndRule.CLOCK
    if by_lift and is_settled(ruling.verdict) and best.play.moves:
        return True
    is_void = state.rule_set.premature_roll is PrematureRule.VOID
    if state.previous_turn_end_declared and is_void and not by_lift:
        return False
    after = replace(state, phase=Phase.TO_ROLL, to_move=ruling.history.side.other)
    return turned_cube(after, stands, rules, when) is not None


def moves_something(ruling: TurnHypothesis) -> bool:
    """Whether its play moves a checker."""
    best = best_candidate(ruling.verdict)
    return best is not None and bool(best.play.moves)


def told_end(state: MatchState, seen: TurnEvidence, event: TurnEnded) -> Iterator[Event]:
    """The end of a turn as it was told; `NotNow` if there is no turn to end.

    Where an illegal play stands until the next one is complete, this completes that. Who had not
    pressed his clock when his opponent threw may do so still.
    """
    if is_late_end(state, event):
        yield event
        return
    is_thrown = seen.throw is not None or state.phase is Phase.TO_PLAY
    in_play = state.phase in (Phase.TO_ROLL, Phase.TO_PLAY, Phase.DISPUTED)
    is_known = state.to_move is not None and before_guess(state) is None
    if not in_play or not is_thrown or (is_known and state.to_move is not event.player):
        raise NotNow(f"{state.name(event.player)} has no turn to end: his roll was not seen")
    if state.phase is Phase.DISPUTED:
        yield accepted_by(state, event.by, Timestamp(event.time, event.frame))
    yield event


def is_late_end(state: MatchState, event: TurnEnded) -> bool:
    """Whether the turn that it ends was over by the opponent's throw, with the clock running."""
    return state.owes_clock_press is event.player and state.to_move is event.player.other


def is_ended(seen: TurnEvidence, ruling: TurnHypothesis, rules: Rules) -> bool:
    """Whether the player has said so, and it is clear what he has played.

    What is not clear waits for one more view: the dice lifted, or the next throw. Where a cup told
    the roll and no dice lie there, neither would ever come.
    """
    is_bare = seen.throw is None and seen.told_roll is not None
    is_clear = is_settled(ruling.verdict) or seen.lifted is not None or is_bare
    is_told = seen.is_ended and best_candidate(ruling.verdict) is not None
    return is_told and is_clear and not is_set_up(ruling, rules)


def is_set_up(ruling: TurnHypothesis, rules: Rules) -> bool:
    """Whether hands set the board up, or clear it, where only a play is looked for."""
    best, history = best_candidate(ruling.verdict), ruling.history
    if best is None or best.legal:
        return False
    return is_no_turn(history.position, best.position, history.side, rules)


def premature_event(
    state: MatchState, seen: TurnEvidence, throw: Throw, when: Timestamp
) -> PrematureRoll | None:
    """The opponent threw too early; None while nobody knows who is on turn."""
    if state.to_move is None:
        return None
    return PrematureRoll(
        time=when.time,
        frame=when.frame,
        player=state.to_move.other,
        dice=throw.dice,
        stands=not seen.ground.voids_early,
    )


def premature_beside(
    state: MatchState, seen: TurnEvidence, when: Timestamp
) -> PrematureRoll | None:
    """The opponent threw with the one on turn; None also where that was told already."""
    thrown = len(seen.early)
    if (
        thrown < 2
        or isinstance(state.last_event, PrematureRoll)
        or not seen.ground.is_early(thrown, thrown)
    ):
        return None
    return premature_event(state, seen, throw_of(seen.early, when.time, when.frame), when)


def is_left_mixed_up(ruling: TurnHypothesis, rules: Rules) -> bool:
    """Whether nobody plays on with what stands there."""
    best, history = best_candidate(ruling.verdict), ruling.history
    if best is None or best.legal:
        return False
    return is_mixed_up(history.position, best.position, rules)


def find_pending_play(
    state: MatchState, past: TurnEvidence, stretch: StillPeriod, rules: Rules
) -> PlayMade | None:
    """The play that `stretch` shows, once its roll is known; `past` is what was seen before it."""
    if state.phase not in (Phase.TO_ROLL, Phase.TO_PLAY):
        return None
    seen, has_arrived = past.with_stretch(stretch)
    if has_arrived or (seen.throw is None and state.phase is Phase.TO_ROLL):
        return None
    ruling = rule_turn(state, seen, rules)
    verdict, history = ruling.verdict, ruling.history
    if not isinstance(verdict, Played) or not verdict.best.play.moves:
        return None
    if not history.is_main or history.missed:
        return None
    return made_event(ruling, seen, known_rolls(state, seen), *stretch.timestamp)
