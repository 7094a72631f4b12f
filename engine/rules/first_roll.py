"""What is known of a game beyond its board: the opponent's first roll.

By some rules of narde it decides how many checkers may leave the head in a player's first turn.
Different rolls can lead to one board, so the board alone does not tell it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from engine.dice import Roll
from engine.rules.base import Rules
from engine.rules.circling import CirclingSearch
from engine.rules.house import as_pips


def depends_on_first_roll(rules: Rules) -> bool:
    """Whether a player's first turn depends on what the opponent rolled first."""
    return isinstance(rules.search, CirclingSearch) and rules.search.house.depends_on_first_roll


@lru_cache(maxsize=64)
def knowing_first_roll(rules: Rules, roll: Roll) -> Rules:
    """The rules for the reply of a player whose opponent rolled this first."""
    search = rules.search
    if not isinstance(search, CirclingSearch) or not depends_on_first_roll(rules):
        return rules
    return replace(rules, search=replace(search, opponents_first=as_pips(roll)))
