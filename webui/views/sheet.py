"""The score sheet of a game, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from typing_extensions import TypedDict

from webui.contracts.state import (
    CellKind,
    GameSheet,
    Names,
    Numbers,
    ResultShown,
    ScoreRow,
    SheetCell,
    SideName,
    State,
)
from webui.i18n.locale import N_, gettext, ngettext
from webui.views import phrases
from webui.views.phrases import SIDES

WINS: Final = {
    "single": N_("%(name)s wins: %(points)s"),
    "gammon": N_("%(name)s wins a gammon: %(points)s"),
    "backgammon": N_("%(name)s wins a backgammon: %(points)s"),
    "mars": N_("%(name)s wins a mars: %(points)s"),
    "koks": N_("%(name)s wins a koks: %(points)s"),
    "drop": N_("%(name)s wins by a drop: %(points)s"),
    "resign": N_("%(name)s wins by resignation: %(points)s"),
    "resign_gammon": N_("%(name)s wins a resigned gammon: %(points)s"),
    "resign_backgammon": N_("%(name)s wins a resigned backgammon: %(points)s"),
}
"""How a game was won; results that are not listed are worded as a single game."""


class ActionView(TypedDict):
    """What was done between two turns: the cube, a resignation, the end of a game."""

    game: int
    after: int
    """The number of the turn before it; 0 if there is none."""
    player: SideName | None
    text: str


class GameLine(TypedDict):
    """One game of the match in words; its rows are elsewhere."""

    number: int
    title: str
    note: str
    """The score before the game, how many points each player needed, and the Crawford game."""
    end: str
    """Who won it, and what; empty until somebody has."""


class GameView(GameLine):
    """One game of the match with its rows."""

    rows: list[ScoreRow]


def whole_game(state: State, game: GameSheet) -> GameSheet:
    """One of the state's games with its rows, wherever the state has them."""
    is_newest = game["number"] == len(state["games"])
    return {**game, "rows": state["moves"]} if is_newest else game


def game_line(game: GameSheet, players: Names, length: int) -> GameLine:
    """A game in words."""
    result = game["result"]
    return GameLine(
        number=game["number"],
        title=gettext("Game %(number)s", number=game["number"]),
        note=game_note(game["score"], length, is_crawford=game["crawford"]),
        end="" if result is None else game_won(result, players),
    )


def game_note(score: Numbers, length: int, *, is_crawford: bool) -> str:
    """The score before a game: `4-0 · 1-away, 5-away · Crawford game`."""
    parts = [f"{score['light']}-{score['dark']}"]
    if length:
        light, dark = (max(0, length - score["light"]), max(0, length - score["dark"]))
        parts.append(gettext("%(light)s-away, %(dark)s-away", light=light, dark=dark))
    if is_crawford:
        parts.append(gettext("Crawford game"))
    return " · ".join(parts)


def game_won(result: ResultShown, players: Names) -> str:
    """Who won a game, how, and how many points."""
    number = points(result["points"])
    if result["winner"] is None:
        return gettext("The game is a draw: %(points)s each", points=number)
    text = WINS.get(result["result"], WINS["single"])
    return gettext(text, name=players[result["winner"]], points=number)


def actions_shown(games: Sequence[GameSheet], players: Names) -> list[ActionView]:
    """What was done in all the games besides plays, in order; each of `games` has its rows."""
    actions, after = [], 0
    for game in games:
        for row in game["rows"]:
            for side in SIDES:
                cell = row[side]
                if cell is None:
                    continue
                if cell["kind"] == "play":
                    after = int(cell["id"])
                    continue
                text = action_text(cell["kind"], cell["value"])
                actions.append(_action(game, after, side, text))
        if (result := game["result"]) is not None:
            actions.append(_action(game, after, None, game_won(result, players)))
    return actions


def _action(game: GameSheet, after: int, player: SideName | None, text: str) -> ActionView:
    return ActionView(game=game["number"], after=after, player=player, text=text)


def rows_shown(rows: Sequence[ScoreRow]) -> list[ScoreRow]:
    """The rows of a game with their words."""
    return [
        ScoreRow(number=row["number"], light=_cell(row["light"]), dark=_cell(row["dark"]))
        for row in rows
    ]


def _cell(cell: SheetCell | None) -> SheetCell | None:
    if cell is None:
        return None
    is_play = cell["kind"] == "play"
    text = phrases.play(cell["play"]) if is_play else action_text(cell["kind"], cell["value"])
    return {**cell, "text": text}


def action_text(kind: CellKind, value: int) -> str:
    """What a player did with the cube, or a resignation. value: the cube's new value, or points."""
    texts: dict[str, Callable[[], str]] = {
        "double": lambda: gettext("Doubles to %(value)s", value=value),
        "beaver": lambda: gettext("Beavers to %(value)s", value=value),
        "raccoon": lambda: gettext("Raccoons to %(value)s", value=value),
        "take": lambda: gettext("Takes"),
        "drop": lambda: gettext("Drops"),
        "resign": lambda: gettext("Resigns %(points)s", points=points(value)),
    }
    return texts[kind]()


def points(number: int) -> str:
    """A number of points."""
    return ngettext("%(num)s point", "%(num)s points", number)
