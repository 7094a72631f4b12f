"""A record as a match file, without rejected plays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from engine.dice import Roll
from engine.errors import EngineError, InvalidNotation
from engine.events.match import (
    CubeEvent,
    CubeTurned,
    Dice,
    Event,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    OpeningRolled,
    PlayMade,
)
from engine.events.record import MatchPlaced
from engine.formats.model.match_file import (
    AT_TABLE,
    Action,
    BoardSet,
    CubeAction,
    CubeMove,
    GameFile,
    GameResult,
    Headers,
    MatchFile,
    RollAction,
)
from engine.formats.model.options import option_headers
from engine.formats.validate.game_replay import apply_moves
from engine.match.fold import apply_event
from engine.match.state import MatchState, Turn
from engine.play import Move, Play
from engine.position import Side
from engine.rules import Rules

_CUBE_ACTIONS: Final = {cube_action.value: cube_action for cube_action in CubeAction}
"""Cube events and our cube actions have the same names."""


@dataclass(slots=True)
class _GameEvents:
    """The events of one game, collected one by one."""

    start: GameStart
    rules: Rules
    cube_moves: list[tuple[int, Action]] = field(default_factory=list)
    """Each with the number of turns of the match before it."""
    end: GameEnd | GameDrawn | None = None
    cube: int = 1
    """The cube's value after automatic doubles."""
    late: tuple[int, int] = (0, 0)
    """Points of earlier games that were recorded after this one began."""
    is_mirrored: bool = False
    """Whether the players have the other colors than in the first game, whose colors a file has."""


def match_from_events(events: Iterable[Event]) -> MatchFile:
    """The match that the events record; the last game may be unfinished."""
    state, games = MatchState(), list[_GameEvents]()
    for event in events:
        state = apply_event(state, event)
        if isinstance(event, GameStart):
            is_mirrored = state.side_now(Side.LIGHT) is Side.DARK
            games.append(_GameEvents(event, state.rules, is_mirrored=is_mirrored))
        elif games and isinstance(event, OpeningRolled):
            games[-1].cube = state.cube.value
        elif games and isinstance(event, GameEnd):
            _end(games, event)
        elif games and isinstance(event, GameDrawn):
            games[-1].end = event
        elif games and isinstance(event, CubeEvent):
            games[-1].cube_moves.append((len(state.turns), _cube_move(event)))
    if not games:
        return MatchFile(players=("", ""))
    start = games[0].start
    files = tuple(_game(number, one, state.turns) for number, one in enumerate(games, start=1))
    is_jacoby = start.length == 0 and state.cube_rules.jacoby
    headers = (
        *place_headers(state.place),
        *((("Jacoby", "On"),) if is_jacoby else ()),
        *option_headers(state.rule_set.game),
    )
    players = (state.light, state.dark)
    players = players[::-1] if games[-1].is_mirrored else players
    return MatchFile(players, start.length, files, start.variant, headers)


def place_headers(place: MatchPlaced | None) -> Headers:
    """Where the match is played, for the formats that have a place for it."""
    if place is None:
        return ()
    table = AT_TABLE + place.table if place.table else ""
    named = (("Event", place.event), ("Round", place.round), ("Site", table))
    return tuple((name, text) for name, text in named if text)


def _end(games: list[_GameEvents], end: GameEnd) -> None:
    """End the game; one recorded late counts in the scores of the games since."""
    number = len(games) if end.game is None else end.game
    games[number - 1].end = end
    for later in games[number:]:
        light, dark = later.late
        won = (end.winner is Side.LIGHT) is not games[number - 1].is_mirrored
        later.late = (light + end.points * won, dark + end.points * (not won))


def _cube_move(event: CubeEvent) -> CubeMove:
    value = event.value if isinstance(event, CubeTurned) else 0
    return CubeMove(event.player, _CUBE_ACTIONS[event.type], value)


def _game(number: int, events: _GameEvents, turns: tuple[Turn, ...]) -> GameFile:
    start, end = events.start, events.end
    rules = events.rules
    placed = [*events.cube_moves]
    numbered = enumerate(turns, start=1)
    valid = [(i, turn) for i, turn in numbered if turn.game == number and not turn.rejected]
    position = start.position
    for index, turn in valid:
        if turn.before != position:  # set by hand, or found to differ from the record
            placed.append((index - 1, BoardSet(turn.before)))
        position = turn.event.position
        is_last = index == valid[-1][0] and end is None
        placed.append((index, _rolled(turn, rules, is_last=is_last)))
    # A cube action comes after the turns before it. With equal numbers the turn comes first, then
    # the cube action: a board is written as set when the next play shows it.
    order = (RollAction, CubeMove, BoardSet)
    placed.sort(key=lambda one: (one[0], order.index(type(one[1]))))
    game = GameFile(
        number=number,
        score=start.score,
        actions=tuple(action for _, action in placed),
        result=_result(end),
        cube=events.cube,
        start=None if start.position == rules.opening() else start.position,
    )
    game = _mirrored(game) if events.is_mirrored else game
    (light, dark), (light_late, dark_late) = game.score, events.late
    return replace(game, score=(light + light_late, dark + dark_late))


def _mirrored(game: GameFile) -> GameFile:
    """The same game with the colors of the players swapped."""
    result = game.result
    if result is not None and result.winner is not None:
        result = replace(result, winner=result.winner.other)
    return replace(
        game,
        score=game.score[::-1],
        actions=tuple(map(_mirrored_action, game.actions)),
        result=result,
        start=None if game.start is None else game.start.with_colors_swapped(),
    )


def _mirrored_action(action: Action) -> Action:
    match action:
        case RollAction(side=side, board=board):
            board = None if board is None else board.with_colors_swapped()
            return replace(action, side=side.other, board=board)
        case CubeMove(side=side):
            return replace(action, side=side.other)
        case BoardSet(position=position):
            return replace(action, position=position.with_colors_swapped())


def _result(end: GameEnd | GameDrawn | None) -> GameResult | None:
    if end is None:
        return None
    return GameResult(end.winner if isinstance(end, GameEnd) else None, end.points)


def _rolled(turn: Turn, rules: Rules, *, is_last: bool) -> RollAction:
    played = turn.event
    moves, after = _moves(played), None
    if moves is not None:
        try:
            after, _ = apply_moves(turn.before, played.player, moves, rules)
        except EngineError:
            after = None
    note = "" if not isinstance(played, IllegalMade) else "undecided" if is_last else "accepted"
    return RollAction(
        side=played.player,
        roll=_roll(played.dice),
        moves=moves,
        board=None if after == played.position else played.position,
        text="" if moves is not None else played.play,
        note=note,
        seen=played.dice or (None, None),
    )


def _moves(played: PlayMade) -> tuple[Move, ...] | None:
    """The moves; None if a checker went backward, because no file has moves for that."""
    try:
        return Play.parse(played.play).moves
    except InvalidNotation:
        return None


def _roll(dice: Dice | None) -> Roll | None:
    first, second = dice or (None, None)
    return None if first is None or second is None else Roll(first, second)
