"""Other programs' names for our variants."""

from __future__ import annotations

from functools import cache
from typing import Final

from engine.rules import VARIANTS

_ALIASES: Final = {
    "hyperbackgammon": "hypergammon",
    "longnarde": "narde",
    "standard": "short",
}
GNUBG_TITLES: Final = {
    "short": "Backgammon",
    "nackgammon": "NackGammon",
    "hypergammon": "HyperGammon (3)",
}
"""The spellings that gnubg 1.07 knows in `; [Variation "..."]`; it takes others for backgammon."""
GNUBG_RULES: Final = {"nackgammon": "Nackgammon", "hypergammon": "Hypergammon3"}
"""The same for RU in its SGF."""
SGF_RULES: Final = {**GNUBG_RULES, "longgammon": "Longgammon"}
"""These and our own words for RU, which gnubg 1.07 ignores."""

BGBLITZ: Final = ("short", *SGF_RULES)
"""Those whose matches BGBlitz writes; its files tell them by the starting position only."""


def variation_title(variant: str) -> str:
    """The name of a variant for a file header."""
    return GNUBG_TITLES.get(variant) or VARIANTS[variant].title


def find_variant(title: str) -> str | None:
    """The variant that a name in a file stands for; None if unknown."""
    return _by_letters().get(_letters(title))


@cache
def _by_letters() -> dict[str, str]:
    titles = {_letters(rules.title): name for name, rules in VARIANTS.items()}
    return {**_ALIASES, **titles, **{_letters(name): name for name in VARIANTS}}


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalpha())
