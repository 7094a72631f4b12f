"""Commands as events for the record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import engine
from engine import Event, MatchState, NotNow, Phase, RefereeCalled, Roll, Setup, Side
from engine.events.clock import Clock, ClockSet, ClockTurned
from engine.events.record import PositionSet
from engine.match.phase import BETWEEN_GAMES
from engine.message import msg
from engine.referee.manual import manual_play
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.opening import awaits_opening_roll
from webui.contracts.desk import (
    ClockEntered,
    DeskCommand,
    NamesEntered,
    PlaceEntered,
    PlayEntered,
    PositionEntered,
    Resignation,
    RollEntered,
)

CUBE_OFFERS: Final = {
    DeskCommand.DOUBLE: engine.Doubled,
    DeskCommand.BEAVER: engine.Beavered,
    DeskCommand.RACCOON: engine.Raccooned,
}
RESPONSES: Final = {
    DeskCommand.REJECT: engine.PlayRejected,
    DeskCommand.TAKE: engine.DoubleTaken,
    DeskCommand.DROP: engine.DoubleDropped,
}
BY_HAND: Final = {DeskCommand.ACCEPT: engine.PlayAccepted, DeskCommand.END_TURN: engine.TurnEnded}
NO_CLOCK: Final = msg("no clock is in use: set one under Match")
ALREADY_STOPPED: Final = msg("the clock is already stopped")
OPENING_NOT_KNOWN: Final = msg(
    "it is nobody's turn yet: the clock starts once the opening roll is known"
)
OPENING_NOT_SEEN: Final = msg("it is nobody's turn yet: the opening roll was not seen")


EnteredValue = (
    RollEntered
    | PlayEntered
    | PositionEntered
    | NamesEntered
    | PlaceEntered
    | ClockEntered
    | Resignation
)
"""Commands whose values become one event."""


def entered_event(
    entered: EnteredValue,
    state: MatchState,
    rules: Rules,
    when: Timestamp,
) -> Event:
    """The event for an entered value; raises `EngineError` if it does not fit the match."""
    at = when._asdict()
    match entered:
        case RollEntered(dice=dice):
            return roll_event(state, dice, rules, when)
        case PlayEntered(play=play):
            if state.to_move is None:
                raise NotNow(OPENING_NOT_SEEN)
            return manual_play(state, state.to_move, play, rules, when)
        case PositionEntered():
            position = Setup(entered.light, entered.dark, rules.course).checked()
            return PositionSet(**at, position=position, to_move=entered.to_move)
        case NamesEntered() | PlaceEntered():
            return _description(entered, at)
        case ClockEntered():
            return clock_set(entered, when)
        case Resignation():
            return _resignation(state, entered, rules, when)


def _description(entered: NamesEntered | PlaceEntered, at: dict[str, Any]) -> Event:
    """The event for what is said about the match, beside the game."""
    if isinstance(entered, PlaceEntered):
        return engine.MatchPlaced(**at, **entered.place)
    return engine.PlayersNamed(**at, light=entered.light, dark=entered.dark)


def command_event(command: DeskCommand, state: MatchState, when: Timestamp) -> Event:
    """The event for a command without values, which acts for the player whose turn it is."""
    at = when._asdict()
    if command is DeskCommand.BOARD_MOVED:
        return engine.BoardMoved(**at)
    if command is DeskCommand.END_MATCH:
        return engine.MatchClosed(**at, score=state.score)
    if command is DeskCommand.BEGIN_GAME:
        return engine.GameStart(**at, position=state.rules.opening())
    if command in ASIDES:
        return ASIDES[command](state, when)
    return _event_of_player(command, state, at)


def referee_called(state: MatchState, when: Timestamp, player: Side | None = None) -> RefereeCalled:
    """The event for a call for the referee; raises `NotNow` while another waits for an answer."""
    if state.call is not None:
        raise NotNow(msg("the referee has been called already"))
    return RefereeCalled(**when._asdict(), player=player)


def clock_set(given: ClockEntered, when: Timestamp) -> ClockSet:
    """The event for a clock that is set but does not run yet."""
    return ClockSet(**when._asdict(), light=given.light, dark=given.dark, delay=given.delay)


def clock_pressed(state: MatchState, when: Timestamp) -> ClockTurned:
    """The event for a clock press: the other player's runs; from a standstill, the mover's runs."""
    clock = _clock_in_use(state)
    runs = state.to_move if clock.runs is None else clock.runs.other
    if runs is None or state.phase in BETWEEN_GAMES:
        raise NotNow(OPENING_NOT_KNOWN)
    return ClockTurned(**when._asdict(), runs=runs)


def clock_stopped(state: MatchState, when: Timestamp) -> ClockTurned:
    """The event for stopping the clock for both players."""
    if _clock_in_use(state).runs is None:
        raise NotNow(ALREADY_STOPPED)
    return ClockTurned(**when._asdict(), runs=None)


def _clock_in_use(state: MatchState) -> Clock:
    if state.clock is None:
        raise NotNow(NO_CLOCK)
    return state.clock


ASIDES: Final[dict[DeskCommand, Callable[[MatchState, Timestamp], Event]]] = {
    DeskCommand.CLOCK: clock_pressed,
    DeskCommand.CLOCK_STOP: clock_stopped,
    DeskCommand.CALL_REFEREE: referee_called,
    DeskCommand.REFEREE_CAME: lambda _, when: engine.RefereeCame(**when._asdict()),
}
"""Events beside the game."""


def _event_of_player(command: DeskCommand, state: MatchState, at: dict[str, Any]) -> Event:
    if state.to_move is None:
        raise NotNow(OPENING_NOT_SEEN)
    player = state.to_move
    if (
        command is DeskCommand.END_TURN
        and state.phase is Phase.TO_ROLL
        and state.owes_clock_press is not None
    ):
        # A throw made too early is void: the clock that is still running is the one to press.
        player = state.owes_clock_press
    if command in CUBE_OFFERS:
        offer = state.cube.offer
        value = 2 * (state.cube.value if offer is None else offer.value)
        return CUBE_OFFERS[command](**at, player=player, value=value)
    if command in BY_HAND:
        return BY_HAND[command](**at, player=player, by="hand")
    return RESPONSES[command](**at, player=player)


def roll_event(state: MatchState, dice: tuple[int, int], rules: Rules, when: Timestamp) -> Event:
    """The event for a roll; for an opening roll, light's and dark's die.

    Raises `NotNow` if nobody rolls, `InvalidRoll` if dice have no such faces.
    """
    roll = Roll(*dice)
    at = when._asdict()
    if awaits_opening_roll(state, rules):
        return engine.OpeningRolled(**at, light=dice[0], dark=dice[1], by="hand")
    if state.to_move is None:
        raise NotNow(msg("it is not time to roll"))
    return engine.DiceRolled(**at, player=state.to_move, dice=(roll.high, roll.low), by="hand")


def _resignation(
    state: MatchState, given: Resignation, rules: Rules, when: Timestamp
) -> engine.Resigned:
    """The event for a resigned game, with the cube included in its points."""
    points = given.points
    if points is None:
        points = given.times
        if rules.has_cube:
            points = state.cube.points(points, state.doubling_context, state.cube_rules)
    return engine.Resigned(**when._asdict(), player=given.player, points=points, game=given.game)
