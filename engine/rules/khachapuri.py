"""Khachapuri, Tbilisi narde: gulbar with eleven checkers on the six point.

Any number may leave the head; the score is the number of checkers not borne off.
"""

from typing import Final

from engine.rules.base import side_vector
from engine.rules.house import Doubles, HouseRules, LeftoverMoves
from engine.rules.narde import by_checkers, narde_like

KHACHAPURI: Final = narde_like(
    "khachapuri",
    "Khachapuri",
    HouseRules(
        heads=0, in_passing=False, doubles=Doubles(passing=LeftoverMoves.KUSH, rolls_again=True)
    ),
    start=side_vector({24: 4, 6: 11}),
    score=by_checkers,
)
