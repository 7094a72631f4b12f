"""What becomes of an illegal play: taken back, let stand, or still open.

Until when it can be corrected is the rule set's: the opponent's roll or double, or his whole play
(RULES.md A, "Tournament rule sets"; S1:L20-21, S0:L195; KAZ for the last).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.events.match import DiceVoid, PlayAccepted, PlayRejected, TakenBack
from engine.evidence.cube_track import CubeAtRest
from engine.evidence.likelihood import PositionView
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import find_outcomes
from engine.inference.verdict import NothingYet
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.position import Side
from engine.referee.doubling import turned_cube
from engine.referee.finish_turn import void_event
from engine.referee.manual import BY_DOUBLE, BY_ROLL, accepted_by
from engine.rules import Rules
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import best_candidate, is_settled, rule_turn
from engine.turns.position_check import TAKEN_BACK, cells_of, shows_position, shows_replay
from engine.turns.throw import Throw
from engine.turns.zones import RollZone


@dataclass(frozen=True, slots=True)
class SeenAnswer:
    """What was seen of the opponent's answer."""

    event: PlayAccepted | PlayRejected | DiceVoid | None = None
    is_void: bool = False
    """Whether his throw did not count: he throws again, and nothing is answered."""


def answer_to(
    state: MatchState,
    past: TurnEvidence,
    stretch: StillPeriod,
    stands: CubeAtRest | None,
    rules: Rules,
) -> SeenAnswer:
    """How the illegal play that stands is answered by what `stretch` adds to `past`."""
    turn, when = state.turns[-1], stretch.timestamp
    made, side = turn.event, turn.event.player
    seen, arrived = past.with_stretch(stretch)
    # The look that ended the turn is compared with what stood before it.
    stood = None if stretch.reference_frame is None else state.position_at(stretch.reference_frame)
    args = (stretch, made.position, turn.before, side, made.dice, rules)
    if shows_replay(*args, has_answer=bool(seen.throw), stood=stood):
        return SeenAnswer(PlayRejected(time=when.time, frame=when.frame, player=side.other))
    if seen.throw is not None:
        return _by_throw(state, past, stretch, rules, arrived=arrived)
    doubles = state.rule_set.acceptance_event in BY_DOUBLE
    if doubles and turned_cube(state, stands, rules, when) is not None:
        return SeenAnswer(accepted_by(state, "double", when))
    return SeenAnswer()


def _by_throw(
    state: MatchState, past: TurnEvidence, stretch: StillPeriod, rules: Rules, *, arrived: bool
) -> SeenAnswer:
    """A valid roll accepts at once where the rule set has it so, a whole play always does."""
    when, by_roll = stretch.timestamp, state.rule_set.acceptance_event in BY_ROLL
    seen = past if arrived else past.with_stretch(stretch)[0]
    opponent = state.turns[-1].event.player.other
    assert seen.throw is not None, "there is no throw"  # noqa: S101
    if by_roll and counts(seen.throw, opponent, seen.ground):
        return SeenAnswer(accepted_by(state, "roll", when))
    if not arrived and seen.lifted is None:
        return SeenAnswer()
    ruling = rule_turn(state, seen, rules, stretch if arrived else None)
    best = best_candidate(ruling.verdict)
    if arrived and isinstance(ruling.verdict, NothingYet):
        return SeenAnswer(void_event(seen.throw, opponent, seen.ground, when), is_void=True)
    is_play = best is not None and bool(best.play.moves) and is_settled(ruling.verdict)
    if arrived or is_play:
        return SeenAnswer(accepted_by(state, "roll" if by_roll else "play", when))
    return SeenAnswer()


def counts(throw: Throw, side: Side, ground: RollZone) -> bool:
    """Whether a throw of `side` is valid, as far as is seen."""
    return max(throw.faults(side, ground).values()) < 0.5


STOOD: Final = 3
"""Looks at the position before a play until it counts as put back, and not as looked up."""


def taken_back(
    state: MatchState, past: TurnEvidence, stretch: StillPeriod, rules: Rules
) -> TakenBack | None:
    """The last play was put back before the opponent threw.

    Only what was recorded without a doubt is: else the record itself may be what is wrong.
    """
    turn = state.current_game_turns[-1] if state.current_game_turns else None
    is_open = (
        state.phase is Phase.TO_ROLL and past.throw is None and stretch.observation_count >= STOOD
    )
    if turn is None or not is_open or turn.needs_review or turn.event.position != state.position:
        return None
    if turn.before == turn.event.position or not shows_position(stretch, turn.before, rules):
        return None
    answers = find_outcomes(turn.event.position, turn.event.player.other, rules).cells
    view, settled = PositionView.of(stretch), cell_counts(turn.event.position)
    stands = max(view.score(cells, settled).max() for cells in (settled[None], answers))
    if view.score(cells_of(turn.before), settled)[0] <= stands + TAKEN_BACK:
        return None
    when = stretch.timestamp
    return TakenBack(time=when.time, frame=when.frame, player=turn.event.player)
