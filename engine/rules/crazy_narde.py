"""Crazy narde, "madness": a double d is followed by d + 1 .. 6, four moves each.

One head checker for each four; only the die of its own point bears off and nothing moves inside
home; what cannot be played is lost, not passed on. The block is that of the same page's Classic.
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
