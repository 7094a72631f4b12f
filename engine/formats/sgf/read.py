"""Reads gnubg's `.sgf`: FF[4]GM[6], one tree per game.

White is gnubg's player 0, our light. Points are letters from White's ace point for both colors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from engine.dice import Roll
from engine.errors import InvalidPosition, InvalidRoll
from engine.formats.model.builder import MAX_GAMES, GameBuilder
from engine.formats.model.errors import InvalidMatchFile
from engine.formats.model.match_file import CubeAction, FaultList, MatchFile, RollAction
from engine.formats.model.options import OPTION_HEADERS
from engine.formats.model.variants import SGF_RULES
from engine.formats.sgf.syntax import Node, read_trees
from engine.formats.validate.game_replay import apply_moves
from engine.message import join, message_of, msg
from engine.play import Move
from engine.position import BAR, CHECKERS, OFF, PLACES, Position, Setup, Side
from engine.rules import Rules, find_rules

SIDES: Final = {"W": Side.LIGHT, "B": Side.DARK}
HEADERS: Final = {
    "PC": "Site",
    "EV": "Event",
    "RO": "Round",
    "DT": "EventDate",
    "AN": "Transcriber",
}
"""SGF's match properties, and their names in `.mat`."""
_MOVES: Final = re.compile(r"([1-6])([1-6])((?:[a-z][a-z]){0,8})")
_RESULT: Final = re.compile(r"([WB])\+([0-9]{1,6})(R?)")
_CRAWFORD: Final = ("Crawford", "CrawfordGame")
"""The Crawford rule, and the game in which it holds; as in gnubg, what no game says is not so."""
DRAWN: Final = "Draw"
"""The result of a drawn game, with a point for each side."""
OPTIONS: Final = "XO"
"""Our own property for the options of the game, each as `name:value`; gnubg ignores it."""
_NUMBER: Final = re.compile(r"[0-9]{1,5}")
_CUBE: Final = re.compile("1|2|4|8|16|32|64")
"""The cube's value at the start of a game, after automatic doubles."""
_BAR: Final = "y"
_OFF: Final = "z"


def read_sgf(text: str) -> MatchFile:
    """Read the match; raises `InvalidMatchFile` if the text is not SGF of backgammon."""
    trees = read_trees(text)
    if len(trees) > MAX_GAMES:
        raise InvalidMatchFile(f"more than {MAX_GAMES} games in a match")
    reader = _SgfReader(trees[0][0])
    for tree in trees:
        reader.read_game(tree)
    return reader.match()


@dataclass(slots=True)
class _SgfReader:
    """Reads the games one by one; `root` is the first node of the file."""

    root: Node
    faults: FaultList = field(default_factory=FaultList)
    games: list[GameBuilder] = field(default_factory=list)
    words: dict[str, int] = field(default_factory=dict)
    """The rules that any game names, and the line of the first that does."""

    def __post_init__(self) -> None:
        if self.root.value("GM", "6").strip() != "6":
            game = self.root.value("GM")[:10]
            raise InvalidMatchFile(f"line {self.root.line}: GM[{game}] is not backgammon, GM[6]")

    @property
    def variant(self) -> str:
        words = self.root.value("RU").split(":")
        return next((name for name, word in SGF_RULES.items() if word in words), "short")

    def match(self) -> MatchFile:
        known = {*_CRAWFORD, "Jacoby", "NoCube", "", *SGF_RULES.values()}
        for word, line in self.words.items():
            if word not in known:
                fault = msg("unknown rule {word}", word=repr(word[:30]))
                self.faults.add(line, join((fault, msg("it is ignored"))))
        length = self._match_field(self.root, "length")
        given = ((name, values[0]) for name, values in self.root.properties if values)
        headers = [(HEADERS[name], _text(name, text)) for name, text in given if name in HEADERS]
        headers += list(self._options())
        headers += [("Jacoby", "On")] if "Jacoby" in self.words else []
        has_crawford = any(word in self.words for word in _CRAWFORD)
        headers += [("Crawford", "Off")] if length and not has_crawford else []
        return MatchFile(
            players=(self.root.value("PW").strip(), self.root.value("PB").strip()),
            length=length,
            games=tuple(game.built() for game in self.games),
            variant=self.variant,
            headers=tuple(headers),
            faults=tuple(self.faults.faults),
        )

    def _options(self) -> Iterator[tuple[str, str]]:
        for value in self.root.values(OPTIONS):
            name, _, text = value.partition(":")
            if name in OPTION_HEADERS:
                yield name, text
            else:
                fault = msg("unknown option {option}", option=repr(name[:30]))
                self.faults.add(self.root.line, join((fault, msg("it is ignored"))))

    def _match_field(self, node: Node, name: str) -> int:
        for value in node.values("MI"):
            key, _, number = value.partition(":")
            if key.strip() == name and _NUMBER.fullmatch(number.strip()):
                return int(number)
        return 0

    def read_game(self, nodes: list[Node]) -> None:
        """Read one tree."""
        root = nodes[0]
        game = GameBuilder(self._match_field(root, "game") + 1, root.line, self.faults)
        game.score = self._match_field(root, "ws"), self._match_field(root, "bs")
        words = root.value("RU").split(":")
        game.is_crawford = "CrawfordGame" in words
        for word in words:
            self.words.setdefault(word, root.line)
        self.games.append(game)
        nodes_of_game = _GameNodes(game, find_rules(self.variant), self.faults)
        for node in nodes:
            nodes_of_game.take(node)
        written = root.value("RE").strip()
        if written == DRAWN:
            game.end(None, 1, root.line)
        if result := _RESULT.fullmatch(written):
            game.end(SIDES[result[1]], int(result[2]), root.line)


@dataclass(slots=True)
class _GameNodes:
    """Reads the nodes of one game, and follows the board for those that change parts of it."""

    game: GameBuilder
    rules: Rules
    faults: FaultList
    position: Position = field(init=False)

    def __post_init__(self) -> None:
        self.position = self.rules.opening()

    def take(self, node: Node) -> None:
        if not self.game.actions and _CUBE.fullmatch(cube := node.value("CV").strip()):
            self.game.cube = int(cube)
        for name, values in node.properties:
            if name in SIDES and values:
                self._act(SIDES[name], values[0].strip(), node.line)
        if any(node.values(name) for name in ("AE", "AW", "AB")):
            self._set_up(node)
        if dice := node.value("DI"):
            side = SIDES.get(node.value("PL").strip(), Side.LIGHT)
            self.game.add_roll(RollAction(side, self._roll(dice, node.line), None, node.line))

    def _act(self, side: Side, text: str, line: int) -> None:
        match text:
            case "double" | "take" | "drop":
                self.game.add_cube(side, CubeAction(text), 0, line)
            case "resign" | "resigns":
                return
            case _:
                self._play(side, text, line)

    def _play(self, side: Side, text: str, line: int) -> None:
        match = _MOVES.fullmatch(text)
        if match is None:
            shown = repr(text[:40])
            self.faults.add(
                line, msg("cannot read {text} as dice and moves such as 31hefe", text=shown)
            )
            return
        letters = match[3]
        pairs = [letters[i : i + 2] for i in range(0, len(letters), 2)]
        moves = tuple(Move(_place(pair[0], side), _place(pair[1], side)) for pair in pairs)
        if any(move.source in {OFF, move.target} or move.target == BAR for move in moves):
            self.faults.add(
                line, msg("cannot read {text}: no checker can move like that", text=repr(text))
            )
            self.game.add_roll(RollAction(side, self._roll(text, line), None, line, text=letters))
            return
        self.game.add_roll(RollAction(side, self._roll(text, line), moves, line))
        self._follow(side, moves)

    def _follow(self, side: Side, moves: tuple[Move, ...]) -> None:
        try:
            self.position, _ = apply_moves(self.position, side, moves, self.rules)
        except ValueError:
            return  # reported when the game is replayed

    def _roll(self, text: str, line: int) -> Roll | None:
        try:
            return Roll(*[int(digit) for digit in text.strip()[:2]])
        except (InvalidRoll, TypeError, ValueError):
            self.faults.add(line, msg("{text} is not a roll", text=repr(text[:20])))
            return None

    def _set_up(self, node: Node) -> None:
        """Set up the board: AE empties points, AW and AB add a checker for each letter."""
        try:
            self.position = self._edited(node)
        except InvalidPosition as error:
            why = message_of(error)
            self.faults.add(node.line, msg("the position set up is invalid: {error}", error=why))
            return
        self.game.set_board(self.position, node.line)

    def _edited(self, node: Node) -> Position:
        light, dark = list(self.position.light), list(self.position.dark)
        for letter in _letters(node, "AE"):
            light[_place(letter, Side.LIGHT)] = dark[_place(letter, Side.DARK)] = 0
        for name, vector, side in (("AW", light, Side.LIGHT), ("AB", dark, Side.DARK)):
            for letter in _letters(node, name):
                vector[_place(letter, side)] += 1
        for vector in (light, dark):
            vector[OFF] = max(0, CHECKERS - sum(vector[1:]))
        return Setup(light, dark).checked()


def _letters(node: Node, name: str) -> str:
    """The places of a setup property, with `a:y` expanded."""
    letters = ""
    for value in node.values(name):
        text = value.strip()
        if re.fullmatch("[a-y]:[a-y]", text):
            letters += "".join(chr(c) for c in range(ord(text[0]), ord(text[2]) + 1))
        elif re.fullmatch("[a-y]", text):
            letters += text
        else:
            raise InvalidPosition(f"{name}[{text[:20]}] is not a point")
    return letters


def _place(letter: str, side: Side) -> int:
    if letter == _BAR:
        return BAR
    if letter == _OFF:
        return OFF
    point = ord(letter) - ord("a") + 1
    return point if side is Side.LIGHT else PLACES - 1 - point


def _text(name: str, value: str) -> str:
    """The text of a property; a date as in `.mat`: 2026.11.20."""
    return value.replace("-", ".") if name == "DT" else value
