"""The line that shows the state of the dice cup or of dice with Bluetooth, on both pages."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

from typing_extensions import TypedDict

from engine.message import Message, Sentence
from webui.contracts.state import CupDisagreement, CupShown, DieCharge
from webui.i18n.locale import N_, gettext, pgettext
from webui.views import phrases

SEARCHING: Final = "searching"
STATES: Final = {
    "ready": N_("The cup is ready"),
    "rolling": N_("The cup is waiting for the roll"),
    SEARCHING: N_("Looking for the cup"),
    "fault": N_("The cup has a fault"),
    "lost": N_("The cup is disconnected"),
    "aside": N_("The cup is set aside"),
    "words": N_("The cup has committed"),
    "busy": N_("The cup is busy"),
    "revealed": N_("The cup has revealed its seed"),
}
DICE_STATES: Final = {
    "ready": N_("The dice are ready"),
    "rolling": N_("The dice are rolling"),
    SEARCHING: N_("Looking for the dice"),
    "lost": N_("The dice are out of reach"),
    "aside": N_("The dice are set aside"),
}
BEGINS: Final = 24
"""Hex digits of a fingerprint to write down: two that begin alike take 2^48 tries to find."""
IMPLIED: Final = "searching"
FAULT: Final = "the cup has a fault: "
"""Beginnings of reasons that repeat the text of the state."""


class CupLine(TypedDict):
    """The cup's state in words; `state` names its color."""

    state: str
    text: str
    why: str


def cup_line(cup: CupShown | None) -> CupLine | None:
    """The state of the cup or the dice, and why; None if there are none."""
    if cup is None:
        return None
    if cup["kind"] != "cup":
        return _dice_line(cup)
    state = cup["state"] if cup["state"] in STATES else SEARCHING
    if cup["disagrees"] is not None:
        why = _disagreement(cup["disagrees"])
        return CupLine(state="disagrees", text=gettext("Which dice count?"), why=why)
    if state == "words":
        return CupLine(state=state, text=gettext(STATES[state]), why=_awaited_words(cup))
    why = phrases.sentence(_reason(cup["why"])) or _sealed_words(cup)
    return CupLine(state=state, text=gettext(STATES[state]), why=why)


def _dice_line(dice: CupShown) -> CupLine:
    """The state of dice with Bluetooth: what is wrong, and each battery."""
    state = dice["state"] if dice["state"] in DICE_STATES else SEARCHING
    why = phrases.sentence(_reason(dice["why"]))
    parts = [why, *(_charge(one) for one in dice["charges"])]
    text = gettext(DICE_STATES[state])
    return CupLine(state=state, text=text, why=" · ".join(part for part in parts if part))


def _charge(die: DieCharge) -> str:
    """A die and its battery."""
    if die["percent"] is None:
        return die["name"]
    known = {"name": die["name"], "percent": f"{die['percent']} %"}
    if die["is_low"]:
        return gettext("%(name)s: %(percent)s, charge it soon", **known)
    return gettext("%(name)s: %(percent)s", **known)


def _reason(why: Sentence) -> Sentence:
    """The reason without what the text of the state already says."""
    if isinstance(why, Message) and why.text.startswith(FAULT):
        (fault,) = why.values.values()
        return fault if isinstance(fault, Message) else str(fault)
    return "" if str(why) == IMPLIED else why


def _awaited_words(cup: CupShown) -> str:
    """Where the players' words are entered, and what to write down first."""
    return gettext(
        "its fingerprint begins with %(begins)s; each player enters a word at the desk",
        begins=_fingerprint(cup),
    )


def _sealed_words(cup: CupShown) -> str:
    """The words that were entered, for each player to check before the first roll."""
    if not any(cup["words"] or ()):
        return ""
    light, dark = (word or pgettext("words", "none") for word in cup["words"] or ())
    return gettext(
        "fingerprint %(begins)s; words: %(light)s (light), %(dark)s (dark)",
        begins=_fingerprint(cup),
        light=light,
        dark=dark,
    )


def _fingerprint(cup: CupShown) -> str:
    return " ".join(wrap(cup["commitment"][:BEGINS], 4))


def _disagreement(rolls: CupDisagreement) -> str:
    return gettext(
        "The cup rolled %(cup)s, the dice on the board show %(seen)s",
        cup=phrases.dice(rolls["cup"]),
        seen=phrases.dice(rolls["seen"]),
    )
