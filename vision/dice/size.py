"""The size of the dice: a trained net measures each, and all dice of a set are alike.

Dice of 10 to 20 mm are used on boards 36 to 60 cm wide, and nets that learned one size misread
another: a six that is 1.5 times as large passes for a four. `vision/training/train/size.py` trains
the net.
"""

from __future__ import annotations

from math import dist
from typing import Final, NamedTuple

import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Image
from engine.evidence.still_period import SAME_PLACE
from vision.dice.views import cut_crops
from vision.nets import load_net

LOG_SIZE_STEP: Final = float(np.log(1.06))
"""Resolution of the log size: after each step all dice are read again."""
MAX_SIZE_STEPS: Final = 10
"""Maximum number of steps from the usual size, down or up: 0.56 to 1.8 times."""
MIN_MEASURED_PROBABILITY: Final = 0.9
"""Probability of being a die from which its size counts: other objects may stay in view for
long."""
MAX_MEASURED_DICE: Final = 24
"""Number of dice after which no more are measured."""
SIZE_ITERATIONS: Final = 2
"""Measurements of each die: the second at the size found by the first."""
TOLERATED_STEPS: Final = 2
"""Steps that the die net tolerates: it learned from dice of 0.7 to 1.4 times the usual size."""


class _Measured(NamedTuple):
    """A possible die."""

    place: Floats
    """(2,) field coordinates."""
    log_size: float
    """Logarithm of its side relative to the usual one."""


class DieSize:
    """The size of the dice in use, measured over successive pictures."""

    def __init__(self) -> None:
        self._confirmed: list[_Measured] = []
        self._newest: list[_Measured] = []

    @property
    def side(self) -> float:
        """The dice's side in field widths; the usual one until a die has been measured."""
        return USUAL_DIE_SIDE * float(np.exp(LOG_SIZE_STEP * self._steps))

    @property
    def rough_side(self) -> float:
        """The usual side unless the dice are far from it, lest views change with each step."""
        return USUAL_DIE_SIDE if self.is_usual else self.side

    @property
    def is_usual(self) -> bool:
        """Whether the dice are close enough to the usual size for the die net."""
        return abs(self._steps) <= TOLERATED_STEPS

    @property
    def _steps(self) -> int:
        log_sizes = [one.log_size for one in self._confirmed or self._newest]
        return round(float(np.median(log_sizes)) / LOG_SIZE_STEP) if log_sizes else 0

    def measure(self, image: Image, pose: Pose, places: Floats) -> None:
        """Measure possible dice; this counts once `confirm` has kept any.

        `image`: (H, W, 3) uint8 BGR of the size of `pose`, which is not mirrored; `places`: (N, 2)
        field coordinates at the height of a typical die.
        """
        if len(self._confirmed) < MAX_MEASURED_DICE:
            log_sizes = _measure_log_sizes(image, pose, places)
            self._newest = list(map(_Measured, places, log_sizes))

    def confirm(self, die_probabilities: Floats) -> None:
        """Keep the newest measurements of what are certainly dice, once for each place.

        What only looks like a die stays where it is, while dice are thrown to other places.
        `die_probabilities`: (N,) in the order of `measure`, at the size at which each is likelier.
        """
        if len(self._confirmed) < MAX_MEASURED_DICE:
            for one, chance in zip(self._newest, die_probabilities, strict=True):
                if chance > MIN_MEASURED_PROBABILITY and not self._has_measured(one.place):
                    self._confirmed.append(one)

    def _has_measured(self, place: Floats) -> bool:
        return any(dist(place, one.place) < SAME_PLACE for one in self._confirmed)


def _measure_log_sizes(image: Image, pose: Pose, places: Floats) -> list[float]:
    """Logarithm of each die's side relative to the usual one, for the dice at (N, 2) places."""
    pixels, log_sizes = pose.project(places, USUAL_DIE_SIDE), np.zeros(len(places))
    limit = LOG_SIZE_STEP * MAX_SIZE_STEPS
    for _ in range(SIZE_ITERATIONS):
        crops = np.concatenate([
            cut_crops(image, pose, pose.locate(pixel[None], side), side)
            for pixel, side in zip(pixels, USUAL_DIE_SIDE * np.exp(log_sizes), strict=True)
        ])  # fmt: skip
        changes = load_net("die_size")(crops)[:, 0]
        log_sizes = np.clip(log_sizes + changes, -limit, limit)
        if np.abs(changes).max(initial=0) < TOLERATED_STEPS * LOG_SIZE_STEP:
            break
    return [float(size) for size in log_sizes]
