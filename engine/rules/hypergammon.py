"""Hypergammon: three checkers a side; the twelve never in play count as borne off."""

from typing import Final

from engine.rules.base import Rules, side_vector

HYPERGAMMON: Final = Rules("hypergammon", "Hypergammon", side_vector({24: 1, 23: 1, 22: 1}))
