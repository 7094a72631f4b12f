"""When nothing depends on the play in progress, so that nobody need wait for it."""

from __future__ import annotations

from engine.dice import Roll
from engine.match.state import MatchState
from engine.rules import Rules
from engine.rules.legal import count_plays


def is_settled(state: MatchState, rules: Rules) -> bool:
    """Whether the play in progress is forced, or the sides have no more contact.

    The position before the play counts: until the turn ends, the play may be changed. A roll that
    is not known forces nothing.
    """
    if state.position is None:
        return False
    return not state.position.has_contact or _is_forced(state, rules)


def _is_forced(state: MatchState, rules: Rules) -> bool:
    first, second = state.roll or (None, None)
    if state.position is None or state.to_move is None or first is None or second is None:
        return False
    return count_plays(state.position, state.to_move, Roll(first, second), rules) == 1
