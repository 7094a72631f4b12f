"""The variants: `VARIANTS` by name, and `find_rules`."""

from typing import Final

from engine.errors import UnknownVariant
from engine.rules.base import Found, Outcome, Rules, Score, Search, side_vector
from engine.rules.hypergammon import HYPERGAMMON
from engine.rules.longgammon import LONGGAMMON
from engine.rules.nackgammon import NACKGAMMON
from engine.rules.short import SHORT

VARIANTS: Final = {rules.name: rules for rules in (SHORT, NACKGAMMON, HYPERGAMMON, LONGGAMMON)}
"""Every variant by the name that files and commands use."""


def find_rules(name: str) -> Rules:
    """The rules of this name; `UnknownVariant` lists the names that there are."""
    rules = VARIANTS.get(name)
    if rules is None:
        raise UnknownVariant(f"there is no variant {name!r}; known: {', '.join(VARIANTS)}")
    return rules


__all__ = [
    "SHORT",
    "VARIANTS",
    "Found",
    "Outcome",
    "Rules",
    "Score",
    "Search",
    "find_rules",
    "side_vector",
]
