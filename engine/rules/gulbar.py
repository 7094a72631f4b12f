"""Gulbar: a completed double gives another roll; what is left of one passes on.

Its source does not give head, block and bear-off: they are those of the same page's Classic.
"""

from typing import Final

from engine.rules.house import Doubles, HouseRules, LeftoverMoves
from engine.rules.narde import narde_like

GULBAR: Final = narde_like(
    "gulbar",
    "Gulbar",
    HouseRules(in_passing=False, doubles=Doubles(passing=LeftoverMoves.KUSH, rolls_again=True)),
)
