"""What a die rests on, and whether it lies flat: where it is first, how it looks second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.layout import Layout
from calibration.pose import Pose
from engine.evidence import Surface
from vision.die_template import SIDE

Floats = NDArray[np.float64]

FRAME: Final = 0.05
"""Width of the frame beyond a rail in field widths (2.4-3 cm of 58); trays count as table."""
_REACH: Final = 0.6 * SIDE  # from the middle of a die to what it leans on: between side and corner


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

    def is_touching(self, place: tuple[float, float]) -> bool:
        """Whether a die with its middle there reaches a checker, the bar or a rail."""
        x, y = place
        aspect = self.pose.aspect
        bar = abs(abs(x - 0.5) - self.layout.bar / 2)
        rails = (abs(x), abs(1 - x), abs(y) * aspect, abs(1 - y) * aspect)
        nearest = min(*rails, bar, *np.abs(self._gaps(place)))
        return bool(nearest < _REACH)

    def _gaps(self, place: tuple[float, float]) -> Floats:
        """(N,) field widths from `place` to the rim of each checker; below 0 on top of it."""
        apart = (self.checkers[:, :2] - place) * (1, self.pose.aspect)
        return np.asarray(np.linalg.norm(apart, axis=1) - self.checkers[:, 2])
