"""What is said by hand, as the events that the record takes."""

from __future__ import annotations

from typing import Any, Final

from engine import (
    Beavered,
    BoardMoved,
    Doubled,
    Dropped,
    Event,
    MatchClosed,
    MatchState,
    Named,
    NotNow,
    PlayAccepted,
    PlayRejected,
    Position,
    Raccooned,
    Resigned,
    Side,
    Taken,
    TurnEnded,
)
from engine.events import PositionSet
from engine.looks import When
from engine.rules import Rules
from webui.desk import NamesGiven, Resignation, Word

TURNED: Final = {Word.DOUBLE: Doubled, Word.BEAVER: Beavered, Word.RACCOON: Raccooned}
BY_HAND: Final = {Word.ACCEPT: PlayAccepted, Word.END_TURN: TurnEnded}
ANSWERED: Final = {Word.REJECT: PlayRejected, Word.TAKE: Taken, Word.DROP: Dropped}


def word_event(word: Word, state: MatchState, when: When) -> Event:
    """The event that a word of the players makes; it is theirs whose turn it is."""
    at: dict[str, Any] = {"time": when.time, "frame": when.frame}
    if word is Word.BOARD_MOVED:
        return BoardMoved(**at)
    if word is Word.END_MATCH:
        return match_closed(state, when)
    if state.to_move is None:
        raise NotNow("it is nobody's turn yet: the opening roll was not seen")
    fields = {**at, "player": state.to_move}
    if word in TURNED:
        offer = state.cube.offer
        value = 2 * (state.cube.value if offer is None else offer.value)
        return TURNED[word](**fields, value=value)
    if word in BY_HAND:
        return BY_HAND[word](**fields, by="hand")
    return ANSWERED[word](**fields)


def match_closed(state: MatchState, when: When) -> MatchClosed:
    """The event of a match that is ended as it stands."""
    return MatchClosed(time=when.time, frame=when.frame, score=state.score)


def named(given: NamesGiven, when: When) -> Named:
    """The event of players who are called otherwise."""
    return Named(time=when.time, frame=when.frame, light=given.light, dark=given.dark)


def position_set(here: Position, to_move: Side | None, when: When) -> PositionSet:
    """The event of a position that is set."""
    return PositionSet(time=when.time, frame=when.frame, position=here, to_move=to_move)


def resigned(state: MatchState, given: Resignation, rules: Rules, when: When) -> Resigned:
    """The event of a game given up, its points counted with the cube."""
    points = given.points
    if points is None:
        points = given.times
        if rules.has_cube:
            points = state.cube.points(points, state.game, state.cube_rules)
    return Resigned(
        time=when.time, frame=when.frame, player=given.player, points=points, game=given.game
    )
