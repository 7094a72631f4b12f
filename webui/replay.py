"""A recorded match as the review page draws it: each step on the board, and the list of them.

What it takes of a match are the shapes of `webui.archive`.

The board is drawn by what draws the live one: a step becomes the same values that
`webui.view.as_shown` makes of the live state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from engine.position import OFF, Course
from webui import view, words
from webui.archive import Entry, Match, Matches

KINDS: Final = {
    "doubt": "Not certain",
    "illegal": "Illegal play",
    "reroll": "Throw void",
    "unfinished": "Game broken off",
    "set_up_error": "Set up wrong",
}
"""What is doubtful, in words."""
SURE_FROM, DOUBTFUL_FROM = 0.99, 0.8
"""From which probabilities on a mark over a still is called sure, or doubtful."""


def matches_shown(listed: Matches) -> dict[str, Any]:
    """A part of the list with each match in words under `shown`."""
    return {**listed, "matches": [entry_shown(entry) for entry in listed["matches"]]}


def entry_shown(entry: Entry) -> dict[str, Any]:
    """A match of the list and, under `shown`, its words."""
    begun = datetime.fromtimestamp(entry["begun"], UTC).astimezone()
    shown = {
        "title": f"{entry['players']['light']} and {entry['players']['dark']}",
        "variant": words.variant(entry),
        "begun": begun.isoformat(timespec="seconds"),
        "when": f"{begun.day} {begun:%b %Y, %H:%M}",
        "plays": _counted(entry["plays"], "play"),
        "games": _counted(entry["games"], "game"),
        "state": "" if entry["winner"] else "open" if entry["is_open"] else "closed",
        "source": entry["source"].replace("\\", "/").rsplit("/", 1)[-1],
    }
    return {**entry, "shown": shown}


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def match_shown(match: Match) -> dict[str, Any]:
    """The match with all that is drawn and said of it under `shown`, of each step too."""
    players = match["entry"]["players"]
    index = {step["id"]: number for number, step in enumerate(match["steps"])}
    entry = entry_shown(match["entry"])
    return {
        **match,
        "entry": entry,
        "steps": [{**step, "shown": step_shown(step, players)} for step in match["steps"]],
        "doubtful": [
            {**one, "shown": doubt_shown(one, players, index)} for one in match["doubtful"]
        ],
        "shown": {**entry["shown"], "colours": view.colours(match["colours"])},
    }


def step_shown(step: Mapping[str, Any], players: Mapping[str, Any]) -> dict[str, Any]:
    """What the board shows after a step, as `webui.view` has it, and the step in words."""
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
        return str(step["play"])
    name = players[step["player"]] if step["player"] else ""
    texts: dict[str, str] = {
        "start": "Start of the Crawford game" if step["is_crawford"] else "Start position",
        "opening": "Opening roll",
        "roll": "To play",
        "void": f"Throw void: {note.partition(':')[0]}",
        "rejected": f"{name} asks for a legal play",
        "taken_back": f"{name} takes the play back",
        "double": f"Doubles to {points}",
        "beaver": f"Beavers to {points}",
        "raccoon": f"Raccoons to {points}",
        "take": "Takes",
        "drop": "Drops",
        "resign": f"Resigns {_counted(points, 'point')}",
        "set": "The position was set by hand",
        "broken_off": "The game was broken off",
        "resumed": "The game goes on",
        "end": f"Wins {_counted(points, 'point')}" if name else "The game is drawn",
        "match_end": "Wins the match",
    }
    kinds = ("gammon", "backgammon", "drop", "resign")
    ending = f" ({note})" if kind == "end" and note in kinds else ""
    return texts[kind] + ending


def doubt_shown(
    one: Mapping[str, Any], players: Mapping[str, Any], index: Mapping[str, int]
) -> dict[str, Any]:
    """A thing to look at in words; `index`: the places of the steps by their ids."""
    others = one["alternatives"]
    told = {"play": one["play"], "confidence": one["confidence"], "is_told": True}
    plays = [told, *({**other, "is_told": False} for other in others)] if others else []
    return {
        "title": KINDS[one["kind"]],
        "name": players[one["player"]] if one["player"] else "",
        "when": words.clock(one["time"]),
        "index": index.get(one["step"], 0),
        "why": [text[0].upper() + text[1:] for text in _reasons(one)],
        "options": [
            {**play, "percent": words.percent(play["confidence"]), "share": play["confidence"]}
            for play in plays
        ],
    }


def _reasons(one: Mapping[str, Any]) -> Iterator[str]:
    if one["rule"]:
        yield f"it breaks a rule: {one['rule']}"
    yield from (why for why in one["why"] if why)


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
        row = {"index": index, "step": step, "doubts": doubts.get(step["id"], [])}
        listed[-1]["rows"].append(row)
    return listed
