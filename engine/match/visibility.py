"""What players may know of the match during play, according to `RuleSet.announce`.

Both players sit at one board and see the same page: an illegal play announced to one is announced
to both. The record keeps everything regardless.
"""

from __future__ import annotations

from dataclasses import replace

from engine.events.match import IllegalMade, PlayMade
from engine.match.phase import Phase
from engine.match.state import MatchState, Turn
from engine.ruleset import Audience, RuleSet


def as_known(state: MatchState) -> MatchState:
    """The match as players may see it: an illegal play that is not announced looks legal."""
    if state.rule_set.announces_to_players:
        return state
    phase = Phase.TO_ROLL if state.phase is Phase.DISPUTED else state.phase
    turns = tuple(_as_known(state, turn) for turn in state.turns)
    return replace(state, phase=phase, turns=turns)


def _as_known(state: MatchState, turn: Turn) -> Turn:
    is_over = turn.game < state.games or state.phase in (Phase.OVER, Phase.UNFINISHED)
    is_announced = is_over and state.rule_set.announce is Audience.AFTER
    made = turn.event
    if is_announced or turn.rejected or not isinstance(made, IllegalMade):
        return turn
    legal = PlayMade(
        time=made.time,
        frame=made.frame,
        player=made.player,
        dice=made.dice,
        play=made.play,
        position=made.position,
        confidence=made.confidence,
    )
    return replace(turn, event=legal)


def pending_as_known(rule_set: RuleSet, made: PlayMade | None) -> PlayMade | None:
    """A legal play that is not final yet, if players may see it.

    Showing it reveals that it is legal. So it is withheld from players who get no aids, and from
    those to whom illegal plays are not announced: its absence would give one away.
    """
    return made if rule_set.aids and rule_set.announces_to_players else None
