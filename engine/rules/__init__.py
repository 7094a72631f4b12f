"""The variants: `VARIANTS` by name, their presets, and `find_rules`."""

from typing import Final

from engine.errors import UnknownVariant
from engine.rules.base import GameOutcome, Rules
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
from engine.rules.narde import NARDE, NARDE_PRESETS
from engine.rules.nardgammon import NARDGAMMON
from engine.rules.short import SHORT

VARIANTS: Final = {
    rules.name: rules
    for rules in (
        *(SHORT, NACKGAMMON, HYPERGAMMON, LONGGAMMON, NARDE, NARDGAMMON, CRAZY_NARDE, GULBAR),
        *(CRAZY_GULBAR, KHACHAPURI, FEVGA, GIUL),
    )
}
"""Every variant by the name that files and commands use."""
PRESETS: Final = {NARDE.name: NARDE_PRESETS}
"""The house rules of a variant by name, starting with its own."""


def find_rules(name: str, preset: str | None = None) -> Rules:
    """The rules with this name, where `backgammon` means `short`.

    Raises `UnknownVariant`, which lists the known names.
    """
    rules = SHORT if name == "backgammon" else VARIANTS.get(name)
    if rules is None:
        raise UnknownVariant(f"there is no variant {name!r}; known: {', '.join(VARIANTS)}")
    return rules if preset is None else _find_preset(name, preset)


def _find_preset(name: str, preset: str) -> Rules:
    presets = PRESETS.get(name, {})
    if preset not in presets:
        known = f"known: {', '.join(presets)}" if presets else f"{name} has none"
        raise UnknownVariant(f"there is no preset {preset!r}: {known}")
    return presets[preset]


__all__ = [
    "NARDE_PRESETS", "PRESETS", "SHORT", "VARIANTS", "Doubles", "GameOutcome", "LeftoverMoves",
    "Rules", "TurnContext", "find_rules",
]  # fmt: skip
