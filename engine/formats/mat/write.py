"""Jellyfish match text out, in the columns of gnubg's `.mat` or of XG's `.txt`.

Sides are told apart by their column alone: light on the left, dark on the right. gnubg 1.07 reads
every file; where it is fussy, the comment beside the line says how.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.formats.ids.xgid import xg_cells
from engine.formats.mat.plays import PlayTexts, Style
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
from engine.position import Course, Side

GNUBG: Final = Style(right=33, name=32)
XG: Final = Style(right=39, name=38, has_chains=True, passes="Cannot Move")
_GENERATED_HEADERS: Final = frozenset(
    {"Player 1", "Player 2", "Variation", "IllegalPlay", "RollNotSeen", "BoardAfter", "Start"}
)
"""Headers that are written from the match, not copied from the file that it came from."""


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


def _header(name: str, text: str) -> str:
    return f'; [{safe_text(name)} "{safe_text(text)}"]'


@dataclass(frozen=True, slots=True)
class _Game:
    """One game as lines of text."""

    played: Replay
    replayed: ReplayedGame
    style: Style

    @property
    def plays(self) -> PlayTexts:
        return PlayTexts(self.played, self.replayed, self.style)

    def remarks(self) -> Iterator[str]:
        """What the plays alone do not show, as header lines."""
        number = self.replayed.game.number
        start = self.replayed.game.start
        if start is not None and start.course is not Course.OPPOSED:
            yield _header("Start", f"g{number} {start}")
        for row, step in numbered_rows(self.replayed.steps):
            if isinstance(step.action, RollAction):
                where = f"g{number} m{row} {step.action.side.value[0].upper()}"
                for name, text in self.plays.remarks(step):
                    yield _header(name, f"{where}{text}")

    def lines(self) -> Iterator[str]:
        game = self.replayed.game
        yield f" Game {game.number}"
        yield self._names()
        start = self.replayed.start
        is_gnubgs = game.start is None and self.played.match.variant in GNUBG_TITLES
        if start is not None and start.course is Course.OPPOSED and not is_gnubgs:
            yield f"; Set Pos={xg_cells(start, Side.LIGHT)}/0"
        yield from self._rows()
        if game.result is not None and not self._ends_in_row():
            side = game.result.winner
            yield f"{'':{self._margin(side)}}{self._wins(game.result)}"

    def _names(self) -> str:
        players, score = self.played.match.players, self.replayed.game.score
        light = f"{safe_name(players[0], Side.LIGHT)} : {score[0]}"
        dark = f"{safe_name(players[1], Side.DARK)} : {score[1]}"
        return f" {light:<{self.style.name - 2}} {dark}"

    def _margin(self, side: Side) -> int:
        return 6 if side is Side.LIGHT else self.style.right + 1

    def _wins(self, result: GameResult) -> str:
        before = self.replayed.game.score[0 if result.winner is Side.LIGHT else 1]
        points = "1 point" if result.points == 1 else f"{result.points} points"
        ends = 0 < self.played.match.length <= before + result.points
        return f"Wins {points}{' and the match' if ends else ''}"

    def _ends_in_row(self) -> bool:
        """Whether the winner stands beside a drop: gnubg 1.07 spoils the game otherwise."""
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
        """The numbered rows of two cells."""
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
            return _cube_cell(step, action, self._next_cube_action(step))
        return self.plays.cell(step)

    def _next_cube_action(self, step: ReplayedAction) -> CubeAction | None:
        steps = self.replayed.steps
        at = next(i for i, one in enumerate(steps) if one is step)
        following = steps[at + 1].action if at + 1 < len(steps) else None
        return following.cube_action if isinstance(following, CubeMove) else None


def _cube_cell(step: ReplayedAction, action: CubeMove, following: CubeAction | None) -> str:
    match action.cube_action:
        case CubeAction.TAKE:
            return " Takes"
        case CubeAction.DROP:
            return " Drops"
        case CubeAction.DOUBLE:
            return f" Doubles => {step.cube * 2}"
        case CubeAction.BEAVER:
            # gnubg 1.07 loses the next two rolls after a beaver that is refused; a double in
            # answer to a double is the same to every reader.
            word = "Doubles" if following is CubeAction.DROP else "Beavers"
            return f" {word} => {step.cube * 4}"
        case CubeAction.RACCOON:
            return f" Raccoons => {step.cube * 4}"


def _set_position(step: ReplayedAction) -> str:
    """XG's line for a position set by hand; a cube of player 0 carries a minus in gnubg."""
    log = step.cube.bit_length() - 1
    cube = f"{'-' if step.owner is Side.LIGHT else ''}{log}"
    return f"; Set Pos={xg_cells(step.after, Side.LIGHT)}/{cube}"
