"""Every sentence that depends on the state, for the page and for screen readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.play import NO_PLAY
from engine.position import OFF, Side, place_name

SURE: Final = 0.95
"""Below this a die or a play is shown as not certain."""

VARIANTS: Final = {"short": "Backgammon", "longgammon": "LongGammon", "narde": "Long narde"}
KINDS: Final = {"doubt": "Not certain", "illegal": "Illegal play", "reroll": "Throw void"}
HEADLINES: Final = {
    "waiting": "Setting up",
    "ended": "Match over",
    "fault": "Paused",
}

State = Mapping[str, Any]


def variant(state: State) -> str:
    """The game in words: `Backgammon · 7 points`."""
    name = VARIANTS.get(state["variant"]) or state["variant"].replace("_", " ").capitalize()
    return f"{name} · {goal(state)}"


def goal(state: State) -> str:
    """How far the match goes, and whether this is the Crawford game."""
    lies = state.get("cube")
    return f"{length(state)}, Crawford game" if lies and lies["crawford"] else length(state)


def length(state: State) -> str:
    """How far the match goes: `7 points`, or a money game."""
    match state["length"]:
        case 0:
            return "money game"
        case 1:
            return "1 point"
        case points:
            return f"{points} points"


def dice(faces: list[int | None] | None) -> str:
    """`6-3`, a question mark for an unread die; empty without a roll."""
    return "-".join(str(face or "?") for face in faces or ())


def percent(confidence: float | None) -> str:
    """A probability in words that never claims certainty; empty where it is not to be seen."""
    if confidence is None:
        return ""
    if confidence > 0.999:
        return "> 99.9 %"
    digits = 1 if confidence > 0.99 else 0
    return f"{100 * confidence:.{digits}f} %"


def clock(seconds: float) -> str:
    """`1:02:03`, or `2:03` under an hour."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def message_lines(message: str) -> list[str]:
    """The parts of a message, each a line that begins with a capital letter."""
    parts = (part.strip() for part in message.split(";"))
    return [_capital(part) for part in parts if part]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def headline(state: State) -> str:
    """What happens now, in a few words."""
    if state["paused"]:
        return "Paused"
    if state["phase"] != "playing":
        return HEADLINES[state["phase"]]
    if state["to_move"] is None:
        return "Opening roll"
    if (disputed := _disputed(state)) is not None:
        return f"{state['players'][Side(disputed['player']).other.value]} decides"
    name, roll = state["players"][state["to_move"]], state["roll"]
    if (state.get("cube") or {}).get("offered") is not None:
        return f"{name} takes or drops"
    return f"{name} to play {dice(roll['dice'])}" if roll else f"{name} to roll"


def title(state: State) -> str:
    """The window's title; what needs somebody comes first, so that a tab tells it too."""
    urgent = "Illegal play · " if _disputed(state) else "Throw again · " if state["void"] else ""
    waiting = f"({len(state['review'])}) " if state["review"] else ""
    return f"{waiting}{urgent}{headline(state)} · Tableside"


def alert(state: State) -> dict[str, str] | None:
    """What the players must not overlook: a fault, an illegal play, a throw that is void."""
    if state["phase"] == "fault":
        text = ". ".join(message_lines(state["message"]))
        return {"kind": "fault", "title": "Help is needed", "text": text}
    last = _disputed(state)
    if last is None:
        return _void(state)
    name = state["players"][last["player"]]
    with_dice = f" with {dice(last['dice'])}" if last["dice"] else ""
    text = f"{name} played {last['play']}{with_dice}. {_capital(last['rule'])}".strip()
    return {"kind": "illegal", "title": "Illegal play", "text": text}


def _void(state: State) -> dict[str, str] | None:
    void = state.get("void")
    if void is None:
        return None
    name = state["players"][void["player"]]
    text = f"{name} threw {dice(void['dice'])}. {_capital(void['note'])}."
    return {"kind": "void", "title": "The throw does not count", "text": text}


def flag(state: State) -> dict[str, str] | None:
    """The alert as an audience is told it: what a fault is concerns only who can mend it."""
    told = alert(state)
    if told is None or told["kind"] != "fault":
        return told
    return {**told, "title": HEADLINES["fault"], "text": ""}


def _disputed(state: State) -> State | None:
    """The illegal play that stands on the board and that nobody has decided on."""
    last: State | None = state["last_play"]
    return None if last is None or last["legal"] or last.get("accepted") else last


def cube(state: State) -> str:
    """Where the doubling cube lies and what it says; empty without one."""
    lies = state.get("cube")
    if lies is None or lies["crawford"]:
        return ""
    if lies["offered"] is not None:
        return f"{state['players'][lies['by']]} doubles to {lies['offered']}."
    where = "in the middle" if lies["owner"] is None else f"with {state['players'][lies['owner']]}"
    return f"The cube is {where}, at {lies['value']}."


def lying(state: State) -> str:
    """The dice that lie there, for the ear; empty without any."""
    told = [
        f"{die['value'] or 'not read'}{'' if die['flat'] else ', not flat'}"
        for die in state.get("dice", ())
    ]
    return f"Dice: {'; '.join(told)}." if told else ""


def last_play(state: State) -> dict[str, Any] | None:
    """The newest turn, for the line under the board; while it goes on, what lies there of it."""
    if state["pending"] is not None:
        return _pending(state, state["pending"])
    last = state["last_play"]
    if last is None:
        return None
    return {
        "label": "Last play",
        "side": last["player"],
        "name": state["players"][last["player"]],
        "play": last["play"],
        "dice": last["dice"] or [],
        "confidence": last["confidence"],
        "percent": percent(last["confidence"]),
        "verdict": _verdict(last),
    }


def _pending(state: State, pending: State) -> dict[str, Any]:
    return {
        "label": "On the board",
        "side": pending["player"],
        "name": state["players"][pending["player"]],
        "play": pending["play"],
        "dice": pending["dice"] or [],
        "confidence": None,
        "percent": "",
        "verdict": "pending",
    }


def _verdict(last: State) -> str:
    if not last["legal"]:
        return "illegal"
    if last["confidence"] is None:
        return "review" if last["review"] else ""
    return "review" if last["review"] or last["confidence"] < SURE else "sure"


def doubt(state: State, item: State) -> dict[str, Any]:
    """One item under review, as its card tells it."""
    return {
        "id": item["id"],
        "kind": item["kind"],
        "title": KINDS[item["kind"]],
        "when": clock(item["time"]),
        "side": item["player"],
        "name": state["players"][item["player"]],
        "dice": dice(item["dice"]),
        "play": item["play"],
        "note": item["note"],
        "options": [
            {"play": one["play"], "percent": percent(one["confidence"]), "share": one["confidence"]}
            for one in item["alternatives"]
        ],
    }


def source(value: State | None) -> str:
    """`dev_short.mp4 · 15 fps · 2:03`, or that there is no camera yet."""
    if value is None:
        return "No camera yet"
    return f"{value['name']} · {value['fps']:.0f} fps · {clock(value['seconds'])}"


def event(state: State) -> str:
    """The newest thing that happened, as it is read out."""
    if state["phase"] != "playing":
        return f"{headline(state)}. {state['message']}"
    last = state["last_play"]
    told = f"{state['players'][last['player']]} played {spoken(last['play'])}. " if last else ""
    doubts = len(state["review"])
    return f"{told}{headline(state)}.{f' {doubts} to review.' if doubts else ''}"


def spoken(play: str) -> str:
    """A play for the ear: slashes and stars are words."""
    if play == NO_PLAY:
        return "nothing, no move was possible"
    return (
        play.replace("*", " hitting").replace("/", " to ").replace("(", " times ").replace(")", "")
    )


def position(state: State) -> list[str]:
    """Both sides' checkers in words, each by its own numbers."""
    board = state["position"]
    if board is None:
        return ["The position is not known yet."]
    both = [_side(state, board, side) for side in ("light", "dark")]
    return [*both, *filter(None, (cube(state), lying(state)))]


def _side(state: State, board: State, side: str) -> str:
    pips = f" Pip count {state['pips'][side]}." if state["pips"] else ""
    return (
        f"{side.capitalize()}, {state['players'][side]}: {'; '.join(_places(board[side]))}.{pips}"
    )


def _places(vector: list[int]) -> Iterator[str]:
    for place in range(len(vector) - 1, OFF, -1):
        if vector[place]:
            yield f"{vector[place]} on {place_name(place)}"
    if vector[OFF]:
        yield f"{vector[OFF]} borne off"
