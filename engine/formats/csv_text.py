"""A match as a table, one action a line, for spreadsheets; it cannot be read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Final

from engine.events.names import visible_line
from engine.formats.ids.position_id import position_id
from engine.formats.model.match_file import BoardSet, CubeMove, MatchFile, RollAction
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import replay
from engine.formats.validate.rows import numbered_rows
from engine.position import Course, Side

COLUMNS: Final = (
    *("game", "move", "player", "name", "action", "die1", "die2", "play", "legal", "rule"),
    *("light_score", "dark_score", "cube", "light_pips", "dark_pips", "position_id", "line"),
)
_FORMULA: Final = ("=", "+", "-", "@")


def csv_text(match: MatchFile) -> str:
    """The table with its header."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for game in replay(match).games:
        table.writerows(_rows(match, game))
    return text.getvalue()


def _rows(match: MatchFile, game: ReplayedGame) -> Iterator[tuple[object, ...]]:
    for move, step in numbered_rows(game.steps):
        yield (game.game.number, move, *_action(match, step), *game.game.score, *_table(step))
    result = game.game.result
    if result is not None:
        winner, outcome = ("", ""), "draw"
        if result.winner is not None:
            winner, outcome = (result.winner.value, _name(match, result.winner)), "win"
        head = (game.game.number, "", *winner, outcome, "", "", game.how)
        tail = ("",) * 5
        yield (*head, "", "", *game.game.score, result.points, *tail[:3], result.line)


def _action(match: MatchFile, step: ReplayedAction) -> tuple[object, ...]:
    match step.action:
        case BoardSet():
            return ("", "", "board", "", "", "", "", "")
        case CubeMove(side=side, cube_action=cube_action):
            return (side.value, _name(match, side), cube_action.value, "", "", "", "", "")
        case RollAction(side=side, roll=roll):
            dice = (roll.high, roll.low) if roll else step.action.seen
            shown = ("" if die is None else die for die in dice)
            legal = int(not step.rule)
            play = spreadsheet_safe(step.play)
            return (side.value, _name(match, side), "roll", *shown, play, legal, step.rule)


def _table(step: ReplayedAction) -> tuple[object, ...]:
    """The cube before the action, and the pips and the position after it, for the opponent."""
    after, action = step.after, step.action
    side = Side.LIGHT if isinstance(action, BoardSet) else action.side.other
    key = position_id(after, side) if after.course is Course.OPPOSED else ""
    return step.cube, after.pips(Side.LIGHT), after.pips(Side.DARK), key, action.line


def _name(match: MatchFile, side: Side) -> str:
    return spreadsheet_safe(match.players[0 if side is Side.LIGHT else 1])


def spreadsheet_safe(text: str) -> str:
    """The text on one line, which a spreadsheet does not take for a formula."""
    line = visible_line(text)
    return f"'{line}" if line.startswith(_FORMULA) else line
