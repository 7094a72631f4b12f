"""Checkers that stand wrong, at the start or mixed up in play; and a game that is resumed.

A start position that is almost right begins the game all the same, as a misreading would look
the same: that it stands wrong is recorded beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from engine.events.record import Resumed, SetUpError
from engine.evidence.likelihood import most_probable, position_of
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import find_outcomes
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.state import MatchState
from engine.message import Message, msg
from engine.position import BAR, OFF, SIDE_NAMES, Position, Side, place_name
from engine.rules import Rules
from engine.turns.evidence import OPEN_VIEW
from engine.turns.position_check import (
    POINTS_SEEN,
    TAKEN_BACK,
    arrived,
    counts_only_view,
    is_mixed_up,
    shows_position,
)

WRONG_OBSERVATIONS: Final = 4
"""Observations of a position in one still period before it is reported as wrong: some five seconds
in which nobody touches it, the most that a period is observed."""
RESUME_OBSERVATIONS: Final = 2
"""Observations of the position of a game that was broken off before it is resumed."""
ALMOST_RIGHT: Final = 2
"""Checkers that may stand wrong where a start position is set up; with more it is being made."""
_Places = tuple[Position, Position]
"""What should stand, and what does."""
IN_PLAY: Final = (Phase.TO_ROLL, Phase.TO_PLAY)


def set_up_error(
    state: MatchState, period: StillPeriod, start: Position, rules: Rules
) -> SetUpError | None:
    """What is wrong with the checkers; None where nothing is, or it is recorded already."""
    wanted = _wanted(state, start)
    if wanted is None or period.observation_count < WRONG_OBSERVATIONS:
        return None
    stands = _what_stands(period, wanted)
    if stands is None or not _is_wrong(state, period, (wanted, stands), rules):
        return None
    messages, when = tuple(_faults(wanted, stands)), period.timestamp
    faults = tuple(map(str, messages))
    if isinstance(state.last_event, SetUpError) and state.last_event.faults == faults:
        return None
    return SetUpError(
        time=when.time,
        frame=when.frame,
        position=stands,
        faults=faults,
        fault_messages=messages,
    )


def _wanted(state: MatchState, start: Position) -> Position | None:
    if state.phase in IN_PLAY:
        return state.position
    return start if state.phase in BETWEEN_GAMES and state.winner is None else None


def _is_wrong(state: MatchState, period: StillPeriod, places: _Places, rules: Rules) -> bool:
    """Almost the start position, with no dice near; or in play what nothing explains."""
    wanted, stands = places
    if state.phase in BETWEEN_GAMES or (
        state.phase is Phase.TO_ROLL and not state.current_game_turns
    ):
        astray = sum(arrived(wanted.of(side), stands.of(side), BAR + 1) for side in Side)
        if 0 < astray <= ALMOST_RIGHT and not period.dice:
            return not any(_leads_to(places, side, rules) for side in Side)
    return state.phase in IN_PLAY and is_mixed_up(*places, rules)


def _leads_to(places: _Places, side: Side, rules: Rules) -> bool:
    """Whether a play whose dice were not seen leads there."""
    before, after = places
    cells = find_outcomes(before, side, rules).cells
    return bool((cells == cell_counts(after)).all(axis=1).any())


def _what_stands(period: StillPeriod, wanted: Position) -> Position | None:
    """The likeliest 15 checkers a side; None where the view is poor or may show `wanted`."""
    if period.quality < OPEN_VIEW or int((period.seen[:24] > 0).sum()) < POINTS_SEEN:
        return None
    view = counts_only_view(period)
    cells, hoped = most_probable(view), cell_counts(wanted)
    scores = view.score(np.stack([cells, hoped]), hoped)
    return position_of(cells, wanted.course) if scores[0] > scores[1] + TAKEN_BACK else None


def _faults(wanted: Position, stands: Position) -> Iterator[Message]:
    for side in Side:
        for place in range(BAR, OFF - 1, -1):
            there, hoped = stands.of(side)[place], wanted.of(side)[place]
            if there != hoped:
                where = msg("borne off")
                if place != OFF:
                    where = msg("on {place}", place=place_name(place))
                yield msg(
                    "{side} has {there} {where}, not {hoped}",
                    side=SIDE_NAMES[side],
                    there=there,
                    where=where,
                    hoped=hoped,
                )


def resumed_event(state: MatchState, period: StillPeriod, rules: Rules) -> Resumed | None:
    """The game that was broken off goes on: its position stands again."""
    is_open = state.phase is Phase.UNFINISHED and state.games in state.unresolved_games
    if not is_open or state.position is None or not state.current_game_turns:
        return None
    if period.observation_count < RESUME_OBSERVATIONS:
        return None
    if not shows_position(period, state.position, rules):
        return None
    when = period.timestamp
    side = state.current_game_turns[-1].event.player.other
    return Resumed(time=when.time, frame=when.frame, game=state.games, player=side)
