"""The options of each game as forms offer them, every choice with one line of explanation."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final, Literal

from typing_extensions import TypedDict

from engine.cube import STANDARD
from engine.rules import VARIANTS, Rules, option_values
from engine.ruleset import RULE_NOTES
from webui.i18n.locale import N_, gettext

OPTION_TITLES: Final = {
    "preset": N_("Version"),
    "scoring": N_("Scoring"),
    "last_roll_draw": N_("Last roll"),
    "next_starter": N_("Next game"),
    "swap_colors": N_("Colors"),
    "jacoby": N_("Jacoby rule"),
    "beavers": N_("Beavers"),
    "raccoons": N_("Raccoons"),
    "automatic_doubles": N_("Automatic doubles"),
    "crawford": N_("Crawford rule"),
    "holland": N_("Holland rule"),
}
CHOICES: Final = {
    "preset": {
        "classic000": (N_("Classic"), RULE_NOTES["classic000"].text),
        "classic002": (N_("Classic, more exceptions"), RULE_NOTES["classic002"].text),
        "site_classic": (N_("Classic, rows in passing"), RULE_NOTES["site_classic"].text),
        "home_block": (N_("Strict rows"), RULE_NOTES["home_block"].text),
    },
    "scoring": {
        "oin_mars": (
            N_("Oin and mars"),
            N_("1 point if the loser has borne off a checker, 2 if none."),
        ),
        "koks3": (
            N_("Oin, mars and koks"),
            N_("3 points if the loser has borne off none and still has one in the first quarter."),
        ),
        "points_by_checkers": (
            N_("By checkers left"),
            N_("1 point for each checker that the loser has not borne off."),
        ),
        "seed000_beginner": (
            N_("For beginners"),
            N_("None off: 3 points if all are home, 2 if not. Otherwise 1 for each checker left."),
        ),
    },
    "last_roll_draw": {
        "false": (N_("No"), N_("Whoever bears off first wins.")),
        "true": (
            N_("Yes, for a draw"),
            N_("If the first player finishes, the second rolls once more, and may draw."),
        ),
    },
    "next_starter": {
        "opening": (N_("By opening roll"), N_("Each player rolls a die for it in every game.")),
        "winner": (N_("The winner begins"), N_("The winner of a game begins the next one.")),
        "previous_second": (
            N_("The other begins"),
            N_("Whoever did not begin a game begins the next one."),
        ),
    },
    "swap_colors": {
        "false": (N_("The same"), N_("Each player has the same color in every game.")),
        "true": (
            N_("Swapped"),
            N_("After each game the players swap colors; they may keep their seats."),
        ),
    },
    "jacoby": {
        "false": (N_("No"), N_("A gammon counts twice and a backgammon three times.")),
        "true": (N_("Yes"), N_("Gammons and backgammons count only if the cube was turned.")),
    },
    "beavers": {
        "false": (N_("No"), N_("A double can only be taken or dropped.")),
        "true": (N_("Yes"), N_("Whoever is doubled may redouble at once and keep the cube.")),
    },
    "raccoons": {
        "false": (N_("No"), N_("A beaver can only be taken or dropped.")),
        "true": (N_("Yes"), N_("Whoever doubled may answer a beaver by redoubling at once.")),
    },
    "automatic_doubles": {
        "0": (N_("None"), N_("A tie in the opening roll is rolled again, and nothing else.")),
        "1": (N_("One a game"), N_("The first tie in the opening roll doubles the stake.")),
        "2": (N_("Two a game"), N_("Each of the first two ties doubles the stake.")),
        "3": (N_("Three a game"), N_("Each of the first three ties doubles the stake.")),
    },
    "crawford": {
        "false": (N_("No"), N_("The cube may be turned in every game.")),
        "true": (N_("Yes"), N_("No doubling in the first game in which a player needs one point.")),
    },
    "holland": {
        "false": (N_("No"), N_("After the Crawford game, the cube may be turned at once.")),
        "true": (
            N_("Yes"),
            N_("After the Crawford game, no doubling before both have rolled twice."),
        ),
    },
}
"""The title and the explanation of every value of an option, by its name in JSON."""


_MONEY: Final = ("jacoby", "beavers", "raccoons", "automatic_doubles")
_MATCHES: Final = ("crawford", "holland")
"""Options of the cube that matter only there."""


class Choice(TypedDict):
    """One value of an option."""

    value: str
    """Empty to leave the option to the rule set."""
    title: str
    note: str


class Option(TypedDict):
    """One option of a game."""

    name: str
    title: str
    play: Literal["", "money", "match"]
    """Where it matters; empty: everywhere."""
    choices: list[Choice]


def game_options() -> dict[str, list[Option]]:
    """The options of every variant by its name, those of the cube last."""
    return {name: _options(rules) for name, rules in VARIANTS.items()}


def _options(rules: Rules) -> list[Option]:
    found = [_option(name, values) for name, values in option_values(rules).items()]
    if not rules.has_cube:
        return found
    usual = {name: str(value).lower() for name, value in asdict(STANDARD).items()}
    values = {name: sorted(CHOICES[name], key=lambda one: one != usual[name]) for name in usual}
    return [*found, *(_option(name, tuple(values[name])) for name in (*_MONEY, *_MATCHES))]


def _option(name: str, values: tuple[str, ...]) -> Option:
    known = [Choice(value=one, title=_title(name, one), note=_note(name, one)) for one in values]
    usual, note = known[0]["title"], known[0]["note"]
    explained = gettext("Usually: %(choice)s. %(note)s", choice=usual, note=note)
    left = Choice(value="", title=gettext("As in the rules"), note=explained)
    play: Literal["", "money", "match"] = ""
    if name in _MONEY or name in _MATCHES:
        play = "money" if name in _MONEY else "match"
    return Option(name=name, title=gettext(OPTION_TITLES[name]), play=play, choices=[left, *known])


def _title(option: str, value: str) -> str:
    return gettext(CHOICES[option][value][0])


def _note(option: str, value: str) -> str:
    return gettext(CHOICES[option][value][1])
