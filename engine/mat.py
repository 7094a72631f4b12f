"""Jellyfish match text (`.mat`), which gnubg, XG and the rest read.

Sides are told apart by their column alone: light on the left, dark on the right, in the columns
that gnubg writes. gnubg does not check plays, so an illegal play that stood is written as it was
made, and told by a comment at the head.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from engine.dice import ALL_ROLLS, Roll
from engine.events import Dice, Event, GameEnd, GameStart, IllegalMade
from engine.legal import is_legal, legal_plays
from engine.match import Turn, fold
from engine.play import NO_PLAY
from engine.position import Side
from engine.rules import Rules, find_rules

NAME_CHARACTERS: Final = 20
NAME_BYTES: Final = 24
"""gnubg 1.07 overruns its buffer when it exports names of 26 bytes."""
_LEFT_CELL: Final = 27
_NAME_CELL: Final = 30
_LEFT_MARGIN: Final = 6
_RIGHT_MARGIN: Final = 34


@dataclass(slots=True)
class _Game:
    """What one game contributes to the text."""

    number: int
    start: GameStart
    turns: list[Turn] = field(default_factory=list)
    end: GameEnd | None = None

    @property
    def rules(self) -> Rules:
        return find_rules(self.start.variant)


def write_mat(events: Iterable[Event]) -> str:
    """The match as `.mat` text; rejected plays are left out, the last game may be unfinished."""
    games = _games(list(events))
    start = games[0].start if games else None
    length = start.length if start else 0
    lines = [*_head(games), "", f" {length} point match"]
    for game in games:
        lines += ["", f" Game {game.number}", _names(game.start), *_rows(game)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _games(events: list[Event]) -> list[_Game]:
    games: list[_Game] = []
    for event in events:
        if isinstance(event, GameStart):
            games.append(_Game(len(games) + 1, event))
        elif isinstance(event, GameEnd) and games:
            games[-1].end = event
    for turn in fold(events).standing:
        if 1 <= turn.game <= len(games):
            games[turn.game - 1].turns.append(turn)
    return games


def _head(games: list[_Game]) -> Iterator[str]:
    yield _header("Site", "Tableside")
    for game in games[:1]:
        yield _header("Player 1", _name(game.start.light, Side.LIGHT))
        yield _header("Player 2", _name(game.start.dark, Side.DARK))
        yield _header("Variation", game.rules.title)
    for game in games:
        yield from _remarks(game)


def _header(name: str, text: str) -> str:
    return f'; [{name} "{text}"]'


def _remarks(game: _Game) -> Iterator[str]:
    """What the plays alone do not tell: illegal ones, and dice that nobody read."""
    for number, turn in _numbered(game.turns):
        where = f"g{game.number} m{number} {turn.made.player.value[0].upper()}"
        if isinstance(turn.made, IllegalMade):
            fate = "accepted" if turn is not game.turns[-1] or game.end else "undecided"
            yield _header("IllegalPlay", f"{where}: {_cell(game, turn).replace(':', '')} {fate}")
        if _seen_roll(turn.made.dice) is None:
            yield _header("RollNotSeen", where)


def _names(start: GameStart) -> str:
    light = f"{_name(start.light, Side.LIGHT)} : {start.score[0]}"
    dark = f"{_name(start.dark, Side.DARK)} : {start.score[1]}"
    return f" {light:<{_NAME_CELL}} {dark}"


def _name(name: str, side: Side) -> str:
    """A name that every reader takes: short, without colons and quotes, never empty."""
    plain = " ".join(name.replace(":", " ").replace('"', "'").split())
    short = plain.encode()[:NAME_BYTES].decode(errors="ignore")[:NAME_CHARACTERS].strip()
    return short or side.value.title()


def _rows(game: _Game) -> Iterator[str]:
    """The numbered rows of two cells, and who won."""
    rows: dict[int, dict[Side, str]] = {}
    for number, turn in _numbered(game.turns):
        rows.setdefault(number, {})[turn.made.player] = _cell(game, turn)
    for number, cells in rows.items():
        left, right = cells.get(Side.LIGHT, ""), cells.get(Side.DARK, "")
        yield f"{number:3d}) {left:<{_LEFT_CELL}} {right}"
    if game.end:
        yield _winner(game.start, game.end)


def _numbered(turns: list[Turn]) -> Iterator[tuple[int, Turn]]:
    """Each turn with its row: a new one begins with light, or when dark plays twice."""
    number, last = 0, Side.DARK
    for turn in turns:
        if turn.made.player is Side.LIGHT or last is Side.DARK:
            number += 1
        last = turn.made.player
        yield number, turn


def _winner(start: GameStart, end: GameEnd) -> str:
    won = start.score[0 if end.winner is Side.LIGHT else 1] + end.points
    points = "1 point" if end.points == 1 else f"{end.points} points"
    match = " and the match" if 0 < start.length <= won else ""
    margin = _LEFT_MARGIN if end.winner is Side.LIGHT else _RIGHT_MARGIN
    return f"{'':{margin}}Wins {points}{match}"


def _cell(game: _Game, turn: Turn) -> str:
    """`31: 8/5 6/5`, every hop of a legal play written; a forced pass has no moves."""
    made = turn.made
    roll = _seen_roll(made.dice) or _likely_roll(game.rules, turn)
    legal = legal_plays(turn.before, made.player, roll, game.rules).find(made.position)
    if legal is None:
        return f"{roll}: {'' if made.play == NO_PLAY else made.play}"
    return f"{roll}: {' '.join(str(move) for move in legal.play.moves)}"


def _seen_roll(dice: Dice | None) -> Roll | None:
    first, second = dice or (None, None)
    return None if first is None or second is None else Roll(first, second)


def _likely_roll(rules: Rules, turn: Turn) -> Roll:
    """A roll that the play fits, for the column needs one: a reader skips a turn without dice."""
    made = turn.made
    known = [die for die in made.dice or () if die is not None]
    likely = sorted(ALL_ROLLS, key=lambda roll: roll.is_double)
    rolls = [roll for roll in likely if all(die in roll.pips for die in known)]
    fits = (r for r in rolls if is_legal(turn.before, made.player, r, made.position, rules))
    return next(fits, rolls[0])
