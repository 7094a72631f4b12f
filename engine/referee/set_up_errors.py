"""Errors in setting up checkers, at the start or during play, and resuming a game.

A starting position that is almost right begins the game regardless, because a misreading looks the
same; the error is recorded beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from engine.events.record import Resumed, SetUpError
from engine.evidence.likelihood import position_of
from engine.evidence.observation import cell_counts
from engine.evidence.still_period import StillPeriod
from engine.evidence.whole_board import most_probable
from engine.inference.outcomes import find_outcomes
from engine.match.leftover import outcome_of_play
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.state import MatchState, Turn
from engine.message import Message, msg
from engine.position import BAR, OFF, SIDE_NAMES, Position, Side, place_name
from engine.referee.game_end import is_swept
from engine.rules import Rules
from engine.turns.evidence import OPEN_QUALITY
from engine.turns.position_check import (
    MIN_CHANGE_NATS,
    MIN_POINTS_SEEN,
    count_arrived,
    counts_only_view,
    is_mixed_up,
    shows_position,
)

MIN_ERROR_OBSERVATIONS: Final = 4
"""Observations of a position in one still period before it is reported as wrong: about five seconds
in which nobody touches it, the longest that a period is observed."""
MIN_RESUME_OBSERVATIONS: Final = 2
"""Observations of a broken-off game's position before it is resumed."""
MAX_MISPLACED_CHECKERS: Final = 2
"""Checkers that may be misplaced in a starting position; with more, it is still being set up."""


def set_up_error(
    state: MatchState, period: StillPeriod, start: Position, rules: Rules
) -> SetUpError | None:
    """What is wrong with the checkers; None if nothing is, or if it is already recorded."""
    expected = _expected(state, start)
    if expected is None or period.observation_count < MIN_ERROR_OBSERVATIONS:
        return None
    shown = _other_position(period, expected)
    if shown is None or not _is_wrong(state, period, expected, shown, rules):
        return None
    messages, when = tuple(_faults(expected, shown)), period.timestamp
    faults = tuple(map(str, messages))
    last = state.last_game_event
    if isinstance(last, SetUpError) and last.faults == faults:
        return None
    return SetUpError(
        time=when.time,
        frame=when.frame,
        position=shown,
        faults=faults,
        fault_messages=messages,
    )


def _expected(state: MatchState, start: Position) -> Position | None:
    if state.phase not in BETWEEN_GAMES:
        return state.position
    return start if state.winner is None else None


def _is_wrong(
    state: MatchState, period: StillPeriod, expected: Position, shown: Position, rules: Rules
) -> bool:
    """Whether it is almost the starting position, with no dice near, or in play is unexplained."""
    is_begun = state.phase is not Phase.TO_ROLL or bool(state.current_game_turns)
    if state.phase in BETWEEN_GAMES or not is_begun:
        misplaced = sum(count_arrived(expected.of(s), shown.of(s), BAR + 1) for s in Side)
        if 0 < misplaced <= MAX_MISPLACED_CHECKERS and not period.dice:
            # A play whose dice were not seen may lead there.
            results = (find_outcomes(expected, side, rules).cells for side in Side)
            return not any((cells == cell_counts(shown)).all(axis=1).any() for cells in results)
    return state.phase not in BETWEEN_GAMES and is_mixed_up(expected, shown, rules)


def _other_position(period: StillPeriod, expected: Position) -> Position | None:
    """The likeliest 15 checkers a side; None if the view is poor or may show `expected`."""
    if period.quality < OPEN_QUALITY or int((period.seen[:24] > 0).sum()) < MIN_POINTS_SEEN:
        return None
    view = counts_only_view(period)
    cells, own = most_probable(view.table, expected), cell_counts(expected)
    scores = view.score(np.stack([cells, own]), own)
    return position_of(cells, expected.course) if scores[0] > scores[1] + MIN_CHANGE_NATS else None


def _faults(expected: Position, shown: Position) -> Iterator[Message]:
    for side in Side:
        for place in range(BAR, OFF - 1, -1):
            there, hoped = shown.of(side)[place], expected.of(side)[place]
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
    """The event that the broken-off game continues: its position is on the board again."""
    is_open = state.phase is Phase.UNFINISHED and state.games in state.unresolved_games
    if not is_open or state.position is None or not state.current_game_turns:
        return None
    if period.observation_count < MIN_RESUME_OBSERVATIONS:
        return None
    if not shows_position(period, state.position, rules) or is_swept(period, state, rules):
        return None
    when = period.timestamp
    side = _rolls_next(state.current_game_turns[-1], rules)
    return Resumed(time=when.time, frame=when.frame, game=state.games, player=side)


def _rolls_next(turn: Turn, rules: Rules) -> Side:
    """Who rolls after a turn: usually the opponent."""
    made = turn.event
    outcome = outcome_of_play(turn.before, made.player, made.dice, made.position, rules)
    is_same = bool(turn.leftover) or outcome.rolls_again
    return made.player if is_same else made.player.other
