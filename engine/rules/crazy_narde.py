"""Crazy narde, "madness": a double d is followed by d + 1 .. 6, four moves each.

One head checker for each four; a checker is borne off only with the die of its point, and nothing
moves inside home; what cannot be played is lost, not passed on. The block rule is that of Classic
on the same page.
"""

from typing import Final

from engine.rules.house import Doubles, HomeMoves, HouseRules
from engine.rules.narde import narde_like

CRAZY_NARDE: Final = narde_like(
    "crazy_narde",
    "Crazy narde",
    HouseRules(
        heads_each_kush=True,
        in_passing=False,
        exact=True,
        inside=HomeMoves.NEVER,
        doubles=Doubles(rising=True),
    ),
)
