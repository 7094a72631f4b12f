"""Players, matches and turns of many matches as their pages show them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, Final, cast

from typing_extensions import TypedDict

from engine.position import Course, Position, Side
from webui.contracts.archive import MatchStep
from webui.contracts.catalog import FoundMatch, FoundTurn, PlayerRow
from webui.contracts.state import Colours, Die, Names, Numbers, board_of
from webui.contracts.words import SideName
from webui.i18n.locale import format_date, format_decimal, format_integer, gettext
from webui.views import board, phrases
from webui.views.match_report import signed
from webui.views.place import place_line
from webui.views.replay import step_shown

NO_COLOURS: Final = Colours(light=None, dark=None, field=None, points=None, frame=None)
UNKNOWN: Final = "–"  # noqa: RUF001
FAIR_DOUBLES: Final = 1 / 6
FAIR_PIPS: Final = 49 / 6
"""The mean of what a roll comes to."""


class PlayerView(TypedDict):
    """A player's sums in words."""

    name: str
    matches: str
    won: str
    lost: str
    rating: str
    loss: str
    luck: str
    pace: str
    rolls: str
    doubles: str
    pips: str


class MatchLine(TypedDict):
    """A match as one of its players sees it."""

    match: int
    day: str
    event: str
    variant: str
    opponent: str
    score: str
    state: str
    """`won`, `lost`, `open`, or empty."""
    own: PlayerView


class TurnView(TypedDict):
    """A turn in words, with its board."""

    address: str
    title: str
    about: str
    player: str
    opponent: str
    side: SideName
    dice: str
    play: str
    loss: str
    luck: str
    pace: str
    board: dict[str, Any]
    """The board before the play, as `_board.html` takes it."""


def position_of(row: FoundTurn) -> Position:
    """The position before the play."""
    empty = Position((), (), Course(row["course"]))
    return empty.with_sides(Side(row["side"]), tuple(row["own"]), tuple(row["other"]))


def player_shown(row: PlayerRow) -> PlayerView:
    """A player's sums in words."""
    rolls = row["rolls"]
    return PlayerView(
        name=row["name"],
        matches=format_integer(row["matches"]),
        won=format_integer(row["won"]),
        lost=format_integer(row["lost"]),
        rating=UNKNOWN if row["rating"] is None else format_decimal(row["rating"], 2),
        loss=format_decimal(row["loss"], 3) if row["decisions"] else UNKNOWN,
        luck=signed(row["luck"]) if row["analyzed"] else UNKNOWN,
        pace=_pace(row["seconds"] / row["timed"] if row["timed"] else None),
        rolls=format_integer(rolls),
        doubles=f"{format_decimal(100 * row['doubles'] / rolls, 1)} %" if rolls else UNKNOWN,
        pips=format_decimal(row["pips"] / rolls, 2) if rolls else UNKNOWN,
    )


def _pace(seconds: float | None) -> str:
    if seconds is None:
        return UNKNOWN
    return gettext("%(number)s s", number=format_decimal(seconds, 1))


def match_line(row: FoundMatch, side: SideName) -> MatchLine:
    """A match as the player of one side sees it."""
    own, other = (row["light"], row["dark"])[:: 1 if side == "light" else -1]
    state = "open" if row["is_open"] else ""
    if row["winner"]:
        state = "won" if row["winner"] == side else "lost"
    return MatchLine(
        match=row["match"],
        day=format_date(_day(row["begun"])),
        event=place_line(row["event"], row["round"]),
        variant=phrases.variant_and_length(row["variant"], row["length"]),
        opponent=other["name"],
        score=f"{own['points']}–{other['points']}",  # noqa: RUF001
        state=state,
        own=player_shown(own),
    )


def _day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds, UTC).astimezone().date()


def turn_shown(row: FoundTurn, matches: str) -> TurnView:
    """A turn in words, with its board; `matches`: the address below which its match is."""
    side = row["side"]
    light, dark = (row["player"], row["opponent"])[:: 1 if side == "light" else -1]
    names = phrases.players(Names(light=light, dark=dark))
    shown = {**step_shown(_step(row), names), "colours": board.colours(NO_COLOURS)}
    game = gettext("Game %(number)s", number=row["game"])
    turn = gettext("Turn %(number)s", number=row["turn"])
    return TurnView(
        address=f"{matches}/{row['match']}#turn-{row['turn']}",
        title=f"{game} · {turn}",
        about=" · ".join(filter(None, (format_date(_day(row["begun"])), row["event"]))),
        player=names[side],
        opponent=names["dark" if side == "light" else "light"],
        side=side,
        dice=phrases.dice(row["dice"]) if row["dice"] else "",
        play=phrases.play(row["play"]),
        loss="" if row["loss"] is None else signed(-row["loss"]),
        luck="" if row["luck"] is None else signed(row["luck"]),
        pace="" if row["seconds"] is None else _pace(row["seconds"]),
        board={"light_home": "right", "shown": shown},
    )


def _step(row: FoundTurn) -> MatchStep:
    """The board before the play, as a step of a replay."""
    position, side = position_of(row), row["side"]
    dice = [
        Die(value=value, player=side, flat=True, confidence=1.0, colour=None)
        for value in row["dice"]
    ]
    step = {
        "kind": "roll", "player": side, "dice": dice, "play": "", "note": "", "points": 0,
        "confidence": None, "review": False, "is_crawford": False, "cube": None,
        "position": board_of(position),
        "pips": Numbers(light=position.pips(Side.LIGHT), dark=position.pips(Side.DARK)),
    }  # fmt: skip
    return cast(MatchStep, step)
