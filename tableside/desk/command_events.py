"""What is said by hand, as the events that the record takes."""

from __future__ import annotations

from typing import Any, Final

from engine import (
    Beavered,
    BoardMoved,
    DiceRolled,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    Event,
    GameStart,
    MatchClosed,
    MatchState,
    NotNow,
    OpeningRolled,
    Phase,
    PlayAccepted,
    PlayersNamed,
    PlayRejected,
    Position,
    Raccooned,
    Resigned,
    Roll,
    Setup,
    Side,
    TurnEnded,
    find_rules,
)
from engine.events.record import PositionSet
from engine.referee.manual import manual_play
from engine.rules import Rules
from engine.timestamp import Timestamp
from engine.turns.opening import awaits_opening_roll
from tableside.desk.clock import clock_pressed, clock_set, clock_stopped
from webui.contracts.desk import (
    ClockEntered,
    DeskCommand,
    NamesEntered,
    PlayEntered,
    PositionEntered,
    Resignation,
    RollEntered,
)

TURNED: Final = {
    DeskCommand.DOUBLE: Doubled,
    DeskCommand.BEAVER: Beavered,
    DeskCommand.RACCOON: Raccooned,
}
NOBODYS: Final = "it is nobody's turn yet: the opening roll was not seen"
BY_HAND: Final = {DeskCommand.ACCEPT: PlayAccepted, DeskCommand.END_TURN: TurnEnded}
CLOCKED: Final = {DeskCommand.CLOCK: clock_pressed, DeskCommand.CLOCK_STOP: clock_stopped}
ANSWERED: Final = {
    DeskCommand.REJECT: PlayRejected,
    DeskCommand.TAKE: DoubleTaken,
    DeskCommand.DROP: DoubleDropped,
}


Said = (
    DeskCommand
    | RollEntered
    | PlayEntered
    | PositionEntered
    | NamesEntered
    | ClockEntered
    | Resignation
)
"""What is an event by itself."""


def event_of(said: Said, state: MatchState, rules: Rules, when: Timestamp) -> Event:
    """The event that was said; `EngineError` if it cannot be."""
    event: Event
    match said:
        case RollEntered(dice=dice):
            event = roll_told(state, dice, rules, when)
        case PlayEntered(play=play):
            event = play_told(state, play, rules, when)
        case PositionEntered():
            here = Setup(said.light, said.dark, rules.course).checked()
            event = position_set(here, said.to_move, when)
        case NamesEntered():
            event = named(said, when)
        case ClockEntered():
            event = clock_set(said, when)
        case Resignation():
            event = resigned(state, said, rules, when)
        case DeskCommand():
            event = word_event(said, state, when)
    return event


def word_event(word: DeskCommand, state: MatchState, when: Timestamp) -> Event:
    """The event that a word of the players makes; it is theirs whose turn it is."""
    at: dict[str, Any] = {"time": when.time, "frame": when.frame}
    if (told := _of_the_match(word, state, when)) is not None:
        return told
    if state.to_move is None:
        raise NotNow(NOBODYS)
    fields = {**at, "player": state.to_move}
    if (
        word is DeskCommand.END_TURN
        and state.phase is Phase.TO_ROLL
        and state.owes_clock_press is not None
    ):
        # A throw that came too early is void: the clock that still runs is the one that is pressed.
        fields = {**at, "player": state.owes_clock_press}
    if word in TURNED:
        offer = state.cube.offer
        value = 2 * (state.cube.value if offer is None else offer.value)
        return TURNED[word](**fields, value=value)
    if word in BY_HAND:
        return BY_HAND[word](**fields, by="hand")
    return ANSWERED[word](**fields)


def _of_the_match(word: DeskCommand, state: MatchState, when: Timestamp) -> Event | None:
    """The event of a word that is nobody's turn; None of all others."""
    at: dict[str, Any] = {"time": when.time, "frame": when.frame}
    if word is DeskCommand.BOARD_MOVED:
        return BoardMoved(**at)
    if word is DeskCommand.END_MATCH:
        return match_closed(state, when)
    if word is DeskCommand.BEGIN_GAME:
        return GameStart(**at, position=find_rules(state.variant).opening())
    return CLOCKED[word](state, when) if word in CLOCKED else None


def roll_told(state: MatchState, dice: tuple[int, int], rules: Rules, when: Timestamp) -> Event:
    """The event of dice that were thrown: light's and dark's where lots are drawn.

    `NotNow` if nobody rolls, `InvalidRoll` if dice have no such faces.
    """
    roll = Roll(*dice)
    at: dict[str, Any] = {"time": when.time, "frame": when.frame}
    if awaits_opening_roll(state, rules):
        return OpeningRolled(**at, light=dice[0], dark=dice[1], by="hand")
    if state.to_move is None:
        raise NotNow("nobody rolls now")
    return DiceRolled(**at, player=state.to_move, dice=(roll.high, roll.low), by="hand")


def play_told(state: MatchState, play: str, rules: Rules, when: Timestamp) -> Event:
    """The event of a play that was made, see `engine.referee.manual.manual_play`."""
    if state.to_move is None:
        raise NotNow(NOBODYS)
    return manual_play(state, state.to_move, play, rules, when)


def match_closed(state: MatchState, when: Timestamp) -> MatchClosed:
    """The event of a match that is ended as it stands."""
    return MatchClosed(time=when.time, frame=when.frame, score=state.score)


def named(given: NamesEntered, when: Timestamp) -> PlayersNamed:
    """The event of players who are called otherwise."""
    return PlayersNamed(time=when.time, frame=when.frame, light=given.light, dark=given.dark)


def position_set(here: Position, to_move: Side | None, when: Timestamp) -> PositionSet:
    """The event of a position that is set."""
    return PositionSet(time=when.time, frame=when.frame, position=here, to_move=to_move)


def resigned(state: MatchState, given: Resignation, rules: Rules, when: Timestamp) -> Resigned:
    """The event of a game given up, its points counted with the cube."""
    points = given.points
    if points is None:
        points = given.times
        if rules.has_cube:
            points = state.cube.points(points, state.doubling_context, state.cube_rules)
    return Resigned(
        time=when.time, frame=when.frame, player=given.player, points=points, game=given.game
    )
