"""What other programs call our variants."""

from __future__ import annotations

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
"""The spelling that gnubg 1.07 knows in `; [Variation "..."]`; it takes others for backgammon."""
GNUBG_RULES: Final = {"nackgammon": "Nackgammon", "hypergammon": "Hypergammon3"}
"""The same in RU of its SGF."""


def variation_title(variant: str) -> str:
    """The name of a variant for the head of a file."""
    return GNUBG_TITLES.get(variant) or VARIANTS[variant].title


def find_variant(title: str) -> str | None:
    """The variant that a file means by a name, or None if we know no such game."""
    wanted = _letters(title)
    known = {_letters(rules.title): name for name, rules in VARIANTS.items()}
    named = {_letters(name): name for name in VARIANTS}
    name = {**known, **named}.get(wanted) or _ALIASES.get(wanted)
    return name if name in VARIANTS else None


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalpha())
