"""Whether a later look at the board confirms the places that the record has in doubt."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Mask
from engine.errors import IllegalPlay, InvalidNotation
from engine.evidence.likelihood import GLIMPSE_WEIGHT, with_floor
from engine.evidence.observation import CELLS, cell_counts
from engine.evidence.whole_board import position_probability
from engine.inference.verdict import MIN_PLAY_POSTERIOR
from engine.match.state import PLAY_UNCERTAIN, MatchState, Turn
from engine.play import Play
from engine.position import Position
from engine.rules import Rules
from engine.rules.legal import apply_play
from engine.turns.evidence import TurnEvidence

MAX_UNTOUCHED_TURNS: Final = 8
"""Turns after which another look at an untouched place counts as a new one: by then hands and
shadows lie otherwise."""


def is_borne_out(state: MatchState, evidence: TurnEvidence, after: Position) -> bool:
    """Whether the board at the end of a turn confirms what the record has from one reading only.

    It is another look, at a board that was played on in the meantime. The earlier reading showed
    the same: it counts as half a view beside this one.
    """
    if not state.places_in_doubt:
        return True
    if evidence.newest is None or _rests_on_illegal_looking_play(state, after):
        return False
    table = (1 + GLIMPSE_WEIGHT) * with_floor(evidence.newest.table, evidence.errors.misread_share)
    return position_probability(table, after, state.places_in_doubt) >= MIN_PLAY_POSTERIOR


def _rests_on_illegal_looking_play(state: MatchState, after: Position) -> bool:
    """Whether a recent play looked illegal, and no place in question has been touched since.

    Another look at an untouched place shows the same. It is read afresh once its count changes,
    and as every checker is somewhere, so are the other places in question.
    """
    is_in_doubt = np.zeros(CELLS, np.bool_)
    is_in_doubt[list(state.places_in_doubt)] = True
    recent = state.current_game_turns[-MAX_UNTOUCHED_TURNS:]
    later = [cell_counts(each) for each in (*(one.event.position for one in recent[1:]), after)]
    for number, turn in enumerate(recent):
        made = turn.event
        if made.legal or turn.is_settled or PLAY_UNCERTAIN not in made.uncertainties:
            continue
        in_question = _in_question(turn, state.rules) & is_in_doubt
        left = cell_counts(made.position)
        is_touched = any((left != each)[in_question].any() for each in later[number:])
        if in_question.any() and not is_touched:
            return True
    return False


def _in_question(turn: Turn, rules: Rules) -> Mask:
    """(28,) the places at which the play differs from the likeliest other one, else from none."""
    made = turn.event
    for one in sorted(made.alternatives, key=lambda one: -one.confidence):
        try:
            other = apply_play(turn.before, made.player, Play.parse(one.play), rules)
        except (IllegalPlay, InvalidNotation):  # it breaks a rule, as by moving backward
            continue
        if other != made.position:
            return np.asarray(cell_counts(made.position) != cell_counts(other))
    return np.asarray(cell_counts(made.position) != cell_counts(turn.before))
