"""Writes Jellyfish match text, in the columns of gnubg's `.mat` or of XG's `.txt`.

A side is identified by its column alone: light on the left, dark on the right. gnubg 1.07 reads
every file; comments name its peculiarities.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.dice import ALL_ROLLS, Roll
from engine.formats.ids.xgid import xg_cells
from engine.formats.mat.plays import chains, hops, is_plain
from engine.formats.mat.read import SET_BOARD, SET_POSITION
from engine.formats.mat.snowie import snowie_text
from engine.formats.model.match_file import (
    BoardSet,
    CubeAction,
    CubeMove,
    GameResult,
    MatchFile,
    RollAction,
)
from engine.formats.model.safe_text import safe_name, safe_text
from engine.formats.model.variants import GNUBG_TITLES, variation_title
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import Replay, replay
from engine.formats.validate.rows import is_implied_take, numbered_rows
from engine.play import Move
from engine.position import Course, Position, Side
from engine.rules.legal import is_legal

NOT_RECORDED: Final = "????"


@dataclass(frozen=True, slots=True)
class Style:
    """How the writers of `.mat` differ."""

    right: int
    """Column of the right cell; the first column is 0."""
    name: int
    """Column of the right name."""
    has_chains: bool = False
    """Whether it writes `24/18/13` and `(2)`, where others write every hop."""
    passes: str = ""
    """What it writes if no move is possible."""


GNUBG: Final = Style(right=33, name=32)
XG: Final = Style(right=39, name=38, has_chains=True, passes="Cannot Move")
_GENERATED_HEADERS: Final = frozenset(
    (
        *("Player 1", "Player 2", "Variation", "IllegalPlay", "RollNotSeen", "BoardAfter"),
        *("Start", "Cube", "Drawn", "CrawfordGame"),
    )
)
"""Headers that are written from the match, not copied from its source file."""


def mat_text(match: MatchFile, style: Style = GNUBG) -> str:
    """The match as text; the last game may be unfinished."""
    played = replay(match)
    games = [_Game(played, game, style) for game in played.games]
    lines = [*_head(played), *(line for game in games for line in game.remarks())]
    lines += ["", f" {match.length} point match"]
    for game in games:
        lines += ["", *game.lines()]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def xg_text(match: MatchFile) -> str:
    """The match as XG exports it."""
    return mat_text(match, XG)


def _head(played: Replay) -> Iterator[str]:
    match = played.match
    yield _header("Site", match.header("Site", "Tableside"))
    for name, text in match.headers:
        if name not in _GENERATED_HEADERS and name != "Site":
            yield _header(name, text)
    if match.games:
        yield _header("Player 1", safe_name(match.players[0], Side.LIGHT))
        yield _header("Player 2", safe_name(match.players[1], Side.DARK))
        yield _header("Variation", variation_title(match.variant))
    if match.has_crawford and match.crawford_game() != match.crawford_game_by_scores():
        number = match.crawford_game()
        yield _header("CrawfordGame", "none" if number is None else f"g{number}")


def _header(name: str, text: str) -> str:
    return f'; [{safe_text(name)} "{safe_text(text)}"]'


@dataclass(frozen=True, slots=True)
class _Game:
    """One game as lines of text."""

    played: Replay
    replayed: ReplayedGame
    style: Style

    def remarks(self) -> Iterator[str]:
        """Header lines for what the rows cannot hold."""
        number, cube = self.replayed.game.number, self.replayed.game.cube
        result = self.replayed.game.result
        start = self.replayed.game.start
        if cube > 1:
            yield _header("Cube", f"g{number} {cube}")
        if start is not None and start.course is not Course.OPPOSED:
            yield _header("Start", f"g{number} {start}")
        if result is not None and result.winner is None:
            yield _header("Drawn", f"g{number} {result.points}")
        for row, step in numbered_rows(self.replayed.steps):
            if isinstance(step.action, RollAction):
                where = f"g{number} m{row} {step.action.side.value[0].upper()}"
                for name, text in self._step_remarks(step):
                    yield _header(name, f"{where}{text}")

    def lines(self) -> Iterator[str]:
        game = self.replayed.game
        yield f" Game {game.number}"
        yield self._names()
        start = self.replayed.start
        is_gnubgs = game.start is None and self.played.match.variant in GNUBG_TITLES
        # gnubg finds the result of a game without a roll only after a line that sets the board.
        has_roll = any(isinstance(one, RollAction) for one in game.actions)
        is_usual = is_gnubgs and game.cube == 1 and (has_roll or game.result is None)
        if start is not None and start.course is Course.OPPOSED and not is_usual:
            # gnubg takes the cube from this line alone. No cube above 1 is in the middle there, so
            # the first player to double owns it.
            doublers = [one.side for one in game.actions if isinstance(one, CubeMove)]
            yield _xg_position(start, game.cube, doublers[0] if doublers else None)
        yield from self._rows()
        side = None if game.result is None else game.result.winner
        if game.result is not None and side is not None and not self._ends_in_row():
            yield f"{'':{self._margin(side)}}{self._wins(game.result)}"

    def _names(self) -> str:
        players, score = self.played.match.players, self.replayed.game.score
        light = f"{safe_name(players[0], Side.LIGHT)} : {score[0]}"
        dark = f"{safe_name(players[1], Side.DARK)} : {score[1]}"
        return f" {light:<{self.style.name - 2}} {dark}"

    def _margin(self, side: Side) -> int:
        return 6 if side is Side.LIGHT else self.style.right + 1

    def _wins(self, result: GameResult) -> str:
        points = "1 point" if result.points == 1 else f"{result.points} points"
        is_last = self.played.match.is_won_by(self.replayed.game)
        return f"Wins {points}{' and the match' if is_last else ''}"

    def _ends_in_row(self) -> bool:
        """Whether the result goes beside a drop; otherwise gnubg 1.07 misreads the game."""
        result = self.replayed.game.result
        match self.replayed.steps:
            case (
                *_,
                ReplayedAction(action=CubeMove(side=Side.LIGHT, cube_action=CubeAction.DROP)),
            ):
                return result is not None and result.winner is Side.DARK
            case _:
                return False

    def _rows(self) -> Iterator[str]:
        """The numbered rows, with two cells each."""
        rows: dict[int, dict[Side, str]] = {}
        before: dict[int, str] = {}
        row, last = 0, None
        for row, step in numbered_rows(self.replayed.steps):
            action = step.action
            if isinstance(action, BoardSet):
                before[row + 1] = _set_position(step)
            elif not is_implied_take(last, step):
                rows.setdefault(row, {})[action.side] = self._cell(step, action)
            last = step
        result = self.replayed.game.result
        if result and self._ends_in_row():
            rows[row][Side.DARK] = f" {self._wins(result)}"
        width = self.style.right - 6
        for number, cells in rows.items():
            if number in before:
                yield before.pop(number)
            left, right = cells.get(Side.LIGHT, ""), cells.get(Side.DARK, "")
            yield f"{number:3d}) {left:<{width}} {right}"
        yield from before.values()

    def _cell(self, step: ReplayedAction, action: RollAction | CubeMove) -> str:
        if isinstance(action, CubeMove):
            return _cube_cell(step, action, is_rolled_on=self._is_rolled_on(step))
        return self._roll_cell(step)

    def _is_rolled_on(self, step: ReplayedAction) -> bool:
        """Whether the next step but a take is a roll."""
        actions = [one.action for one in self.replayed.steps]
        at = next(i for i, one in enumerate(self.replayed.steps) if one is step) + 1
        following = actions[at : at + 2]
        if following and getattr(following[0], "cube_action", None) is CubeAction.TAKE:
            del following[0]
        return bool(following) and isinstance(following[0], RollAction)

    def _roll_cell(self, step: ReplayedAction) -> str:
        """`31: 8/5 6/5`, or Snowie's form if moves cannot express the play."""
        action = step.roll_action
        roll = action.roll or self._likely_roll(step, action)
        if action.board is not None and not is_plain(step, roll):
            return f"{roll}: {self._board(step, action)}"
        if step.moves is None:
            return f"{roll}: {NOT_RECORDED}"
        if not is_plain(step, roll):
            return f"{roll}: {self._board(step, action)}"
        return f"{roll}: {self._moves(hops(step, roll, self.played.rules))}"

    def _step_remarks(self, step: ReplayedAction) -> Iterator[tuple[str, str]]:
        """Header names and texts: illegal plays, unread dice, boards of narde."""
        action = step.roll_action
        if step.rule:
            fate = action.note or ("accepted" if self._went_on(step) else "undecided")
            yield "IllegalPlay", f": {action.roll} {step.play or 'set by hand'} {fate}"
        if action.roll is None:
            yield "RollNotSeen", "".join(f": {die}" for die in action.seen if die is not None)
        if step.after != step.before and self._is_lost(step, action):
            yield "BoardAfter", f": {step.after}"

    def _is_lost(self, step: ReplayedAction, action: RollAction) -> bool:
        is_written = action.roll is not None and is_plain(step, action.roll)
        return not is_written and step.after.course is not Course.OPPOSED

    def _went_on(self, step: ReplayedAction) -> bool:
        return step is not self.replayed.steps[-1] or self.replayed.game.result is not None

    def _board(self, step: ReplayedAction, action: RollAction) -> str:
        """Snowie's form of the board; a board of narde goes in the file header instead."""
        if step.after.course is not Course.OPPOSED:
            return NOT_RECORDED
        match, game = self.played.match, self.replayed.game
        players = match.players
        text = snowie_text(
            step.after, action.side, length=match.length,
            names=(safe_name(players[0], Side.LIGHT), safe_name(players[1], Side.DARK)),
            score=game.score, is_crawford=game.number == match.crawford_game(),
            cube=step.cube, owner=step.owner,
        )  # fmt: skip
        return f"Illegal play ({text})"

    def _moves(self, moves: tuple[Move, ...]) -> str:
        if not moves:
            return self.style.passes
        return chains(moves) if self.style.has_chains else " ".join(str(move) for move in moves)

    def _likely_roll(self, step: ReplayedAction, action: RollAction) -> Roll:
        """A roll that fits the play, because a reader skips a turn without dice."""
        if step.passed_on:
            return Roll(step.passed_on[0], step.passed_on[0])
        likely = sorted(ALL_ROLLS, key=lambda roll: roll.is_double)
        known = [die for die in action.seen if die is not None]
        rolls = [roll for roll in likely if all(die in roll.pips for die in known)]
        fits = (
            roll
            for roll in rolls
            if is_legal(step.before, action.side, roll, step.after, self.played.rules)
        )
        return next(fits, rolls[0])


def _cube_cell(step: ReplayedAction, action: CubeMove, *, is_rolled_on: bool) -> str:
    match action.cube_action:
        case CubeAction.TAKE:
            return " Takes"
        case CubeAction.DROP:
            return " Drops"
        case CubeAction.DOUBLE:
            return f" Doubles => {step.cube * 2}"
        case CubeAction.BEAVER:
            # gnubg 1.07 loses the next two rolls, even of the next game, after a beaver that no
            # roll follows; a double in response to a double means the same to every reader.
            word = "Beavers" if is_rolled_on else "Doubles"
            return f" {word} => {step.cube * 4}"
        case CubeAction.RACCOON:
            return f" Raccoons => {step.cube * 4}"


def _set_position(step: ReplayedAction) -> str:
    """XG's line for a position set by hand; in gnubg, the cube of player 0 has a minus sign.

    XG has no narde, whose positions are written in our own words.
    """
    if step.after.course is not Course.OPPOSED:
        return f"{SET_BOARD}{step.after}"
    return _xg_position(step.after, step.cube, step.owner)


def _xg_position(position: Position, cube: int, owner: Side | None) -> str:
    signed = f"{'-' if owner is Side.LIGHT and cube > 1 else ''}{cube.bit_length() - 1}"
    return f"{SET_POSITION}{xg_cells(position, Side.LIGHT)}/{signed}"
