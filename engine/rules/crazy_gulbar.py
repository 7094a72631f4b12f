"""Crazy gulbar: every double from d to 6; the opponent plays what is left of them.

Moves inside home are allowed until the last checker has come home; if it came on the fourth move of
a kush, one more kush is played. A checker is borne off only with the die of its point. Public texts
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
