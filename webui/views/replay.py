"""A recorded match as the review page draws it: each step on the board, and the list of them.

What it takes of a match are the shapes of `webui.contracts.archive`.

The board is drawn by what draws the live one: a step becomes the same values that
`webui.views.board.as_shown` makes of the live state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from engine.position import OFF, Course
from webui.contracts.archive import (
    Analysis,
    MatchList,
    MatchSummary,
    PlayerStatistics,
    RecordedMatch,
)
from webui.i18n.locale import gettext, moment, ngettext
from webui.i18n.messages import translate
from webui.views import board as view
from webui.views import phrases as words
from webui.views.phrases import N_

RESULTS: Final = {
    "gammon": N_("gammon"),
    "backgammon": N_("backgammon"),
    "drop": N_("drop"),
    "resign": N_("resign"),
    "mars": N_("mars"),
    "koks": N_("koks"),
}
"""Endings of a game that are told beside its points."""
CRAWFORD: Final = N_("Start of the Crawford game")
START: Final = N_("Start position")
STANDS: Final = {
    "cup": N_("The dice of the cup count"),
    "board": N_("The dice on the board count"),
}
TEXTS: Final = {
    "opening": N_("Opening roll"),
    "roll": N_("To play"),
    "take": N_("Takes"),
    "drop": N_("Drops"),
    "set": N_("The position was set by hand"),
    "broken_off": N_("The game was broken off"),
    "resumed": N_("The game goes on"),
    "match_end": N_("Wins the match"),
}
"""What happened, where nothing more is to be told of it."""
SURE_FROM, DOUBTFUL_FROM = 0.99, 0.8
"""From which probabilities on a mark over a still is called sure, or doubtful."""


def matches_shown(listed: MatchList) -> dict[str, Any]:
    """A part of the list with each match in words under `shown`."""
    return {**listed, "matches": [entry_shown(entry) for entry in listed["matches"]]}


def entry_shown(entry: MatchSummary) -> dict[str, Any]:
    """A match of the list and, under `shown`, its words."""
    begun = datetime.fromtimestamp(entry["begun"], UTC).astimezone()
    players = words.players(entry["players"])
    games, plays = entry["games"], entry["plays"]
    shown = {
        "title": gettext("%(light)s and %(dark)s", **players),
        "variant": words.variant(entry),
        "begun": begun.isoformat(timespec="seconds"),
        "when": moment(begun),
        "plays": ngettext("%(num)s play", "%(num)s plays", plays),
        "games": ngettext("%(num)s game", "%(num)s games", games),
        "state": "" if entry["winner"] else "open" if entry["is_open"] else "closed",
        "source": entry["source"].replace("\\", "/").rsplit("/", 1)[-1],
    }
    return {**entry, "players": players, "shown": shown}


def _points(number: int) -> str:
    return ngettext("%(num)s point", "%(num)s points", number)


def match_shown(match: RecordedMatch) -> dict[str, Any]:
    """The match with all that is drawn and said of it under `shown`, of each step too."""
    players = words.players(match["entry"]["players"])
    index = {step["id"]: number for number, step in enumerate(match["steps"])}
    entry = entry_shown(match["entry"])
    return {
        **match,
        "entry": entry,
        "steps": [{**step, "shown": step_shown(step, players)} for step in match["steps"]],
        "doubtful": [_doubtful_shown(one, players, index) for one in match["doubtful"]],
        "files": [{**file, "title": translate(file["title"])} for file in match["files"]],
        "shown": {**entry["shown"], "colours": view.colours(match["colours"])},
    }


def _doubtful_shown(
    one: Mapping[str, Any], players: Mapping[str, Any], index: Mapping[str, int]
) -> dict[str, Any]:
    stills = [{**still, "shows": translate(still["shows"])} for still in one["stills"]]
    return {**one, "stills": stills, "shown": doubt_shown(one, players, index)}


def step_shown(step: Mapping[str, Any], players: Mapping[str, Any]) -> dict[str, Any]:
    """What the board shows after a step, as `webui.views.board` has it, and the step in words."""
    position = step["position"]
    course = Course((position or {}).get("course", "opposed"))
    side = step["player"] or "light"
    table = {
        "players": players,
        "position": position,
        "pips": step["pips"],
        "dice": step["dice"],
        "to_move": side,
        "roll": None,
    }
    last = None
    if step["kind"] in ("play", "illegal"):
        last = {"play": step["play"], "player": side, "legal": step["kind"] == "play"}
    return {
        "piles": list(view.piles(position, course)),
        "off": {name: position[name][OFF] if position else 0 for name in view.SIDES},
        "marks": view.marks(last, course),
        "dice": view.dice(table),
        "numbers": view.point_numbers(side, course),
        "spoken": {"position": words.position(table)},
        "faces": [die["value"] for die in step["dice"]],
        "text": step_text(step, players),
        "percent": words.percent(step["confidence"]),
        "verdict": _verdict(step),
    }


def _verdict(step: Mapping[str, Any]) -> str:
    if step["kind"] == "illegal":
        return "illegal"
    if step["kind"] != "play" or step["confidence"] is None:
        return "review" if step["review"] else ""
    return "review" if step["review"] else "sure"


def step_text(step: Mapping[str, Any], players: Mapping[str, Any]) -> str:
    """What happened, in a few words; of a play its notation."""
    kind, note, points = step["kind"], step["note"], step["points"]
    if kind in ("play", "illegal"):
        return words.play(step["play"])
    name = players[step["player"]] if step["player"] else ""
    if kind in TEXTS:
        return gettext(TEXTS[kind])
    texts: dict[str, Callable[[], str]] = {
        "start": lambda: gettext(CRAWFORD if step["is_crawford"] else START),
        "void": lambda: gettext("Throw void: %(why)s", why=translate(note).partition(":")[0]),
        "rejected": lambda: gettext("%(name)s asks for a legal play", name=name),
        "cup_decided": lambda: gettext(STANDS[note]),
        "taken_back": lambda: gettext("%(name)s takes the play back", name=name),
        "double": lambda: gettext("Doubles to %(value)s", value=points),
        "beaver": lambda: gettext("Beavers to %(value)s", value=points),
        "raccoon": lambda: gettext("Raccoons to %(value)s", value=points),
        "resign": lambda: gettext("Resigns %(points)s", points=_points(points)),
        "end": lambda: _end_text(note, points) if name else gettext("The game is drawn"),
    }
    return texts[kind]()


def _end_text(result: str, points: int) -> str:
    wins = gettext("Wins %(points)s", points=_points(points))
    return f"{wins} ({gettext(RESULTS[result])})" if result in RESULTS else wins


def doubt_shown(
    one: Mapping[str, Any], players: Mapping[str, Any], index: Mapping[str, int]
) -> dict[str, Any]:
    """A thing to look at in words; `index`: the places of the steps by their ids."""
    others = one["alternatives"]
    recorded = {"play": one["play"], "confidence": one["confidence"], "is_told": True}
    plays = [recorded, *({**other, "is_told": False} for other in others)] if others else []
    return {
        "title": words.kind(one["kind"]),
        "name": players[one["player"]] if one["player"] else "",
        "when": words.clock(one["time"]),
        "index": index.get(one["step"], 0),
        "why": [text[0].upper() + text[1:] for text in _reasons(one)],
        "options": [
            {
                **play,
                "play": words.play(play["play"]),
                "percent": words.percent(play["confidence"]),
                "share": play["confidence"],
            }
            for play in plays
        ],
    }


def analysis_shown(analysis: Analysis) -> Analysis:
    """Where an analysis is, in the reader's language."""
    figures = analysis["figures"]
    if figures is not None:
        light, dark = _rated(figures["light"]), _rated(figures["dark"])
        figures = {**figures, "light": light, "dark": dark}
    return {**analysis, "note": translate(analysis["note"]), "figures": figures}


def _rated(figures: PlayerStatistics) -> PlayerStatistics:
    return {**figures, "rating": translate(figures["rating"])}


def _reasons(one: Mapping[str, Any]) -> Iterator[str]:
    if one["rule"]:
        yield gettext("it breaks a rule: %(rule)s", rule=translate(one["rule"]))
    yield from (translate(why) for why in one["why"] if why)


def sureness(share: float) -> str:
    """How sure a mark over a still is, for its colour."""
    return "sure" if share >= SURE_FROM else "doubtful" if share >= DOUBTFUL_FROM else "unsure"


def games(match: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The list of a match that `match_shown` made: its games, each with a row for every step."""
    doubts: dict[str, list[dict[str, Any]]] = {}
    for one in match["doubtful"]:
        doubts.setdefault(one["step"], []).append(one)
    listed: list[dict[str, Any]] = []
    for index, step in enumerate(match["steps"]):
        if not listed or listed[-1]["number"] != step["game"]:
            listed.append({"number": step["game"], "score": step["score"], "rows": []})
        found = doubts.get(step["id"], [])
        is_open = any(one["review"] for one in found)
        row = {"index": index, "step": step, "doubts": found, "is_open": is_open}
        listed[-1]["rows"].append(row)
    return listed
