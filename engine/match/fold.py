"""The fold from events to `MatchState`: what each class of event changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce, singledispatch
from typing import Final

import numpy as np

from engine.cube import CENTRED, is_crawford
from engine.events.clock import clock_after
from engine.events.cup import CupDecided
from engine.events.match import (
    Beavered,
    Dice,
    DiceRolled,
    DiceVoid,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    MatchEnd,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
    PrematureRoll,
    Raccooned,
    TakenBack,
    TurnEnded,
)
from engine.events.record import (
    Confirmed,
    Corrected,
    MatchClosed,
    MatchContinued,
    MatchNoted,
    MatchPaused,
    MatchPlaced,
    PlayersNamed,
    PositionFound,
    PositionSet,
    RefereeCalled,
    RefereeCame,
    Resumed,
    Unfinished,
)
from engine.evidence.observation import LIGHT_OFF, cell_counts
from engine.match.leftover import outcome_of_play
from engine.match.phase import BETWEEN_GAMES, Phase
from engine.match.state import (
    PLAY_UNCERTAIN,
    POSITION_UNCERTAIN,
    RECORD_UNCERTAIN,
    MatchState,
    Turn,
    confirm,
)
from engine.position import Position, Side
from engine.ruleset import TurnEndRule

MAX_RECENT_POSITIONS: Final = 6
_LEAVING_DOUBT: Final = {PLAY_UNCERTAIN, RECORD_UNCERTAIN, POSITION_UNCERTAIN}


def fold(events: Iterable[Event], start: MatchState | None = None) -> MatchState:
    """The state after all `events`, in order."""
    return reduce(apply_event, events, start or MatchState())


def apply_event(state: MatchState, event: Event) -> MatchState:
    """The state after `event`."""
    if isinstance(event, Corrected):
        return state.at(event.keep)
    changed, recent = _apply(event, state), state.recent_positions
    if changed.position is not None and changed.position is not state.position:
        recent = (*recent[1 - MAX_RECENT_POSITIONS :], (event.frame, changed.position))
    return replace(
        changed,
        clock=clock_after(changed.clock, event, is_between=changed.phase in BETWEEN_GAMES),
        last_event=event,
        recent_positions=recent,
        event_count=state.event_count + 1,
        previous=state,
    )


@singledispatch
def _apply(event: Event, state: MatchState) -> MatchState:
    """Apply what an event changes; nothing, for a class without a handler."""
    return state


def _places_swapped(place: MatchPlaced | None) -> MatchPlaced | None:
    """The place, once the players have changed colors: their countries go with them."""
    if place is None:
        return None
    return replace(place, light_country=place.dark_country, dark_country=place.light_country)


@_apply.register
def _(event: GameStart, state: MatchState) -> MatchState:
    started = replace(
        state,
        place=_places_swapped(state.place) if event.swapped else state.place,
        rule_set=event.rule_set or state.rule_set,
        cube_rules=state.cube_rules if event.rule_set is None else event.rule_set.cube,
        cube=CENTRED,
        is_crawford=False,
        starter=event.starter,
        roll_counts=(0, 0),
        winner=None,
        phase=Phase.TO_ROLL,
        variant=event.variant,
        light=event.light,
        dark=event.dark,
        length=event.length,
        score=event.score,
        games=state.games + 1,
        swaps=(*state.swaps, state.games + 1) if event.swapped else state.swaps,
        position=event.position,
        places_in_doubt=tuple(range(LIGHT_OFF)) if event.is_joined else (),
        to_move=event.starter,
        roll=None,
        leftover=(),
    )
    return _with_crawford(started)


def _with_crawford(state: MatchState) -> MatchState:
    """The state, once its score has decided whether the game in play is the Crawford game."""
    was_played = state.crawford_was_played and not state.is_crawford
    crawford = state.cube_rules.crawford and is_crawford(
        state.length, state.score, was_played=was_played
    )
    return replace(state, is_crawford=crawford, crawford_was_played=was_played or crawford)


@_apply.register
def _(event: OpeningRolled, state: MatchState) -> MatchState:
    """The higher die begins and plays both dice, unless the variant has that player roll again."""
    light, dark = event.light, event.dark
    if light is None or dark is None:
        return state
    if light == dark:
        cube = state.cube.doubled_by_dice(state.doubling_context, state.cube_rules)
        return replace(state, cube=cube)
    starter = Side.LIGHT if light > dark else Side.DARK
    opened = replace(state, to_move=starter, starter=starter, phase=Phase.TO_ROLL)
    if state.rules.starter_rolls_again:
        return opened
    return _with_roll(opened, starter, (max(light, dark), min(light, dark)))


@_apply.register
def _(event: DiceRolled, state: MatchState) -> MatchState:
    return _with_roll(state, event.player, event.dice)


def _with_roll(state: MatchState, side: Side, dice: Dice) -> MatchState:
    counts = _plus(state.roll_counts, side, 1)
    return replace(state, phase=Phase.TO_PLAY, to_move=side, roll=dice, roll_counts=counts)


@_apply.register
def _(event: DiceVoid, state: MatchState) -> MatchState:
    """A void roll does not accept an illegal play, which stays disputed."""
    phase = Phase.DISPUTED if state.phase is Phase.DISPUTED else Phase.TO_ROLL
    return replace(state, phase=phase, to_move=event.player, roll=None)


@_apply.register
def _(event: CupDecided, state: MatchState) -> MatchState:
    return replace(state, roll=event.dice) if state.phase is Phase.TO_PLAY else state


@_apply.register
def _(event: PrematureRoll, state: MatchState) -> MatchState:
    if state.rule_set.turn_end is not TurnEndRule.CLOCK:
        return state
    return replace(state, owes_clock_press=event.player.other)


@_apply.register
def _(event: TurnEnded, state: MatchState) -> MatchState:
    is_late = state.to_move is event.player.other
    is_declared = state.turn_end_declared or not is_late
    return replace(state, owes_clock_press=None, turn_end_declared=is_declared)


@_apply.register
def _(event: Doubled, state: MatchState) -> MatchState:
    """The cube is folded as recorded, even if it was turned against the rules."""
    cube = state.cube.turned(event.player)
    return replace(state, cube=cube, to_move=event.player.other, phase=Phase.DOUBLED)


@_apply.register
def _(event: Beavered | Raccooned, state: MatchState) -> MatchState:
    cube = state.cube.turned_back(event.player)
    return replace(state, cube=cube, to_move=event.player.other, phase=Phase.DOUBLED)


@_apply.register
def _(event: DoubleTaken, state: MatchState) -> MatchState:
    """The player who doubled first rolls, whatever was turned since; the other keeps the cube."""
    offer = state.cube.offer
    if offer is None:
        return state
    cube, roller = state.cube.taken(), offer.keeper.other
    return replace(state, cube=cube, to_move=roller, phase=Phase.TO_ROLL)


@_apply.register
def _(event: PlayMade, state: MatchState) -> MatchState:
    before = event.position if state.position is None else state.position
    moves_leftover = event.dice is None and event.player is state.to_move
    leftover = state.leftover if moves_leftover else ()
    turns = (*state.turns, Turn(state.games, before, event, leftover=leftover))
    if leftover:
        # The leftover moves: the player's own roll is still to come, or to be played.
        places = _places_in_doubt(state, event) or state.places_in_doubt
        moved = replace(
            state,
            position=event.position,
            places_in_doubt=places,
            leftover=(),
            turns=turns,
        )
        is_first = event.player is state.first_player
        if not (is_first and state.rules.owes_last_throw(event.position, event.player)):
            return moved
        # Who has borne off all checkers has nothing to roll for: it is the opponent's last throw.
        return replace(moved, phase=Phase.TO_ROLL, to_move=event.player.other, roll=None)
    outcome = outcome_of_play(before, event.player, event.dice, event.position, state.rules)
    owes_press = state.owes_clock_press is event.player
    return replace(
        state,
        phase=Phase.DISPUTED if isinstance(event, IllegalMade) else Phase.TO_ROLL,
        position=event.position,
        places_in_doubt=_places_in_doubt(state, event),
        to_move=event.player if outcome.rolls_again else event.player.other,
        roll=None,
        leftover=outcome.leftover,
        turns=turns,
        previous_turn_end_declared=state.turn_end_declared,
        turn_end_declared=False,
        owes_clock_press=event.player if owes_press else None,
    )


def _places_in_doubt(state: MatchState, made: PlayMade) -> tuple[int, ...]:
    is_in_doubt = not _LEAVING_DOUBT.isdisjoint(made.uncertainties)
    return _with_changed(state, made.position) if is_in_doubt else ()


def _with_changed(state: MatchState, position: Position) -> tuple[int, ...]:
    """The places in doubt, including those with another count in `position`."""
    if state.position is None:
        return state.places_in_doubt
    changed = np.flatnonzero(cell_counts(state.position) != cell_counts(position))
    return tuple(sorted({*state.places_in_doubt, *changed.tolist()}))


@_apply.register
def _(event: PlayRejected | TakenBack, state: MatchState) -> MatchState:
    if not state.turns:
        return state
    *earlier, turn = state.turns
    return replace(
        state,
        phase=Phase.TO_PLAY,
        position=turn.before,
        to_move=turn.event.player,
        roll=turn.event.dice,
        leftover=(),
        turns=(*earlier, replace(turn, rejected=True)),
    )


@_apply.register
def _(event: PlayAccepted, state: MatchState) -> MatchState:
    turns = state.turns
    if turns and event.by == "hand":
        turns = (*turns[:-1], replace(turns[-1], is_settled=True))
    return replace(state, phase=Phase.TO_ROLL, turns=turns)


@_apply.register
def _(event: Confirmed, state: MatchState) -> MatchState:
    index = event.turn - 1
    if not 0 <= index < len(state.turns):
        return state
    turn = state.turns[index]
    turn = replace(turn, event=confirm(turn.event, event))
    if event.by == "hand":
        turn = replace(turn, is_settled=True)
    places = () if event.by == "hand" else state.places_in_doubt
    turns = (*state.turns[:index], turn, *state.turns[index + 1 :])
    return replace(state, turns=turns, places_in_doubt=places)


@_apply.register
def _(event: PositionSet, state: MatchState) -> MatchState:
    return replace(
        state,
        phase=Phase.TO_ROLL,
        position=event.position,
        places_in_doubt=(),
        leftover=(),
        to_move=event.to_move,
        starter=event.to_move if state.starter is None else state.starter,
        roll=None,
    )


@_apply.register
def _(event: PositionFound, state: MatchState) -> MatchState:
    places = _with_changed(state, event.position)
    return replace(state, position=event.position, places_in_doubt=places)


@_apply.register
def _(event: Unfinished, state: MatchState) -> MatchState:
    unresolved, left = (*state.unresolved_games, event.game), state.leftover
    ended = replace(_game_over(state), phase=Phase.UNFINISHED, leftover=left)
    return replace(ended, unresolved_games=unresolved)


@_apply.register
def _(event: Resumed, state: MatchState) -> MatchState:
    unresolved = tuple(game for game in state.unresolved_games if game != event.game)
    return replace(
        state,
        phase=Phase.TO_ROLL,
        to_move=event.player,
        roll=None,
        unresolved_games=unresolved,
    )


@_apply.register
def _(event: DoubleDropped, state: MatchState) -> MatchState:
    return _game_over(state)


@_apply.register
def _(event: GameEnd, state: MatchState) -> MatchState:
    """The end of an earlier game, entered late, does not affect the game in play."""
    number = state.games if event.game is None else event.game
    scored = replace(
        state,
        score=_plus(state.score, state.side_now(event.winner, number), event.points),
        unresolved_games=tuple(game for game in state.unresolved_games if game != number),
    )
    return _game_over(scored) if number == state.games else _with_crawford(scored)


@_apply.register
def _(event: GameDrawn, state: MatchState) -> MatchState:
    light, dark = state.score
    return replace(_game_over(state), score=(light + event.points, dark + event.points))


@_apply.register
def _(event: MatchEnd, state: MatchState) -> MatchState:
    return replace(_game_over(state), winner=event.winner, score=event.score, pause=None)


@_apply.register
def _(event: MatchClosed, state: MatchState) -> MatchState:
    return replace(_game_over(state), was_closed=True, pause=None)


@_apply.register
def _(event: PlayersNamed, state: MatchState) -> MatchState:
    return replace(state, light=event.light, dark=event.dark)


@_apply.register
def _(event: MatchPlaced, state: MatchState) -> MatchState:
    return replace(state, place=event)


@_apply.register
def _(event: MatchNoted, state: MatchState) -> MatchState:
    return replace(state, note=event.text)


@_apply.register
def _(event: RefereeCalled, state: MatchState) -> MatchState:
    return replace(state, call=event, call_contests=state.is_over)


@_apply.register
def _(event: RefereeCame, state: MatchState) -> MatchState:
    return replace(state, call=None, call_contests=False)


@_apply.register
def _(event: MatchPaused, state: MatchState) -> MatchState:
    return replace(state, pause=event)


@_apply.register
def _(_: MatchContinued, state: MatchState) -> MatchState:
    return replace(state, pause=None)


def _game_over(state: MatchState) -> MatchState:
    return replace(state, phase=Phase.OVER, to_move=None, roll=None, leftover=())


def _plus(pair: tuple[int, int], side: Side, amount: int) -> tuple[int, int]:
    """Light's and dark's numbers with `amount` more for `side`."""
    light, dark = pair
    return (light + amount, dark) if side is Side.LIGHT else (light, dark + amount)
