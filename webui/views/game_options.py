"""The options of each game as forms offer them, every choice with one line of explanation."""

from __future__ import annotations

from typing import Final

from typing_extensions import TypedDict

from engine.rules import VARIANTS, Rules, option_values
from webui.i18n.locale import N_, gettext

OPTION_TITLES: Final = {
    "preset": N_("Version"),
    "scoring": N_("Scoring"),
    "last_roll_draw": N_("Last roll"),
    "next_starter": N_("Next game"),
}
CHOICES: Final = {
    "preset": {
        "classic000": (
            N_("Classic"),
            N_("One checker leaves the head each turn; two if a first 6-6, 4-4 or 3-3 needs it."),
        ),
        "classic002": (
            N_("Classic, more exceptions"),
            N_(
                "The second player may also take two off the head for 5-5 or 6-2 after a first "
                "2-1, 6-2 or 5-5."
            ),
        ),
        "site_classic": (
            N_("Classic, rows in passing"),
            N_("A row of six may be made in passing: only the end of the turn counts."),
        ),
        "home_block": (
            N_("Strict rows"),
            N_("A row of six is allowed only with an opposing checker in its home."),
        ),
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
}
"""The title and the explanation of every value of an option, by its name in JSON."""


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
    choices: list[Choice]


def game_options() -> dict[str, list[Option]]:
    """The options of every variant that has some, by its name."""
    return {name: found for name, rules in VARIANTS.items() if (found := _options(rules))}


def _options(rules: Rules) -> list[Option]:
    return [_option(name, values) for name, values in option_values(rules).items()]


def _option(name: str, values: tuple[str, ...]) -> Option:
    known = [Choice(value=one, title=_title(name, one), note=_note(name, one)) for one in values]
    usual, note = known[0]["title"], known[0]["note"]
    explained = gettext("Usually: %(choice)s. %(note)s", choice=usual, note=note)
    left = Choice(value="", title=gettext("As in the rules"), note=explained)
    return Option(name=name, title=gettext(OPTION_TITLES[name]), choices=[left, *known])


def _title(option: str, value: str) -> str:
    return gettext(CHOICES[option][value][0])


def _note(option: str, value: str) -> str:
    return gettext(CHOICES[option][value][1])
