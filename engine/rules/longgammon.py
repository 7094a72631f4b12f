"""Longgammon: all fifteen checkers start on the 24 point."""

from typing import Final

from engine.rules.base import Rules, side_vector

LONGGAMMON: Final = Rules("longgammon", "Longgammon", side_vector({24: 15}))
