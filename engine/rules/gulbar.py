"""Gulbar: a completed double gives another roll; what is left of one passes on.

Its source does not specify head, block and bear-off rules; those of Classic on the same page are
used.
"""

from typing import Final

from engine.rules.house import Doubles, HouseRules, LeftoverMoves
from engine.rules.narde import narde_like

GULBAR: Final = narde_like(
    "gulbar",
    "Gulbar",
    HouseRules(in_passing=False, doubles=Doubles(passing=LeftoverMoves.KUSH, rolls_again=True)),
)
