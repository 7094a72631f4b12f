"""The line of both pages that says how the dice cup is."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any, Final

from webui.i18n.locale import gettext
from webui.views import phrases as words
from webui.views.phrases import N_

LOOKED_FOR: Final = "searching"
STATES: Final = {
    "ready": N_("The cup is ready"),
    "rolling": N_("The cup waits for the throw"),
    LOOKED_FOR: N_("The cup is looked for"),
    "fault": N_("The cup has a fault"),
    "lost": N_("The cup is lost"),
    "aside": N_("The cup is set aside"),
    "words": N_("The cup is bound"),
    "revealed": N_("The cup has told its seed"),
}
BEGINS: Final = 16
"""Hex digits of a commitment that are enough to write down: another seed with the same beginning
takes longer to find than a match lasts."""
ALREADY_SAID: Final = ("it is looked for", "the cup has a fault: ")
"""What a reason begins with that the state says as well."""


def cup_line(cup: Mapping[str, Any] | None) -> dict[str, str] | None:
    """`state` for its colour, `text`, and why; None where no cup is used."""
    if cup is None:
        return None
    state = cup["state"] if cup["state"] in STATES else LOOKED_FOR
    why = cup["why"]
    for said in ALREADY_SAID:
        why = why.removeprefix(said)
    if cup["disagrees"] is not None:
        return {"state": "disagrees", "text": gettext("Which dice count?"), "why": _two(cup)}
    if state == "words":
        return {"state": state, "text": gettext(STATES[state]), "why": _awaits(cup)}
    why = words.sentence(why) or _sealed(cup)
    return {"state": state, "text": gettext(STATES[state]), "why": why}


def _awaits(cup: Mapping[str, Any]) -> str:
    """Where the words are said, and what to write down before."""
    return gettext(
        "its fingerprint begins with %(begins)s; the players say a word each at the desk",
        begins=_begins(cup),
    )


def _sealed(cup: Mapping[str, Any]) -> str:
    """What each player can look at before the first roll: that it is his word that was taken."""
    if not any(cup["words"] or ()):
        return ""
    light, dark = (word or gettext("none") for word in cup["words"])
    return gettext(
        "fingerprint %(begins)s; words: %(light)s (light), %(dark)s (dark)",
        begins=_begins(cup),
        light=light,
        dark=dark,
    )


def _begins(cup: Mapping[str, Any]) -> str:
    return " ".join(wrap(cup["commitment"][:BEGINS], 4))


def _two(cup: Mapping[str, Any]) -> str:
    both = {name: words.dice(cup["disagrees"][name]) for name in ("cup", "seen")}
    return gettext("The cup rolled %(cup)s, the dice on the board show %(seen)s", **both)
