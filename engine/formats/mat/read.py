"""Reads Jellyfish match text: `.mat` of gnubg and Galaxy, `.txt` of XG, Snowie and Studio.

The format was never specified and its writers differ. They are not distinguished: everything that
any of them writes is read. What cannot be read is reported with its line number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from engine.dice import Roll
from engine.errors import EngineError, InvalidNotation, InvalidPosition
from engine.formats.ids.xgid import parse_xg_cells
from engine.formats.mat.cells import Cell, cells, parse_moves
from engine.formats.mat.snowie import parse_snowie
from engine.formats.model.builder import MAX_GAMES, GameBuilder
from engine.formats.model.errors import EXPORT, InvalidId, InvalidMatchFile
from engine.formats.model.match_file import FaultList, MatchFile, RollAction
from engine.formats.model.variants import find_variant
from engine.message import join, message_of, msg
from engine.play import Move, Play
from engine.position import Course, Position, Side
from engine.rules import Rules, find_rules

MAX_LINE_CHARACTERS: Final = 4000
"""The longest lines that a program writes are comments of a few hundred characters."""
_HEADER: Final = re.compile(r'[;#]\s*\[([^"\[\]]{1,60}?)\s*"(.*)"\s*\]')
_BOX: Final = "+|"
"""How lines of a box begin that transcribers draw around the event, above the match."""
_LENGTH: Final = re.compile(r"([0-9]{1,5})\s+points?\s+match\b", re.IGNORECASE)
_GAME: Final = re.compile(r"Game\s+([0-9]{1,5})", re.IGNORECASE)
_ROW: Final = re.compile(r"\s*([0-9]{1,5})\)")
_ROW_INSIDE: Final = re.compile(r"(?<=\s)[0-9]{1,4}\)(?=\s)")
_SCORE: Final = re.compile(r":\s*([0-9]{1,5})")
_ENDING: Final = re.compile(r"\s*(Wins|Losses|Resign(?:s|ed)?)\b", re.IGNORECASE)
_START_HEADER: Final = re.compile(r"g(?P<game>[0-9]{1,5}) (?P<board>light .*)")
_CUBE_HEADER: Final = re.compile(r"g([0-9]{1,5}) (1|2|4|8|16|32|64|128|256|512)")
_CRAWFORD_HEADER: Final = re.compile(r"g[0-9]{1,5}|none")
_DRAWN_HEADER: Final = re.compile(r"g([0-9]{1,5}) ([0-9]{1,6})")
_UNSEEN_HEADER: Final = re.compile(r"g([0-9]{1,5}) m([0-9]{1,5}) ([LD])(?:: ([1-6]))?")
_BOARD_HEADER: Final = re.compile(r"g([0-9]{1,5}) m([0-9]{1,5}) ([LD]): (light .*)")
_ILLEGAL_HEADER: Final = re.compile(
    r"g([0-9]{1,5}) m([0-9]{1,5}) ([LD]): [1-6]{2} (.*) (accepted|undecided)"
)
"""Our own headers for what `.mat` cannot hold otherwise: dice not seen, boards of narde, plays."""
SET_POSITION: Final = "; Set Pos="
"""The beginning of XG's line for a position set by hand."""
SET_BOARD: Final = "; Set Board="
"""The same of our own line, for narde."""
_UNKNOWN_PLAYS: Final = ("???", "illegal play")
"""Where the play of a roll is not known: Studio's text if its player gives up, and XG's."""
_MAX_ROWS_PER_LINE: Final = 8
"""Rows in one line if line breaks are missing; real files lack at most one."""
_LEFT_MARGIN: Final = 11
"""Blanks before a line without a number that still put it in the left column."""


def read_mat(text: str) -> MatchFile:
    """Read the match; raises `InvalidMatchFile` if nothing in the text is part of a match."""
    reader = _MatReader()
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        reader.read(number, line)
    return reader.match()


@dataclass(slots=True)
class _MatReader:
    """Reads the lines one by one."""

    faults: FaultList = field(default_factory=FaultList)
    headers: list[tuple[str, str]] = field(default_factory=list)
    length: int | None = None
    players: tuple[str, str] | None = None
    games: list[GameBuilder] = field(default_factory=list)
    awaits_names: bool = False
    row: int = 0
    """The number of the row being read."""
    boards: dict[tuple[int, int, Side], Position] = field(default_factory=dict)
    """Boards from our own headers that moves cannot express, by game, row and side."""
    unseen: dict[tuple[int, int, Side], int | None] = field(default_factory=dict)
    """Rolls whose dice are invented, by game, row and side, each with the die that was seen."""
    illegal: dict[tuple[int, int, Side], tuple[str, str]] = field(default_factory=dict)
    """Illegal plays and what became of them, by game, row and side."""
    starts: dict[int, Position] = field(default_factory=dict)
    cubes: dict[int, int] = field(default_factory=dict)
    """The cube's value at the start of a game, where automatic doubles were made."""
    draws: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The points of each side and the line, by game."""

    def match(self) -> MatchFile:
        if self.length is None and not self.games:
            says = "not a match file: no line says `7 point match` or `Game 1`"
            raise InvalidMatchFile(f"{says}; {EXPORT}")
        if self.length is None:
            fault = msg("no line gives the length of the match"), msg("read as money play")
            self.faults.add(1, join(fault))
        heads = dict(self.headers)
        first, second = self.players or ("", "")
        players = first or heads.get("Player 1", ""), second or heads.get("Player 2", "")
        return MatchFile(
            players=players,
            length=self.length or 0,
            games=tuple(game.built() for game in self.games),
            variant=self._variant(heads.get("Variation", "Backgammon")),
            headers=tuple(self.headers),
            faults=tuple(self.faults.faults),
        )

    def _variant(self, title: str) -> str:
        variant = find_variant(title)
        if variant is None:
            fault = msg("no rules for the variation {title}", title=repr(title[:40]))
            self.faults.add(1, join((fault, msg("read as backgammon"))))
        return variant or "short"

    def read(self, number: int, line: str) -> None:
        """Process one line."""
        text = line.expandtabs() if len(line) <= MAX_LINE_CHARACTERS else ""
        if len(line) > MAX_LINE_CHARACTERS:
            self.faults.add(
                number,
                msg("a line of {line} characters is too long for a match file", line=len(line)),
            )
        elif not text.strip():
            return
        elif text.lstrip()[0] in ";#":
            self._comment(number, text.strip())
        elif self.length is None and not self.games and text.lstrip()[0] in _BOX:
            return
        elif game := _GAME.fullmatch(text.strip()):
            self._begin(int(game[1]), number)
        elif self.length is None and (length := _LENGTH.match(text.strip())):
            self.length = int(length[1])
        elif self.awaits_names:
            self._names(number, text)
        else:
            self._row(number, text)

    def _comment(self, number: int, text: str) -> None:
        header = _HEADER.fullmatch(text)
        if header and not self.games:
            self.headers.append((header[1], header[2]))
            self._keep_board(header[1], header[2], number)
            if header[1] == "Cube" and (cube := _CUBE_HEADER.fullmatch(header[2])):
                self.cubes[int(cube[1])] = int(cube[2])
            if header[1] == "Drawn" and (drawn := _DRAWN_HEADER.fullmatch(header[2])):
                self.draws[int(drawn[1])] = int(drawn[2]), number
            if header[1] == "RollNotSeen" and (roll := _UNSEEN_HEADER.fullmatch(header[2])):
                self.unseen[_place_of(roll)] = int(roll[4]) if roll[4] else None
            if header[1] == "IllegalPlay" and (play := _ILLEGAL_HEADER.fullmatch(header[2])):
                self.illegal[_place_of(play)] = play[4], play[5]
        elif text.startswith(SET_POSITION):
            cells = text.removeprefix(SET_POSITION)[:26]
            self._set_position(number, lambda: parse_xg_cells(cells, Side.LIGHT))
        elif text.startswith(SET_BOARD):
            board = text.removeprefix(SET_BOARD)
            self._set_position(number, lambda: Position.parse(board, self._course()))

    def _keep_board(self, name: str, text: str, line: int) -> None:
        """Store a board written in one of our own headers."""
        course = self._course()
        try:
            if name == "Start" and (start := _START_HEADER.fullmatch(text)):
                self.starts[int(start["game"])] = Position.parse(start["board"], course)
            elif name == "BoardAfter" and (board := _BOARD_HEADER.fullmatch(text)):
                self.boards[_place_of(board)] = Position.parse(board[4], course)
        except InvalidPosition as error:
            why = message_of(error)
            self.faults.add(
                line,
                msg("the board in {name} cannot be read: {error}", name=name, error=why),
            )

    def _course(self) -> Course:
        return self._rules().course

    def _rules(self) -> Rules:
        return find_rules(find_variant(dict(self.headers).get("Variation", "")) or "short")

    def _set_position(self, number: int, parse: Callable[[], Position]) -> None:
        """Process a line that sets the board; XG's has capitals for the left player."""
        try:
            position = parse()
        except (InvalidId, InvalidPosition) as error:
            why = message_of(error)
            self.faults.add(number, msg("the position set here cannot be read: {error}", error=why))
        else:
            game = self._game(number)
            if game.actions or position != self._rules().opening():
                game.set_board(position, number)

    def _begin(self, game: int, number: int) -> None:
        if len(self.games) >= MAX_GAMES:
            raise InvalidMatchFile(f"line {number}: more than {MAX_GAMES} games in a match")
        start, cube = self.starts.get(game), self.cubes.get(game, 1)
        builder = GameBuilder(game, number, self.faults, start=start, cube=cube)
        if told := _CRAWFORD_HEADER.fullmatch(dict(self.headers).get("CrawfordGame", "")):
            builder.is_crawford = told[0] == f"g{game}"
        if game in self.draws:
            builder.end(None, *self.draws[game])
        self.games.append(builder)
        self.awaits_names = True

    def _game(self, number: int) -> GameBuilder:
        if not self.games:
            self.faults.add(number, msg("a row of moves before any line such as `Game 1`"))
            self._begin(1, number)
            self.awaits_names = False
        return self.games[-1]

    def _names(self, number: int, text: str) -> None:
        self.awaits_names = False
        names = _split_names(text)
        if names is None:
            self.faults.add(
                number, msg("names and scores such as `Ann : 0    Bob : 2` are missing")
            )
            if _ROW.match(text):
                self._row(number, text)
            return
        players, self.games[-1].score = names
        self.players = self.players or players

    def _row(self, number: int, text: str) -> None:
        row = _ROW.match(text)
        if row is None:
            self._row_without_number(number, text)
            return
        first, self.row = row.end(), int(row[1])
        for inside in islice(_ROW_INSIDE.finditer(text, first), _MAX_ROWS_PER_LINE):
            group = repr(inside.group())
            self.faults.add(number, msg("missing line break before {group}", group=group))
            self._cells(number, text[first : inside.start()])
            first = inside.end()
        self._cells(number, text[first:])

    def _row_without_number(self, number: int, text: str) -> None:
        if not _ENDING.match(text):
            shown = repr(text.strip()[:40])
            self.faults.add(number, msg("cannot read {strip} as a line of a match", strip=shown))
            return
        blanks = len(text) - len(text.lstrip())
        self._cells(number, text[min(blanks, _LEFT_MARGIN) :])

    def _cells(self, number: int, text: str) -> None:
        game = self._game(number)
        for cell in cells(text):
            if isinstance(cell, str):
                self.faults.add(number, msg("cannot read {cell} in this row", cell=repr(cell[:40])))
            else:
                self._cell(game, cell, number)

    def _cell(self, game: GameBuilder, cell: Cell, line: int) -> None:
        if cell.dice:
            game.add_roll(self._rolled(cell, line))
        elif cell.cube_action is not None:
            game.add_cube(cell.side, cell.cube_action, cell.value, line)
        elif cell.wins is not None:
            game.end(cell.side, cell.wins, line)
        elif cell.losses is not None:
            game.end(cell.side.other, cell.losses, line)

    def _rolled(self, cell: Cell, line: int) -> RollAction:
        key = self.games[-1].number, self.row, cell.side
        roll = None if key in self.unseen else self._roll(cell.dice, line)
        play, note = self.illegal.get(key, ("", ""))
        seen = self.unseen.get(key), None
        rolled = RollAction(cell.side, roll, _no_play(play), line, note=note, seen=seen)
        if cell.board is not None:
            return replace(rolled, board=self._board(cell.board, line))
        if cell.moves.lower().startswith(_UNKNOWN_PLAYS):
            return replace(rolled, board=self.boards.get(key))
        try:
            return replace(rolled, moves=parse_moves(cell.moves))
        except InvalidNotation as error:
            self.faults.add(line, join((cell.dice, message_of(error)), ": "))
            return replace(rolled, text=cell.moves[:80])

    def _roll(self, dice: str, line: int) -> Roll | None:
        try:
            return Roll(int(dice[0]), int(dice[1]))
        except EngineError as error:
            self.faults.add(line, join((dice, message_of(error)), ": "))
            return None

    def _board(self, text: str, line: int) -> Position | None:
        try:
            return parse_snowie(text)
        except InvalidNotation as error:
            why = message_of(error)
            self.faults.add(
                line, msg("the position after an illegal play cannot be read: {error}", error=why)
            )
            return None


def _place_of(header: re.Match[str]) -> tuple[int, int, Side]:
    """The game, row and side that one of our own headers is about."""
    return int(header[1]), int(header[2]), Side.LIGHT if header[3] == "L" else Side.DARK


def _no_play(text: str) -> tuple[Move, ...] | None:
    """No moves if the play of our own header is none: no cell tells that from a play not known."""
    return () if text == str(Play(())) else None


def _split_names(text: str) -> tuple[tuple[str, str], tuple[int, int]] | None:
    """Split `Ann : 0   Bob : 2`, even if a long name leaves no blank before the other one."""
    scores = list(_SCORE.finditer(text))
    if len(scores) < 2 or text[scores[-1].end() :].strip():
        return None
    first, last = scores[0], scores[-1]
    left, right = text[: first.start()].strip(), text[first.end() : last.start()].strip()
    return (left, right), (int(first[1]), int(last[1]))
