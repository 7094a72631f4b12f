"""The play that lies there while its turn goes on: what would be ruled if it ended now.

Nothing is recorded of it and nothing follows from it. Only a legal play beyond doubt is told: of
any other nobody may know whether it breaks a rule or is not finished.
"""

from __future__ import annotations

from engine.events.match import PlayMade
from engine.evidence.still_period import StillPeriod
from engine.inference.verdict import Played
from engine.match.phase import Phase
from engine.match.state import MatchState
from engine.rules import Rules
from engine.turns.evidence import TurnEvidence
from engine.turns.hypotheses import known_rolls, made_event, rule_turn


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
    return made_event(ruling, seen, known_rolls(state, seen), *stretch.when)
