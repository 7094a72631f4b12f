"""Reads BGBlitz's `.bgf`: the match, without its analysis.

A line of JSON is followed by the match as JSON, mostly as Smile and compressed. The format is not
published: what is said here was found in files, compared with the same matches as `.mat` and `.xg`.
Green is our light. A play is legal or not: the file does not say, and has no position after it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import count, takewhile
from typing import Annotated, Any, Final

from engine.formats.bgf.smile import MAGIC, decode_smile
from engine.formats.model.binary import board_of, headers_of, moves_of, roll_of
from engine.formats.model.builder import MAX_GAMES, GameBuilder
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import CubeAction, FaultList, Headers, MatchFile, RollAction
from engine.formats.model.safe_text import whole_text
from engine.formats.model.unpack import unpack
from engine.formats.model.variants import BGBLITZ
from engine.message import msg
from engine.play import Move
from engine.position import BAR, PLACES, Position, Side
from engine.rules import find_rules
from engine.typed_json import InvalidValue, Length, reader

MAX_BYTES: Final = 16 * 1024 * 1024
"""Of unpacked match: some 7,000 turns with their analysis."""
_MOST_HEADER_BYTES: Final = 1000
_PACKED: Final = (b"\x1f\x8b", b"\x78")
_SIDES: Final = {-1: Side.LIGHT, 1: Side.DARK}
_NO_ROLL: Final = 7
"""The green die of whatever is no play; the red die says what it is."""
_CUBE_ACTIONS: Final = {1: CubeAction.DOUBLE, 2: CubeAction.TAKE, 3: CubeAction.DROP}
_END, _DANCE, _RESIGNS = 4, 5, 9
_NO_MOVE: Final = -1
_CUBES: Final = frozenset(2**log for log in range(7))
_POINTS: Final = BAR - 1


@dataclass(frozen=True, slots=True)
class _Start:
    """The table at the start of a game."""

    points: tuple[int, ...]
    """From red's ace point, green's checkers positive; then the two bars."""
    cube: int = 1


@dataclass(frozen=True, slots=True)
class _Turn:
    """A play, or something else that a player did."""

    red: int
    green: int
    player: int
    sources: Annotated[tuple[int, ...], Length(4)] = field(metadata={"json": "from"})
    """From the player's own side; 25 is the bar. The dice of a turn without a play are the first
    numbers here and in `targets`."""
    targets: Annotated[tuple[int, ...], Length(4)] = field(metadata={"json": "to"})
    """0 is off."""


@dataclass(frozen=True, slots=True)
class _Game:
    """A game."""

    moves: tuple[_Turn, ...]
    initial: _Start
    green: int = field(metadata={"json": "scoreGreen"})
    red: int = field(metadata={"json": "scoreRed"})
    points: int = field(default=0, metadata={"json": "wonPoints"})
    """0 in the last game of a money session, which the final score gives."""


@dataclass(frozen=True, slots=True)
class _Match:
    """The match."""

    length: int = field(metadata={"json": "matchlen"})
    light: str = field(metadata={"json": "nameGreen"})
    dark: str = field(metadata={"json": "nameRed"})
    games: tuple[_Game, ...]
    green: int = field(default=0, metadata={"json": "finalGreen"})
    red: int = field(default=0, metadata={"json": "finalRed"})
    jacoby: bool = field(default=False, metadata={"json": "useJacoby"})
    crawford: bool = field(default=True, metadata={"json": "useCrawford"})
    site: str | None = ""
    event: str | None = ""
    round: str | None = ""
    date: str | None = ""


def is_bgf(content: bytes) -> bool:
    """Whether this is a `.bgf` file: a line of JSON with its name, or with Smile after it."""
    first, line_feed, rest = content[: _MOST_HEADER_BYTES + 2].partition(b"\n")
    if not line_feed or not first.startswith(b"{"):
        return False
    return b'"BGF"' in first or rest.startswith((*_PACKED, MAGIC))


def read_bgf(content: bytes) -> MatchFile:
    """Read the match; a line is the number of a game or turn. Raises `InvalidMatchFile`."""
    try:
        match: _Match = reader(_Match)(_value(content))
    except InvalidValue as error:
        raise InvalidMatchFile(f"the .bgf file cannot be read: {error}") from error
    if len(match.games) > MAX_GAMES:
        raise InvalidMatchFile(f"more than {MAX_GAMES} games in a match")
    faults = FaultList()
    games = _games(match, faults)
    return MatchFile(
        players=(whole_text(match.light), whole_text(match.dark)),
        length=max(0, match.length),
        games=tuple(game.built() for game in games),
        variant=_variant(match),
        headers=_headers(match),
        faults=tuple(faults.faults),
    )


def _value(content: bytes) -> Any:
    """The JSON after the first line, unpacked and decoded."""
    packed = content.partition(b"\n")[2]
    unpacked = unpack(packed, MAX_BYTES)[0] if packed.startswith(_PACKED) else packed
    if unpacked.startswith(MAGIC):
        return decode_smile(unpacked)
    try:
        return json.loads(unpacked)
    except (ValueError, RecursionError) as error:
        raise InvalidMatchFile("there is no match in this .bgf file") from error


def _games(match: _Match, faults: FaultList) -> list[GameBuilder]:
    built = []
    opening = find_rules(_variant(match)).opening()
    lines = count(1)
    scores = [*((game.green, game.red) for game in match.games), (match.green, match.red)]
    for number, (game, end) in enumerate(zip(match.games, scores[1:], strict=True), start=1):
        line = next(lines)
        builder = GameBuilder(number, line, faults, score=(game.green, game.red))
        if game.initial.cube in _CUBES:
            builder.cube = game.initial.cube
        start = _start(game, faults, line)
        builder.start = None if start == opening else start
        for turn in game.moves:
            _add(builder, turn, next(lines), faults)
        _end(builder, game, end, line)
        built.append(builder)
    return built


def _start(game: _Game, faults: FaultList, line: int) -> Position | None:
    points = game.initial.points
    if len(points) < PLACES:
        faults.add(line, msg("the board at the start of a game is missing"))
        return None
    counts = [-abs(points[BAR]), *reversed(points[:_POINTS]), abs(points[_POINTS])]
    return board_of(counts, Side.LIGHT, line, faults)


def _variant(match: _Match) -> str:
    """The variant that begins as the first game does, else backgammon."""
    start = _start(match.games[0], FaultList(), 0) if match.games else None
    return next((name for name in BGBLITZ if find_rules(name).opening() == start), BGBLITZ[0])


def _add(game: GameBuilder, turn: _Turn, line: int, faults: FaultList) -> None:
    """Add one turn to its game."""
    side = _SIDES.get(turn.player)
    if side is None:
        faults.add(line, msg("it is not recorded whose turn this was"))
    elif turn.green != _NO_ROLL:
        moves = _moves(turn)
        game.add_roll(RollAction(side, roll_of((turn.red, turn.green), line, faults), moves, line))
    elif turn.red in _CUBE_ACTIONS:
        game.add_cube(side, _CUBE_ACTIONS[turn.red], 0, line)
    elif turn.red == _DANCE:
        roll = roll_of((turn.sources[0], turn.targets[0]), line, faults)
        game.add_roll(RollAction(side, roll, (), line))
    elif turn.red not in {_END, _RESIGNS}:
        faults.add(line, msg("an action of a kind that is not known: {number}", number=turn.red))


def _moves(turn: _Turn) -> tuple[Move, ...] | None:
    """The moves of a play; None if no checker can move like that."""
    pairs = zip(turn.sources, turn.targets, strict=True)
    return moves_of(takewhile(lambda pair: pair[0] != _NO_MOVE, pairs))


def _end(builder: GameBuilder, game: _Game, score: tuple[int, int], line: int) -> None:
    """Record the result: the score that follows tells the winner."""
    won = (score[0] - game.green, score[1] - game.red)
    if max(won) > 0:
        winner = Side.LIGHT if won[0] > 0 else Side.DARK
        builder.end(winner, game.points if game.points > 0 else max(won), line)


def _headers(match: _Match) -> Headers:
    named = (
        ("Site", match.site or ""),
        ("Event", match.event or ""),
        ("Round", match.round or ""),
        ("EventDate", match.date or ""),
    )
    return headers_of(named, match.length, jacoby=match.jacoby, crawford=match.crawford)
