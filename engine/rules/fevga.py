"""Fevga (dorogaved and brainking agree): one checker runs first, alone.

Once it has passed the opponent's head, any number may leave their own. Six in a row are allowed,
but not on the own starting quarter, nor in front of a point with all fifteen of the opponent; both
are checked when the turn, or four moves of a double, ends.
"""

from typing import Final

from engine.rules.house import HouseRules, SixPrime
from engine.rules.narde import narde_like

FEVGA_HOUSE: Final = HouseRules(heads=0, block=SixPrime.FEVGA, in_passing=False, one_runner=True)
FEVGA: Final = narde_like("fevga", "Fevga", FEVGA_HOUSE)
