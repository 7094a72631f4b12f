"""Nardgammon: narde in which a row of six is forbidden at any moment of the turn."""

from typing import Final

from engine.rules.house import HouseRules
from engine.rules.narde import narde_like

NARDGAMMON: Final = narde_like("nardgammon", "Nardgammon", HouseRules(in_passing=True))
