"""What a die rests on, and whether it lies flat: where it is first, how it looks second."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.layout import Layout
from calibration.pose import Pose
from engine.evidence import Surface

Floats = NDArray[np.float64]

SIDE: Final = 0.0265
"""Side of a usual die in field widths: 12.5-16 mm on boards 53-61 cm wide."""
FRAME: Final = 0.05
"""Width of the frame beyond a rail in field widths (2.4-3 cm of 58); trays count as table."""
_LEANS: Final = 0.97  # sides from the middle of the upper face to what a die leans on: in 64 odd
_SPREAD: Final = 0.04  # stills the flat dice kept 0.99 and more, the cocked ones came to 0.2-1.02
_DOUBT: Final = 0.03  # a die may lie flat against a checker, or lean on a thing that nobody sees


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

    def flatness(self, place: tuple[float, float]) -> float:
        """Probability that a die with its middle there lies flat: that it leans on nothing."""
        if self.surface(place) is not Surface.BOARD:
            return 1 - _DOUBT
        x, y = place
        aspect = self.pose.aspect
        bar = abs(abs(x - 0.5) - self.layout.bar / 2)
        rails = (x, 1 - x, y * aspect, (1 - y) * aspect)
        sides = min(*rails, bar, *self._gaps(place)) / SIDE
        free = 1 / (1 + math.exp((_LEANS - sides) / _SPREAD))
        return min(max(free, _DOUBT), 1 - _DOUBT)

    def _gaps(self, place: tuple[float, float]) -> Floats:
        """(N,) field widths from `place` to the rim of each checker; below 0 on top of it."""
        apart = (self.checkers[:, :2] - place) * (1, self.pose.aspect)
        return np.asarray(np.linalg.norm(apart, axis=1) - self.checkers[:, 2])
