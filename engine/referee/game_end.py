"""How a game ends: borne off, drawn, dropped, resigned, or broken off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from engine.dice import Roll
from engine.events.match import Dice, Event, GameDrawn, GameEnd, MatchEnd, PlayMade
from engine.events.record import Unfinished
from engine.evidence.observation import LIGHT_OFF
from engine.evidence.still_period import StillPeriod
from engine.inference.outcomes import find_outcomes
from engine.match.fold import apply_event
from engine.match.phase import Phase
from engine.match.state import PLAY_UNCERTAIN, MatchState
from engine.position import Side
from engine.referee.doubling import dropped_cube
from engine.rules import GameOutcome, Rules
from engine.rules.legal import LegalPlay, list_few_plays
from engine.timestamp import Timestamp
from engine.turns.position_check import (
    MIN_CHANGE_NATS,
    cells_of,
    counts_only_view,
    shows_empty,
    shows_position,
)

MIN_SWEPT_OBSERVATIONS: Final = 3
"""Observations of a board cleared or set up again before a game counts as broken off."""
UNSEEN_WIN_CONFIDENCE: Final = 0.9
"""Confidence of a forced winning play that nobody saw."""
MIN_TURNS_UNDER_WAY: Final = 2
"""Turns from which the starting position is no longer a play that was taken back."""


def end_events(state: MatchState, rules: Rules, when: Timestamp) -> Iterator[Event]:
    """The end of the game, and of the match, if the recorded position is final."""
    assert state.position is not None, "no game has begun"  # noqa: S101
    outcome = rules.outcome(state.position)
    if outcome is None or owes_throw(state, rules):
        return
    if rules.is_drawn(state.position):
        yield from with_match_end(state, GameDrawn(time=when.time, frame=when.frame))
        return
    yield from _won_as(state, outcome, rules, when)


def _won_as(
    state: MatchState, outcome: GameOutcome, rules: Rules, when: Timestamp
) -> Iterator[Event]:
    """The board's result times the cube; Jacoby may make it single."""
    points = outcome.points
    if rules.has_cube:
        points = state.cube.points(points, state.doubling_context, state.cube_rules)
    yield from win_events(state, outcome.winner, points, outcome.result, when)


def owes_throw(state: MatchState, rules: Rules) -> bool:
    """Whether the second player still has a last throw."""
    first = state.first_player
    if state.position is None or first is None or not state.current_game_turns:
        return False
    has_thrown = state.current_game_turns[-1].event.player is not first
    return rules.owes_last_throw(state.position, first) and not has_thrown


def win_events(
    state: MatchState,
    winner: Side,
    points: int,
    result: str,
    when: Timestamp,
    game: int | None = None,
) -> Iterator[Event]:
    """The end of a game, and of the match if its length is reached."""
    end = GameEnd(
        time=when.time, frame=when.frame, winner=winner, points=points, result=result, game=game
    )
    yield from with_match_end(state, end)


def with_match_end(state: MatchState, end: GameEnd | GameDrawn) -> Iterator[Event]:
    """`end`, and the end of the match if its length is reached; after a tie, play continues."""
    yield end
    light, dark = apply_event(state, end).score
    if state.length and max(light, dark) >= state.length and light != dark:
        winner = Side.LIGHT if light > dark else Side.DARK
        yield MatchEnd(time=end.time, frame=end.frame, winner=winner, score=(light, dark))


def is_swept(
    period: StillPeriod, state: MatchState, rules: Rules, *, is_doubled: bool = False
) -> bool:
    """Whether the board is empty in mid-game, or set up for the next game.

    is_doubled: whether a cube was offered that is not recorded, so that no play is taken back.
    """
    if state.position is None or not state.current_game_turns:
        return False
    if shows_empty(period) and not _may_clear(state, rules):
        return True
    is_offered = is_doubled or state.phase is Phase.DOUBLED
    is_over = is_offered or rules.outcome(state.position) is not None
    may_be_a_take_back = len(state.current_game_turns) < MIN_TURNS_UNDER_WAY and not is_over
    if may_be_a_take_back or not shows_position(period, rules.opening(), rules):
        return False
    sides = tuple(Side) if state.to_move is None else (state.to_move,)
    played = [find_outcomes(state.position, side, rules).cells for side in sides]
    view, opening = counts_only_view(period), cells_of(rules.opening())
    rivals = np.vstack([cells_of(state.position), *played])
    fits = float(view.score(opening, opening[0]).max())
    return fits > float(view.score(rivals, opening[0]).max()) + MIN_CHANGE_NATS


def _may_clear(state: MatchState, rules: Rules) -> bool:
    """Whether the second player's last play may legally leave the board empty."""
    if state.position is None or state.to_move is None or not owes_throw(state, rules):
        return False
    cells = find_outcomes(state.position, state.to_move, rules).cells
    return bool((cells[:, :LIGHT_OFF] == 0).all(axis=1).any())


def broken_off(state: MatchState, rules: Rules, when: Timestamp) -> Iterator[Event]:
    """What a swept board means: the cube was dropped, or the end was unseen or is unknown.

    Who conceded, and how much, is never guessed.
    """
    drop = dropped_cube(state, when)
    if drop is not None and state.cube.offer is not None:
        yield drop
        winner, points = state.cube.dropped()
        yield from win_events(apply_event(state, drop), winner, points, "drop", when)
    elif state.position is not None and (outcome := rules.outcome(state.position)) is not None:
        yield from _won_as(state, outcome, rules, when)
    elif (last := _last_play(state, rules, when)) is not None:
        yield last
        yield from broken_off(apply_event(state, last), rules, when)
    else:
        yield Unfinished(time=when.time, frame=when.frame, game=state.games)


def _last_play(state: MatchState, rules: Rules, when: Timestamp) -> PlayMade | None:
    """The only play of the visible roll, if it wins; for review, because nobody saw it."""
    if state.phase is not Phase.TO_PLAY or state.position is None or state.to_move is None:
        return None
    high, low = state.roll or (None, None)
    if high is None or low is None:
        return None
    plays = list_few_plays(state.position, state.to_move, Roll(high, low), rules)
    if plays is None or len(plays) != 1 or rules.outcome(plays[0].position) is None:
        return None
    return unseen_play(state.to_move, plays[0], state.roll, UNSEEN_WIN_CONFIDENCE, when)


def unseen_play(
    player: Side, made: LegalPlay, dice: Dice | None, confidence: float, when: Timestamp
) -> PlayMade:
    """A play that nobody saw, for review; `dice`: None for moves left over."""
    return PlayMade(
        time=when.time,
        frame=when.frame,
        player=player,
        dice=dice,
        play=str(made.play),
        position=made.position,
        confidence=confidence,
        review=True,
        uncertainties=(PLAY_UNCERTAIN,),
    )
