"""The score sheets of a match's games, for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from engine import MatchState, Side
from engine.events.match import (
    CubeEvent,
    GameDrawn,
    GameEnd,
    GameStart,
    IllegalMade,
    PlayerEvent,
    PlayMade,
    Resigned,
)
from webui.contracts.state import CellKind, GameSheet, Numbers, ResultShown, ScoreRow, SheetCell

RESIGNED: Final = {2: "resign_gammon", 3: "resign_backgammon"}
"""What was resigned, by the points without the cube."""


def game_sheets(match: MatchState) -> list[GameSheet]:
    """The sheet of every game begun, with the turns as `match` shows them."""
    sheets: list[GameSheet] = []
    for state in _history(match):
        event = state.last_event
        if isinstance(event, GameStart):
            sheets.append(_begun(state))
        elif not sheets:
            continue  # a record may begin under way
        elif isinstance(event, PlayMade):
            _add_play(sheets[-1], match, len(state.turns))
        elif isinstance(event, CubeEvent | Resigned):
            _add_action(_sheet(sheets, getattr(event, "game", None)), event)
        elif isinstance(event, GameEnd | GameDrawn):
            _sheet(sheets, getattr(event, "game", None))["result"] = _result(state, event)
    return sheets


def _history(match: MatchState) -> list[MatchState]:
    """The match after each of its events, and at last as it is now."""
    states = [match]
    while (earlier := states[-1].previous) is not None:
        states.append(earlier)
    return states[::-1]


def _sheet(sheets: Sequence[GameSheet], game: int | None) -> GameSheet:
    return sheets[-1] if game is None else sheets[min(game, len(sheets)) - 1]


def _begun(state: MatchState) -> GameSheet:
    light, dark = state.score
    return GameSheet(
        number=state.games,
        score=Numbers(light=light, dark=dark),
        crawford=state.is_crawford,
        result=None,
        rows=[],
    )


def _add_play(sheet: GameSheet, match: MatchState, number: int) -> None:
    """Add turn `number`, unless it was rejected."""
    turn = match.turns[number - 1]
    made = turn.event
    if turn.rejected:
        return
    is_accused = isinstance(made, IllegalMade)
    cell = SheetCell(
        id=str(number),
        kind="play",
        value=0,
        dice=None if made.dice is None else list(made.dice),
        play=made.play,
        review=made.review or not (made.legal or is_accused),
        illegal=is_accused,
    )
    _add(sheet["rows"], made.player, cell)


def _add_action(sheet: GameSheet, event: PlayerEvent) -> None:
    """Add what a player did with the cube, or a resignation."""
    value = getattr(event, "value", getattr(event, "points", 0))
    cell = SheetCell(
        id="", kind=cast(CellKind, event.type), value=value, dice=None, play="", review=False,
        illegal=False,
    )  # fmt: skip
    _add(sheet["rows"], event.player, cell)


def _add(rows: list[ScoreRow], player: Side, cell: SheetCell) -> None:
    """Add the cell in order of time: a row is light's turn and then dark's."""
    is_full = not rows or rows[-1]["dark"] is not None
    if is_full or (player is Side.LIGHT and rows[-1]["light"] is not None):
        rows.append(ScoreRow(number=len(rows) + 1, light=None, dark=None))
    rows[-1][player.value] = cell


def _result(state: MatchState, end: GameEnd | GameDrawn) -> ResultShown:
    light, dark = state.score
    wins_match = 0 < state.length <= max(light, dark) and light != dark
    if isinstance(end, GameDrawn):
        return ResultShown(winner=None, points=end.points, result="draw", wins_match=wins_match)
    result = end.result
    if result == "resign" and state.rules.has_cube and end.game in (None, state.games):
        result = RESIGNED.get(end.points // state.cube.value, result)
    return ResultShown(
        winner=end.winner.value, points=end.points, result=result, wins_match=wins_match
    )
