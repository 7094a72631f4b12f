"""What the page of a hall draws of each table, and which of them comes first."""

from __future__ import annotations

import re
from typing import Final, Literal

from typing_extensions import TypedDict

from webui.contracts.hall import ResultStatus, TableShown
from webui.contracts.state import ClockShown, Names, Numbers, State
from webui.i18n.locale import N_, gettext
from webui.views import board, phrases
from webui.views.piles import Pile
from webui.views.place import place_line

TileKind = Literal["dispute", "call", "fault", "play", "wait", "end", "off"]
RANKS: Final[tuple[TileKind, ...]] = ("dispute", "call", "fault", "play", "wait", "end", "off")
"""The kinds of tables in the order in which they are shown: what needs somebody comes first."""
STATUSES: Final[dict[ResultStatus, str]] = {
    "waiting": N_("Not begun"),
    "playing": N_("In play"),
    "final": N_("Final"),
    "stopped": N_("Stopped"),
    "contested": N_("Contested"),
    "unfinished": N_("Not finished"),
}
_DIGITS: Final = re.compile(r"(\d+)")


class Tile(TypedDict):
    """One table as it is drawn."""

    name: str
    kind: TileKind
    title: str
    """What happens at the table, in a few words."""
    notes: list[str]
    """Why somebody should come, and what is wrong."""
    page: str
    place: str
    """The event and the round."""
    players: Names
    score: Numbers
    length: str
    turn: str
    clock: ClockShown | None
    age: float
    light_home: str
    piles: list[Pile]
    off: dict[str, int]
    marks: board.PlayMarks
    dice: list[board.DieDrawing]
    cube: board.CubeDrawing | None


def status_words(status: ResultStatus) -> str:
    """The status of a result in a word."""
    return gettext(STATUSES[status])


def kind_of(table: TableShown) -> TileKind:
    """What a table needs."""
    state = table["state"]
    if not table["online"] and state["call"] is None:  # a call stays, whoever switches it off
        return "off" if state["phase"] in ("waiting", "ended") else "fault"
    last = state["last_play"]
    if last is not None and not last["legal"] and not last.get("accepted", True):
        return "dispute"
    if state["call"] is not None:
        return "call"
    if state["phase"] == "fault" or table["troubles"]:
        return "fault"
    kinds: dict[str, TileKind] = {"playing": "play", "waiting": "wait", "ended": "end"}
    return kinds[state["phase"]]


def order(tables: list[TableShown]) -> list[str]:
    """The names of the tables, the most urgent first, then by number."""
    return [one["name"] for one in sorted(tables, key=_urgency)]


def _urgency(table: TableShown) -> tuple[int, list[tuple[int, int | str]]]:
    parts = _DIGITS.split(table["name"])
    name: list[tuple[int, int | str]] = [
        (0, int(part)) if part.isdecimal() else (1, part.casefold()) for part in parts if part
    ]
    return RANKS.index(kind_of(table)), name


def tile(table: TableShown) -> Tile:
    """A table as it is drawn, worded in the reader's language."""
    state = table["state"].copy()
    state["players"] = phrases.players(state["players"])
    shown, kind = board.as_shown(state), kind_of(table)
    place = state["place"]
    return Tile(
        name=table["name"],
        kind=kind,
        title=gettext("Offline") if not table["online"] else shown["shown"]["headline"],
        notes=_notes(table, state, shown["shown"]),
        page=table["page"],
        place="" if place is None else place_line(place["event"], place["round"]),
        players=state["players"],
        score=state["score"],
        length=shown["shown"]["length"],
        turn=(state["to_move"] or "") if state["phase"] == "playing" else "",
        clock=state["clock"],
        age=table["age"],
        light_home=state["light_home"],
        piles=shown["shown"]["piles"],
        off=shown["shown"]["off"],
        marks=shown["shown"]["marks"],
        dice=shown["shown"]["dice"],
        cube=shown["shown"]["cube"],
    )


def _notes(table: TableShown, state: State, shown: board.StateView) -> list[str]:
    notes = []
    call, alert = state["call"], shown["alert"]
    if call is not None:
        who = state["players"][call["player"]] if call["player"] else ""
        notes.append(_call(who, contests=call["contests"]))
    if kind_of(table) == "dispute" and alert is not None:
        notes.append(alert["text"] or alert["title"])
    return [*notes, *map(phrases.sentence, table["troubles"])]


def _call(who: str, *, contests: bool) -> str:
    if contests:
        return (
            gettext("%(name)s contests the result", name=who)
            if who
            else gettext("The result is contested")
        )
    if who:
        return gettext("%(name)s calls the referee", name=who)
    return gettext("The referee is called")
