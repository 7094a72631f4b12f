"""Crazy gulbar: every double from d to 6; what is left of them the opponent plays.

Inside home until the last checker has come home; when it came on the fourth move of a kush, one
kush more is played. Only the die of its own point bears off. Public texts
call this game Gul Bara.
"""

from typing import Final

from engine.rules.house import Doubles, HomeMoves, HouseRules, LeftoverMoves
from engine.rules.narde import narde_like

CRAZY_GULBAR: Final = narde_like(
    "crazy_gulbar",
    "Crazy gulbar",
    HouseRules(
        in_passing=False,
        exact=True,
        inside=HomeMoves.UNTIL_HOME,
        doubles=Doubles(rising=True, one_kush_more=True, passing=LeftoverMoves.CHAIN),
    ),
)
