"""A play that was recorded and then put back: it is played again."""

from __future__ import annotations

from typing import Final

from engine.events.match import TakenBack
from engine.evidence.likelihood import PositionView
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import find_outcomes
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.rules import Rules
from engine.turns.evidence import TurnEvidence
from engine.turns.position_check import TAKEN_BACK, cells_of, shows_position

STOOD: Final = 3
"""Looks at the position before a play until it counts as put back, and not as looked up."""


def taken_back(
    state: MatchState, past: TurnEvidence, stretch: StillPeriod, rules: Rules
) -> TakenBack | None:
    """The last play was put back before the opponent threw.

    Only what was recorded without a doubt is: else the record itself may be what is wrong.
    """
    turn = state.played[-1] if state.played else None
    is_open = state.phase is Phase.TO_ROLL and past.throw is None and stretch.looks >= STOOD
    if turn is None or not is_open or turn.needs_review or turn.made.position != state.position:
        return None
    if turn.before == turn.made.position or not shows_position(stretch, turn.before, rules):
        return None
    answers = find_outcomes(turn.made.position, turn.made.player.other, rules).cells
    view, settled = PositionView.of(stretch), cell_counts(turn.made.position)
    stands = max(view.score(cells, settled).max() for cells in (settled[None], answers))
    if view.score(cells_of(turn.before), settled)[0] <= stands + TAKEN_BACK:
        return None
    when = stretch.when
    return TakenBack(time=when.time, frame=when.frame, player=turn.made.player)
