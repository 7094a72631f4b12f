"""What a die rests on, and whether there is anything that it may lean on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import expit

from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats
from engine.evidence.observation import Surface

SIDE: Final = 0.0265
"""Side of a usual die in field widths: 12.5-16 mm on boards 53-61 cm wide."""
FRAME: Final = 0.05
"""Width of the frame beyond a rail in field widths (2.4-3 cm of 58); trays count as table."""
_LEANS: Final = 0.97
"""Die sides from the middle of the upper face to the rim of the checker that it leans on, at
most."""
_AT_WALL: Final = 1.2
"""... and to a rail or to the bar, which stop its upper edge: half its width and all of its height,
seen from above at 55 degrees, and what the board's own edges are amiss."""
_SPREAD: Final = 0.04
_TOUCHING: Final = (0.15, 0.95)
"""Shares of the dice that lie flat, and of those that lean, which have something within reach: of
60 flat ones in real photos 6 had; what a die leans on may be out of sight."""


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What stands on the board while the dice lie on it."""

    pose: Pose
    layout: Layout
    checkers: Floats
    """(N, 3) field x, field y, and radius in field widths; empty where nothing is known."""

    def surface(self, place: tuple[float, float]) -> Surface:
        """What lies under the middle of a die at field coordinates `place`."""
        x, y = place
        beyond = max(-x, x - 1, -y * self.pose.aspect, (y - 1) * self.pose.aspect)
        if beyond > 0:
            return Surface.FRAME if beyond < FRAME else Surface.TABLE
        if np.any(self._gaps(place) < 0):
            return Surface.CHECKER
        return Surface.BAR if abs(x - 0.5) < self.layout.bar / 2 else Surface.BOARD

    def flat_odds(self, place: tuple[float, float], side: float = SIDE) -> float:
        """Logarithm of how much likelier a flat die lies there than one that leans.

        place: of its middle, field coordinates; side: its own, field widths.
        """
        free = self._freedom(place, side) if self.surface(place) is Surface.BOARD else 1.0
        flat, leaning = (share * (1 - free) + (1 - share) * free for share in _TOUCHING)
        return math.log(flat / leaning)

    def _freedom(self, place: tuple[float, float], side: float) -> float:
        """Probability that a die with its middle there can lean on nothing."""
        x, y = place
        aspect = self.pose.aspect
        bar = abs(abs(x - 0.5) - self.layout.bar / 2)
        rails = (x, 1 - x, y * aspect, (1 - y) * aspect)
        walls, gaps = min(*rails, bar), self._gaps(place).min(initial=np.inf)
        beyond = min(walls / side - _AT_WALL, gaps / side - _LEANS)
        return float(expit(beyond / _SPREAD))

    def _gaps(self, place: tuple[float, float]) -> Floats:
        """(N,) field widths from `place` to the rim of each checker; below 0 on top of it."""
        apart = (self.checkers[:, :2] - place) * (1, self.pose.aspect)
        return np.asarray(np.linalg.norm(apart, axis=1) - self.checkers[:, 2])
