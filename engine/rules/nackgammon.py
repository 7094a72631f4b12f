"""Nackgammon: two more back checkers, and one fewer on the midpoint and the six point."""

from typing import Final

from engine.rules.base import Rules, side_vector

NACKGAMMON: Final = Rules(
    "nackgammon", "Nackgammon", side_vector({24: 2, 23: 2, 13: 4, 8: 3, 6: 4})
)
