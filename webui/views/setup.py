"""The set-up as the page shows it: its state in the reader's language, games and rule sets."""

from __future__ import annotations

from typing import Final

from engine import RULE_SETS
from engine.rules import VARIANTS
from engine.ruleset import RULE_NOTES
from webui.contracts.setup import CountedBoard, SetupState
from webui.contracts.state import Board, State, blank_state
from webui.i18n.locale import N_, gettext
from webui.i18n.messages import translate
from webui.views import phrases as words
from webui.views.board import as_shown

GAME_NOTES: Final = {
    "short": N_("The usual game: the sides move toward each other, and single checkers are hit."),
    "nackgammon": N_("Backgammon with four back checkers and four on the midpoint and six point."),
    "hypergammon": N_("Backgammon with three checkers a side, on the 24, 23 and 22 points."),
    "longgammon": N_("Backgammon with all fifteen checkers on the 24 point."),
    "narde": N_(
        "Both sides move the same way, and nothing is hit: one checker holds a point. One checker "
        "leaves the head each turn."
    ),
    "nardgammon": N_("Narde in which six points in a row are forbidden at any moment of the turn."),
    "crazy_narde": N_(
        "Narde in which a double goes on with every higher double, four moves each. What cannot "
        "be played is lost."
    ),
    "gulbar": N_(
        "Narde in which a completed double gives another roll; of any other, the opponent plays "
        "what is left."
    ),
    "crazy_gulbar": N_(
        "Narde in which a double goes on with every higher double; the opponent plays what is left."
    ),
    "khachapuri": N_(
        "Gulbar with eleven checkers on the six point and any number off the head. Each checker "
        "left counts a point."
    ),
    "fevga": N_(
        "One checker runs first, alone, until it has passed the opponent's head. Six in a row are "
        "allowed, but not in the own first quarter."
    ),
    "giul": N_(
        "Fevga in which a double goes on with every higher double; the opponent plays what is left "
        "of a four that was begun."
    ),
}
"""What is special about each variant, in one line."""
RULE_TITLES: Final = {
    "": N_("House rules"),
    "usual": N_("usual"),
    "casual": N_("Casual"),
    "seeds": N_("Traditional"),
    "us2009": N_("US rules, 2009"),
    "usbgf": N_("USBGF"),
    "wbgf": N_("WBGF"),
    "ukbgf": N_("UKBGF"),
    "narde": N_("Narde"),
}


def games() -> list[tuple[str, str, str]]:
    """The name of every game, its display name, and a line of explanation."""
    return [(name, words.variant_name(name), gettext(GAME_NOTES[name])) for name in VARIANTS]


def rule_sets() -> list[tuple[str, str, str]]:
    """The name of every rule set, its display name, and a line of explanation.

    The named house rules of narde are among the options of that game.
    """
    return [(name, rules_name(name), translate(RULE_NOTES[name])) for name in ("", *RULE_SETS)]


def rules_name(name: str) -> str:
    """The display name of a rule set."""
    known = RULE_TITLES.get(name)
    return name if known is None else gettext(known)


def state_shown(state: SetupState) -> SetupState:
    """The state, with the reading in the form that the page draws."""
    read = state["read"]
    if read is None:
        return state
    drawn: State = {
        **blank_state(),
        "position": _board(read["position"]),
        "colours": read["colours"] or blank_state()["colours"],
    }
    return {**state, "shown": as_shown(drawn)["shown"]}


def _board(counted: CountedBoard) -> Board:
    board = Board(light=counted["light"], dark=counted["dark"])
    if counted["course"] == "circling":
        board["course"] = "circling"
    return board
