"""How large the dice on a board are: a trained net tells it of each, and all of a set are alike.

Dice of 10 to 20 mm lie on boards 36 to 60 cm wide, and nets that learnt one size read another one
badly: a six that is half as large again passes for a four. `vision/training/train/size.py` made
the net.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Image
from vision.dice.views import cut_crops
from vision.nets import load_net

LOG_SIZE_STEP: Final = float(np.log(1.06))
"""Of the logarithm: sizes are told in such steps, for what was seen at one must be seen anew."""
MAX_SIZE_STEPS: Final = 10
"""From the usual size, smaller or larger: 0.56 to 1.8 times."""
MIN_MEASURED_PROBABILITY: Final = 0.9
"""Probability of being a die from which its size is kept: what passes for one may stay for long."""
MAX_MEASURED_DICE: Final = 24
"""Dice after which no more are measured."""
SIZE_ITERATIONS: Final = 2
"""Looks at each die: the second at the size that the first one told, if that is more than a little
off. On drawn scenes one look from each side told it no better."""
TOLERATED_STEPS: Final = 2
"""Steps that the die net bears: it learnt from dice of 0.7 to 1.4 times the usual size."""


class DieSize:
    """What was seen of the dice in use, picture after picture."""

    def __init__(self) -> None:
        self._kept: list[float] = []
        self._newest: list[float] = []

    @property
    def side(self) -> float:
        """The dice's side, field widths; the usual one before any die was measured."""
        return USUAL_DIE_SIDE * float(np.exp(LOG_SIZE_STEP * self._steps))

    @property
    def rough_side(self) -> float:
        """The usual side unless the dice are far from it: with each step looks would change."""
        return USUAL_DIE_SIDE if self.is_usual else self.side

    @property
    def is_usual(self) -> bool:
        """Whether the dice are about as large as those that tell what a die is."""
        return abs(self._steps) <= TOLERATED_STEPS

    @property
    def _steps(self) -> int:
        told = self._kept or self._newest
        return round(float(np.median(told)) / LOG_SIZE_STEP) if told else 0

    def measure(self, image: Image, seen: Pose, places: Floats) -> None:
        """Look at what may be dice, whatever their size; before any was kept it counts.

        image: (H, W, 3) uint8 BGR of the size of `seen`, which is not mirrored; places: (N, 2)
        field coordinates at the height of a usual die.
        """
        if len(self._kept) < MAX_MEASURED_DICE:
            self._newest = _logarithms(image, seen, places)

    def keep(self, chances: Floats) -> None:
        """What was measured of those that are surely dice, read at their size, counts from now on.

        chances: (N,) their probabilities of being dice, in the order in which they were measured.
        """
        if len(self._kept) < MAX_MEASURED_DICE:
            pairs = zip(self._newest, chances, strict=True)
            self._kept += [told for told, chance in pairs if chance > MIN_MEASURED_PROBABILITY]


def _logarithms(image: Image, seen: Pose, places: Floats) -> list[float]:
    """Of how many times a usual die's side the side is of each die at (N, 2) places."""
    pixels, told = seen.project(places, USUAL_DIE_SIDE), np.zeros(len(places))
    for _ in range(SIZE_ITERATIONS):
        crops = np.concatenate([
            cut_crops(image, seen, seen.locate(pixel[None], side), side)
            for pixel, side in zip(pixels, USUAL_DIE_SIDE * np.exp(told), strict=True)
        ])  # fmt: skip
        more = load_net("die_size")(crops)[:, 0]
        told = np.clip(told + more, -LOG_SIZE_STEP * MAX_SIZE_STEPS, LOG_SIZE_STEP * MAX_SIZE_STEPS)
        if np.abs(more).max(initial=0) < TOLERATED_STEPS * LOG_SIZE_STEP:
            break
    return [float(one) for one in told]
