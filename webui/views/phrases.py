"""Names and figures in words: games, players, dice, probabilities, times.

Functions return text in the reader's language.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from engine.message import Sentence
from engine.play import NO_PLAY
from webui.contracts.state import CubeState, Names, SideName
from webui.i18n.locale import N_, format_decimal, gettext, npgettext, pgettext
from webui.i18n.messages import translate

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
REVIEW_TITLES: Final = {
    "doubt": N_("Not certain"),
    "inferred": N_("Dice inferred"),
    "illegal": N_("Illegal play"),
    "reroll": N_("Void roll"),
    "unfinished": N_("Game cut short"),
    "set_up_error": N_("Wrong setup"),
    "unseen": N_("Not seen"),
    "cup_disagrees": N_("Which dice count?"),
}
"""Titles of review items, by kind."""
ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*://")
SIDES: Final[dict[SideName, str]] = {"light": N_("Light"), "dark": N_("Dark")}


def variant_and_length(variant: str, points: int, cube: CubeState | None = None) -> str:
    """The game in words: `Backgammon · 7 points`."""
    return f"{variant_name(variant)} · {match_length(points, cube)}"


def unbroken(text: str) -> str:
    """The text in one line."""
    return text.replace(" ", "\u00a0")


def variant_name(name: str) -> str:
    """The display name of a variant."""
    known = VARIANTS.get(name)
    return name.replace("_", " ").capitalize() if known is None else gettext(known)


def review_title(kind: str) -> str:
    """The title of a review item."""
    return gettext(REVIEW_TITLES[kind])


def players(names: Names) -> Names:
    """The players' names; a player known only by side gets its name in the reader's language."""
    return Names(light=_player(names, "light"), dark=_player(names, "dark"))


def _player(names: Names, side: SideName) -> str:
    return gettext(names[side]) if names[side] == SIDES[side] else names[side]


def match_length(points: int, cube: CubeState | None = None) -> str:
    """`7 points`, or a money game; and whether this is the Crawford game."""
    if points:
        length = npgettext("length of a match", "%(num)s point", "%(num)s points", points)
    else:
        length = gettext("money game")
    if cube is not None and cube["crawford"]:
        return gettext("%(length)s, Crawford game", length=length)
    return length


def dice(faces: Sequence[int | None] | None) -> str:
    """`6-3`, with a question mark for an unread die; empty without a roll."""
    return "-".join(str(face or "?") for face in faces or ())


def percent(confidence: float | None) -> str:
    """A probability in words that never claims certainty; empty if it is withheld."""
    if confidence is None:
        return ""
    if confidence > 0.999:
        return f"> {format_decimal(99.9, 1)} %"
    return f"{format_decimal(100 * confidence, 1 if confidence > 0.99 else 0)} %"


def clock(seconds: float) -> str:
    """`1:02:03`, or `2:03` under an hour."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def message_lines(message: Sentence) -> list[str]:
    """The parts of a message as lines, each beginning with a capital letter."""
    parts = (part.strip() for part in translate(message).split(";"))
    return [capitalised(part) for part in parts if part]


def sentence(text: Sentence) -> str:
    """The sentence in the reader's language, with a capital letter."""
    return capitalised(translate(text))


def capitalised(text: str) -> str:
    """`text` with its first letter in upper case, unless it begins with an address."""
    return text if ADDRESS.match(text) else text[:1].upper() + text[1:]


def play(notation: str) -> str:
    """A play for display: notation is the same in every language, `(no play)` is translated."""
    return gettext("(no play)") if notation == NO_PLAY else notation


def spoken(notation: str) -> str:
    """A play for screen readers, with slashes and stars as words."""
    if notation == NO_PLAY:
        return gettext("no move possible")
    words = {
        "bar": gettext("bar"),
        "off": gettext("off"),
        "*": " " + gettext("hitting"),
        "/": " " + pgettext("from one point to another", "to") + " ",
        "(": " " + pgettext("notation", "times") + " ",
        ")": "",
    }
    return re.sub("|".join(map(re.escape, words)), lambda found: words[found[0]], notation)


def result(name: str) -> str:
    """The kind of loss, as the label of a button."""
    return {
        "single": lambda: pgettext("result", "Single"),
        "gammon": lambda: pgettext("result", "Gammon"),
        "backgammon": lambda: pgettext("result", "Backgammon"),
        "oin": lambda: pgettext("result", "Oin"),
        "mars": lambda: pgettext("result", "Mars"),
        "koks": lambda: pgettext("result", "Koks"),
    }[name]()
