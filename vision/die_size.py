"""How large the dice on a board are: a trained net tells it of each, and all of a set are alike.

Dice of 10 to 20 mm lie on boards 36 to 60 cm wide, and nets that learnt one size read another one
badly: a six that is half as large again passes for a four. `vision/training/train_size.py` made
the net.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from vision.die_crop import cut_crops
from vision.die_rest import SIDE
from vision.nets import load_net

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

STEP: Final = float(np.log(1.06))
"""Of the logarithm: sizes are told in such steps, for what was seen at one must be seen anew."""
MOST_STEPS: Final = 10
"""From the usual size, smaller or larger: 0.56 to 1.8 times."""
SURE: Final = 0.5
"""Probability of being a die from which its size is kept."""
ENOUGH: Final = 24
"""Dice after which no more are measured."""
CLOSER: Final = 2
"""Looks at each die: the second at the size that the first one told, if that is another. On drawn
scenes one look from each side told it no better."""
ANOTHER: Final = 2
"""Steps from which it is."""


class DieSize:
    """What was seen of the dice in use, picture after picture."""

    def __init__(self) -> None:
        self._sure: list[float] = []
        self._doubtful: list[float] = []

    @property
    def side(self) -> float:
        """The dice's side, field widths; the usual one before any die was seen."""
        told = self._sure or self._doubtful
        if not told:
            return SIDE
        steps = np.clip(np.rint(np.median(told) / STEP), -MOST_STEPS, MOST_STEPS)
        return SIDE * float(np.exp(STEP * steps))

    def learn(self, image: Image, seen: Pose, places: Floats, chances: Floats) -> None:
        """Look at dice, whatever their size.

        image: (H, W, 3) uint8 BGR of the size of `seen`, which is not mirrored; places: (N, 2)
        field coordinates at the height of a usual die; chances: (N,) probabilities of being dice.
        Where none is sure, the doubtful ones of the newest picture count.
        """
        if len(self._sure) >= ENOUGH:
            return
        self._doubtful = told = _logarithms(image, seen, places)
        self._sure += [one for one, chance in zip(told, chances, strict=True) if chance > SURE]


def _logarithms(image: Image, seen: Pose, places: Floats) -> list[float]:
    """Of how many times a usual die's side the side is of each die at (N, 2) places."""
    pixels, told = seen.project(places, SIDE), np.zeros(len(places))
    for _ in range(CLOSER):
        crops = np.concatenate([
            cut_crops(image, seen, seen.locate(pixel[None], side), side)
            for pixel, side in zip(pixels, SIDE * np.exp(told), strict=True)
        ])  # fmt: skip
        more = load_net("die_size")(crops)[:, 0]
        told = np.clip(told + more, -STEP * MOST_STEPS, STEP * MOST_STEPS)
        if np.abs(more).max(initial=0) < ANOTHER * STEP:
            break
    return [float(one) for one in told]
