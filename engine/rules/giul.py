"""Giul, crazy fevga: fevga with every double from d to 6.

What is left of a four that was begun the opponent plays; one that cannot be begun is lost. Moves
inside home are allowed; only the die of its own point bears off.
"""

from dataclasses import replace
from typing import Final

from engine.rules.fevga import FEVGA_HOUSE
from engine.rules.house import Doubles, LeftoverMoves
from engine.rules.narde import narde_like

GIUL: Final = narde_like(
    "giul",
    "Giul",
    replace(
        FEVGA_HOUSE, exact=True, doubles=Doubles(rising=True, passing=LeftoverMoves.STARTED_KUSH)
    ),
)
