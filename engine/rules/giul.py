"""Giul, crazy fevga: fevga with every double from d to 6.

The opponent plays what is left of a four that was begun; one that cannot be begun is lost. Moves
inside home are allowed; a checker is borne off only with the die of its point.
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
