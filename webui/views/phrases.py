"""Every sentence that depends on the state, for the page and for screen readers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.play import NO_PLAY
from engine.position import BAR, OFF, Side
from webui.i18n.locale import decimal, gettext, ngettext, npgettext, pgettext
from webui.i18n.messages import translate

SURE: Final = 0.95
"""Below this a die or a play is shown as not certain."""

N_ = str
"""Marks for Babel what `gettext` is to say later."""
VARIANTS: Final = {
    "short": N_("Backgammon"),
    "nackgammon": N_("Nackgammon"),
    "hypergammon": N_("Hypergammon"),
    "longgammon": N_("LongGammon"),
    "narde": N_("Long narde"),
    "nardgammon": N_("Nardgammon"),
    "crazy_narde": N_("Crazy narde"),
    "gulbar": N_("Gulbar"),
    "crazy_gulbar": N_("Crazy gulbar"),
    "khachapuri": N_("Khachapuri"),
    "fevga": N_("Fevga"),
    "giul": N_("Giul"),
}
KINDS: Final = {
    "doubt": N_("Not certain"),
    "inferred": N_("Dice inferred"),
    "illegal": N_("Illegal play"),
    "reroll": N_("Throw void"),
    "unfinished": N_("Game broken off"),
    "set_up_error": N_("Set up wrong"),
    "cup_disagrees": N_("Which dice count?"),
}
"""What is doubtful, or worth a look."""
HEADLINES: Final = {
    "waiting": N_("Setting up"),
    "ended": N_("Match over"),
    "fault": N_("Paused"),
}
SIDES: Final = {"light": N_("Light"), "dark": N_("Dark")}

State = Mapping[str, Any]


def variant(state: State) -> str:
    """The game in words: `Backgammon · 7 points`."""
    return f"{variant_name(state['variant'])} · {goal(state)}"


def variant_name(name: str) -> str:
    """A variant as people call it."""
    known = VARIANTS.get(name)
    return name.replace("_", " ").capitalize() if known is None else gettext(known)


def kind(name: str) -> str:
    """What is doubtful, by its name in the record."""
    return gettext(KINDS[name])


def players(names: Mapping[str, Any]) -> dict[str, Any]:
    """The people; one who is only called by his side is so in the reader's language."""
    return {side: gettext(name) if name == SIDES[side] else name for side, name in names.items()}


def goal(state: State) -> str:
    """How far the match goes, and whether this is the Crawford game."""
    lies = state.get("cube")
    if lies and lies["crawford"]:
        return gettext("%(length)s, Crawford game", length=length(state))
    return length(state)


def length(state: State) -> str:
    """How far the match goes: `7 points`, or a money game."""
    points = state["length"]
    if not points:
        return gettext("money game")
    return npgettext("length of a match", "%(num)s point", "%(num)s points", points)


def dice(faces: list[int | None] | None) -> str:
    """`6-3`, a question mark for an unread die; empty without a roll."""
    return "-".join(str(face or "?") for face in faces or ())


def percent(confidence: float | None) -> str:
    """A probability in words that never claims certainty; empty where it is not to be seen."""
    if confidence is None:
        return ""
    if confidence > 0.999:
        return f"> {decimal(99.9, 1)} %"
    return f"{decimal(100 * confidence, 1 if confidence > 0.99 else 0)} %"


def clock(seconds: float) -> str:
    """`1:02:03`, or `2:03` under an hour."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def message_lines(message: str) -> list[str]:
    """The parts of a message, each a line that begins with a capital letter."""
    parts = (part.strip() for part in message.split(";"))
    return [sentence(part) for part in parts if part]


def sentence(text: str) -> str:
    """What comes from below in English, in the reader's language and with a capital letter."""
    words = translate(text)
    return words[:1].upper() + words[1:]


def play(notation: str) -> str:
    """A play to be read: notation is the same everywhere, but that nothing was played is words."""
    return gettext("(no play)") if notation == NO_PLAY else notation


def headline(state: State) -> str:
    """What happens now, in a few words."""
    if state["paused"]:
        return gettext("Paused")
    if state["phase"] != "playing":
        return gettext(HEADLINES[state["phase"]])
    return gettext("Opening roll") if state["to_move"] is None else _to_do(state)


def _to_do(state: State) -> str:
    """Who is to do what."""
    if (disputed := _disputed(state)) is not None:
        decides = state["players"][Side(disputed["player"]).other.value]
        return gettext("%(name)s decides", name=decides)
    name, roll = state["players"][state["to_move"]], state["roll"]
    if (state.get("cube") or {}).get("offered") is not None:
        return gettext("%(name)s takes or drops", name=name)
    if roll:
        return gettext("%(name)s to play %(dice)s", name=name, dice=dice(roll["dice"]))
    return gettext("%(name)s to roll", name=name)


def title(state: State) -> str:
    """The window's title; what needs somebody comes first, so that a tab tells it too."""
    urgent = ""
    if _disputed(state):
        urgent = f"{gettext('Illegal play')} · "
    elif state["void"]:
        urgent = f"{gettext('Throw again')} · "
    waiting = f"({len(state['review'])}) " if state["review"] else ""
    return f"{waiting}{urgent}{headline(state)} · Tableside"


def alert(state: State) -> dict[str, str] | None:
    """What the players must not overlook: a fault, an illegal play, a throw that is void."""
    if state["phase"] == "fault":
        text = ". ".join(message_lines(state["message"]))
        return {"kind": "fault", "title": gettext("Help is needed"), "text": text}
    last = _disputed(state)
    if last is None:
        return _time_out(state) or _void(state)
    text = f"{_played(state, last)}. {sentence(last['rule'])}".strip()
    return {"kind": "illegal", "title": gettext("Illegal play"), "text": text}


def _played(state: State, last: State) -> str:
    made = {"name": state["players"][last["player"]], "play": play(last["play"])}
    if not last["dice"]:
        return gettext("%(name)s played %(play)s", **made)
    rolled = dice(last["dice"])
    return gettext("%(name)s played %(play)s with %(dice)s", **made, dice=rolled)


def _time_out(state: State) -> dict[str, str] | None:
    clock_state = state.get("clock")
    late = [side for side in SIDES if clock_state and clock_state[side] == 0]
    if not late or state["phase"] != "playing":
        return None
    text = gettext("%(name)s has no time left.", name=state["players"][late[0]])
    return {"kind": "time", "title": gettext("Time is up"), "text": text}


def _void(state: State) -> dict[str, str] | None:
    void = state.get("void")
    if void is None:
        return None
    name = state["players"][void["player"]]
    threw = gettext("%(name)s threw %(dice)s", name=name, dice=dice(void["dice"]))
    text = f"{threw}. {sentence(void['note'])}."
    return {"kind": "void", "title": gettext("The throw does not count"), "text": text}


def flag(state: State) -> dict[str, str] | None:
    """The alert as an audience is told it: what a fault is concerns only who can mend it."""
    raised = alert(state)
    if raised is None or raised["kind"] != "fault":
        return raised
    return {**raised, "title": gettext(HEADLINES["fault"]), "text": ""}


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
        name = state["players"][lies["by"]]
        return gettext("%(name)s doubles to %(value)s.", name=name, value=lies["offered"])
    if lies["owner"] is None:
        return gettext("The cube is in the middle, at %(value)s.", value=lies["value"])
    name = state["players"][lies["owner"]]
    return gettext("The cube is with %(name)s, at %(value)s.", name=name, value=lies["value"])


def lying(state: State) -> str:
    """The dice that lie there, for the ear; empty without any."""
    faces = "; ".join(_lying(die) for die in state.get("dice", ()))
    return gettext("Dice: %(faces)s.", faces=faces) if faces else ""


def _lying(die: State) -> str:
    face = die["value"] or gettext("not read")
    return str(face) if die["flat"] else gettext("%(face)s, not flat", face=face)


def last_play(state: State) -> dict[str, Any] | None:
    """The newest turn, for the line under the board; while it goes on, what lies there of it."""
    if state["pending"] is not None:
        return _pending(state, state["pending"])
    last = state["last_play"]
    if last is None:
        return None
    # Who told a play was there: it is no matter of probability.
    last = {**last, "confidence": None} if state["by_hand"] else last
    return {
        "label": gettext("Last play"),
        "side": last["player"],
        "name": state["players"][last["player"]],
        "play": play(last["play"]),
        "dice": last["dice"] or [],
        "confidence": last["confidence"],
        "percent": percent(last["confidence"]),
        "verdict": _verdict(last),
    }


def _pending(state: State, pending: State) -> dict[str, Any]:
    return {
        "label": gettext("On the board"),
        "side": pending["player"],
        "name": state["players"][pending["player"]],
        "play": play(pending["play"]),
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
        "title": kind(item["kind"]),
        "when": clock(item["time"]),
        "side": item["player"],
        "name": state["players"][item["player"]],
        "dice": dice(item["dice"]),
        "play": play(item["play"]),
        "note": translate(item["note"]),
        "options": [
            {
                "play": play(one["play"]),
                "percent": percent(one["confidence"]),
                "share": one["confidence"],
            }
            for one in item["alternatives"]
        ],
    }


def source(value: State | None, *, by_hand: bool = False) -> str:
    """`dev_short.mp4 · 15 fps · 2:03`, or that there is no camera, or none yet."""
    if by_hand:
        return gettext("No camera")
    if value is None:
        return gettext("No camera yet")
    speed = gettext("%(number)s fps", number=decimal(value["fps"], 0))
    return f"{translate(value['name'])} · {speed} · {clock(value['seconds'])}"


def event(state: State) -> str:
    """The newest thing that happened, as it is read out."""
    if state["phase"] != "playing":
        return f"{headline(state)}. {translate(state['message'])}"
    last, parts = state["last_play"], [f"{headline(state)}."]
    if last:
        name = state["players"][last["player"]]
        made = gettext("%(name)s played %(play)s", name=name, play=spoken(last["play"]))
        parts.insert(0, f"{made}.")
    if doubts := len(state["review"]):
        parts.append(ngettext("%(num)s to review.", "%(num)s to review.", doubts))
    return " ".join(parts)


def spoken(notation: str) -> str:
    """A play for the ear: slashes and stars are words."""
    if notation == NO_PLAY:
        return gettext("nothing, no move was possible")
    words = {
        "bar": gettext("bar"),
        "off": gettext("off"),
        "*": f" {gettext('hitting')}",
        "/": f" {pgettext('from one point to another', 'to')} ",
        "(": f" {gettext('times')} ",
        ")": "",
    }
    return re.sub("|".join(map(re.escape, words)), lambda found: words[found[0]], notation)


def position(state: State) -> list[str]:
    """Both sides' checkers in words, each by its own numbers."""
    board = state["position"]
    if board is None:
        return [gettext("The position is not known yet.")]
    both = [_side(state, board, side) for side in ("light", "dark")]
    return [*both, *filter(None, (cube(state), lying(state)))]


def _side(state: State, board: State, side: str) -> str:
    line = f"{gettext(SIDES[side])}, {state['players'][side]}: {'; '.join(_places(board[side]))}."
    if not state["pips"]:
        return line
    return f"{line} {gettext('Pip count %(pips)s.', pips=state['pips'][side])}"


def _places(vector: list[int]) -> Iterator[str]:
    if vector[BAR]:
        yield gettext("%(count)s on the bar", count=vector[BAR])
    for point in range(BAR - 1, OFF, -1):
        if vector[point]:
            yield gettext("%(count)s on the %(point)s point", count=vector[point], point=point)
    if vector[OFF]:
        yield gettext("%(count)s borne off", count=vector[OFF])


def result(name: str) -> str:
    """How high a game is lost, as it is said on a button."""
    return {
        "single": lambda: pgettext("result", "Single"),
        "gammon": lambda: pgettext("result", "Gammon"),
        "backgammon": lambda: pgettext("result", "Backgammon"),
        "oin": lambda: pgettext("result", "Oin"),
        "mars": lambda: pgettext("result", "Mars"),
        "koks": lambda: pgettext("result", "Koks"),
    }[name]()
