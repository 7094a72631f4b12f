"""Short backgammon, the game that the defaults of `Rules` describe."""

from typing import Final

from engine.rules.base import Rules, side_vector

SHORT: Final = Rules("short", "Backgammon", side_vector({24: 2, 13: 5, 8: 3, 6: 5}))
