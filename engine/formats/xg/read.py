"""Reads eXtreme Gammon's `.xg`: the match, without its analysis, pictures and comments.

Each turn has the position before and after it: where the moves lead elsewhere, as for an illegal
play in which a checker went backward, the position after them counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

from engine.errors import IllegalPlay
from engine.formats.model.binary import board_of, headers_of, moves_of, roll_of
from engine.formats.model.builder import MAX_GAMES, GameBuilder
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import CubeAction, FaultList, Headers, MatchFile, RollAction
from engine.formats.validate.game_replay import apply_moves
from engine.formats.xg.records import (
    Counts,
    CubeRecord,
    GameFooter,
    GameHeader,
    MatchHeader,
    MoveRecord,
    Record,
    read_records,
)
from engine.message import msg
from engine.play import Move
from engine.position import Position, Side
from engine.rules import Rules, find_rules

_VARIATIONS: Final = {0: "short", 1: "nackgammon", 2: "hypergammon", 3: "longgammon"}
_NO_MOVE: Final = -1
_RESPONSES: Final = (
    {0: CubeAction.DROP, 1: CubeAction.TAKE, 2: CubeAction.BEAVER},
    {0: CubeAction.DROP, 1: CubeAction.TAKE, 2: CubeAction.RACCOON},
    {0: CubeAction.DROP, 1: CubeAction.TAKE},
)
"""XG's numbers for the responses to a double, a beaver and a raccoon."""
_MOST_AUTO_DOUBLES: Final = 6


def read_xg(content: bytes) -> MatchFile:
    """Read the match; a line is the number of a record. Raises `InvalidMatchFile`."""
    reader = _XgReader()
    for number, record in read_records(content):
        reader.take(record, number)
    return reader.match()


@dataclass(slots=True)
class _XgReader:
    """Takes the records one by one."""

    faults: FaultList = field(default_factory=FaultList)
    header: MatchHeader | None = None
    games: list[GameBuilder] = field(default_factory=list)
    position: Position | None = None
    """After the last turn; None if it is not known."""
    rules: Rules = field(default_factory=lambda: find_rules("short"))

    def match(self) -> MatchFile:
        """The match read so far."""
        header = self.header
        if header is None:
            raise InvalidMatchFile("there is no match in this .xg file")
        return MatchFile(
            players=header.players,
            length=header.length,
            games=tuple(game.built() for game in self.games),
            variant=self.rules.name,
            headers=_headers(header),
            faults=tuple(self.faults.faults),
        )

    def take(self, record: Record, line: int) -> None:
        """Take the next record, number `line`."""
        if isinstance(record, MatchHeader):
            self._begin_match(record, line)
        elif isinstance(record, GameHeader):
            self._begin_game(record, line)
        elif not self.games:
            self.faults.add(line, msg("a turn before the first game"))
        elif isinstance(record, CubeRecord):
            self._turn_cube(record, line)
        elif isinstance(record, MoveRecord):
            self._play(record, line)
        elif isinstance(record, GameFooter) and record.winner is not None:
            self.games[-1].end(record.winner, max(0, record.points), line)

    def _begin_match(self, header: MatchHeader, line: int) -> None:
        if self.header is not None:
            return
        if not 0 <= header.length < 100_000:
            raise InvalidMatchFile("the length of the match in this .xg file makes no sense")
        variant = _VARIATIONS.get(header.variation)
        if variant is None:
            self.faults.add(line, msg("an unknown variation, read as backgammon"))
        self.header, self.rules = header, find_rules(variant or "short")

    def _begin_game(self, header: GameHeader, line: int) -> None:
        if len(self.games) >= MAX_GAMES:
            raise InvalidMatchFile(f"more than {MAX_GAMES} games in a match")
        game = GameBuilder(header.number, line, self.faults, score=header.score)
        if 0 <= header.auto_doubles <= _MOST_AUTO_DOUBLES:
            game.cube = 2**header.auto_doubles
        self.games.append(game)
        self.position = self.rules.opening()
        self._find(header.start, line)

    def _find(self, counts: Counts, line: int) -> None:
        """Set the board if it is not as after the last turn."""
        position = board_of(counts, Side.LIGHT, line, self.faults)
        if position is not None and position != self.position:
            self.games[-1].set_board(position, line)
            self.position = position

    def _turn_cube(self, record: CubeRecord, line: int) -> None:
        if record.doubled != 1 or record.side is None:
            return
        side, game = record.side, self.games[-1]
        game.add_cube(side, CubeAction.DOUBLE, 0, line)
        answers = record.take, record.beaver, record.raccoon
        for number, actions in zip(answers, _RESPONSES, strict=True):
            side = side.other
            if (action := actions.get(number)) is None:
                return
            game.add_cube(side, action, 0, line)
            if not action.is_offer:
                return

    def _play(self, record: MoveRecord, line: int) -> None:
        if record.side is None:
            self.faults.add(line, msg("it is not recorded whose turn this was"))
            return
        self._find(record.before, line)
        roll = roll_of(record.dice, line, self.faults)
        after = board_of(record.after, record.side, line, self.faults)
        moves = _moves(record.moves)
        if self._leads_to(record.side, moves, after):
            rolled = RollAction(record.side, roll, moves, line)
        else:
            rolled = RollAction(record.side, roll, None, line, board=after)
        self.games[-1].add_roll(rolled)
        self.position = after

    def _leads_to(self, side: Side, moves: tuple[Move, ...] | None, after: Position | None) -> bool:
        """Whether the moves can be made and lead to `after`."""
        if moves is None or self.position is None:
            return False
        try:
            return apply_moves(self.position, side, moves, self.rules)[0] == after
        except IllegalPlay:
            return False


def _headers(header: MatchHeader) -> Headers:
    named = (
        ("Site", header.location),
        ("Event", header.event),
        ("Round", header.round),
        ("EventDate", header.date),
    )
    return headers_of(named, header.length, jacoby=header.jacoby, crawford=header.crawford)


def _moves(points: tuple[int, ...]) -> tuple[Move, ...] | None:
    """The moves of a turn; None if no checker can move like that."""
    pairs = zip(points[::2], points[1::2], strict=True)
    made = takewhile(lambda pair: pair[0] != _NO_MOVE, pairs)
    return moves_of((source + 1, target + 1) for source, target in made)
