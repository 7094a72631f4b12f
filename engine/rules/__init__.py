"""The variants: `VARIANTS` by name, their presets and scorings, and `find_rules`."""

from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, TypeVar

from engine.errors import InvalidScore, UnknownVariant
from engine.position import Course
from engine.rules.base import GameOutcome, Rules, Scoring
from engine.rules.crazy_gulbar import CRAZY_GULBAR
from engine.rules.crazy_narde import CRAZY_NARDE
from engine.rules.fevga import FEVGA
from engine.rules.giul import GIUL
from engine.rules.gulbar import GULBAR
from engine.rules.house import Doubles, LeftoverMoves, TurnContext
from engine.rules.hypergammon import HYPERGAMMON
from engine.rules.khachapuri import KHACHAPURI
from engine.rules.longgammon import LONGGAMMON
from engine.rules.nackgammon import NACKGAMMON
from engine.rules.narde import NARDE, NARDE_PRESETS, SCORINGS
from engine.rules.nardgammon import NARDGAMMON
from engine.rules.short import SHORT
from engine.ruleset import LONGEST_MATCH, NO_OPTIONS, GameOptions, NextStarter

VARIANTS: Final = {
    rules.name: rules
    for rules in (
        *(SHORT, NACKGAMMON, HYPERGAMMON, LONGGAMMON, NARDE, NARDGAMMON, CRAZY_NARDE, GULBAR),
        *(CRAZY_GULBAR, KHACHAPURI, FEVGA, GIUL),
    )
}
"""Every variant by the name that files and commands use."""
_T = TypeVar("_T")
PRESETS: Final = {NARDE.name: NARDE_PRESETS}
"""The house rules of a variant by name, starting with its own."""


@lru_cache(maxsize=64)
def find_rules(name: str, options: GameOptions = NO_OPTIONS) -> Rules:
    """The rules with this name, where `backgammon` means `short`, and with these options.

    The variant and the length among the options do not matter. Raises `UnknownVariant`, which lists
    the known names.
    """
    rules = SHORT if name == "backgammon" else VARIANTS.get(name)
    if rules is None:
        raise UnknownVariant(f"there is no variant {name!r}; known: {', '.join(VARIANTS)}")
    if options.preset is not None:
        rules = _named("preset", options.preset, PRESETS.get(rules.name, {}), rules)
    changes: dict[str, Any] = {
        "last_roll_draw": options.last_roll_draw,
        "next_starter": options.next_starter,
        "swap_colors": options.swap_colors,
    }
    if options.scoring is not None:
        changes["score"] = _named("scoring", options.scoring, scorings(rules), rules)
    changes = {field: value for field, value in changes.items() if value is not None}
    return replace(rules, **changes) if changes else rules


def check_new_match(rules: Rules, length: object) -> None:
    """Raise `InvalidScore` or `UnknownVariant` if no match begins so; recorded ones stay readable.

    Only narde and its kin have a draw by the last roll.
    """
    if type(length) is not int or not 0 <= length <= LONGEST_MATCH:
        raise InvalidScore(
            f"a match has 1 to {LONGEST_MATCH} points, or 0 for money play, not {length!r:.40}"
        )
    if rules.last_roll_draw and rules.course is Course.OPPOSED:
        raise UnknownVariant(f"{rules.name} has no draw by the last roll: omit last_roll_draw")


def scorings(rules: Rules) -> dict[str, Scoring]:
    """The scoring systems that these rules can have, by name; none for short backgammon's kin."""
    return SCORINGS if rules.course is Course.CIRCLING else {}


def option_values(rules: Rules) -> dict[str, tuple[str, ...]]:
    """What each option of these rules may be, as in JSON, the usual value first.

    Only narde and its kin are played in several ways.
    """
    if rules.course is not Course.CIRCLING:
        return {}
    usual = {
        "preset": next(iter(PRESETS.get(rules.name, {})), ""),
        "scoring": next(name for name, score in SCORINGS.items() if score is rules.score),
        "last_roll_draw": "true" if rules.last_roll_draw else "false",
        "next_starter": rules.next_starter.value,
        "swap_colors": "true" if rules.swap_colors else "false",
    }
    values = {
        "preset": PRESETS.get(rules.name, ()),
        "scoring": SCORINGS,
        "last_roll_draw": ("false", "true"),
        "next_starter": [one.value for one in NextStarter],
        "swap_colors": ("false", "true"),
    }
    return {
        name: (usual[name], *(one for one in known if one != usual[name]))
        for name, known in values.items()
        if known
    }


def _named(kind: str, name: str, values: dict[str, _T], rules: Rules) -> _T:
    if name not in values:
        known = f"known: {', '.join(values)}" if values else f"{rules.name} has none"
        raise UnknownVariant(f"there is no {kind} {name!r}: {known}")
    return values[name]


__all__ = [
    "NARDE_PRESETS", "PRESETS", "SCORINGS", "SHORT", "VARIANTS", "Doubles", "GameOutcome",
    "LeftoverMoves", "Rules", "TurnContext", "check_new_match", "find_rules",
    "option_values", "scorings",
]  # fmt: skip
