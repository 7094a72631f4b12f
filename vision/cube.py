"""The doubling cube of a picture: the number that it shows and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.pose import Pose
from vision.die_rest import SIDE
from vision.spots import CUBE_NUMBERS, CUBES, Spot

SURE_ENOUGH: Final = 0.5
"""Probability of being a cube from which it is told."""
HEIGHT: Final = 0.045
"""Of a cube's upper face in field widths; cubes have sides of 2-3.5 cm."""
MIDDLE: Final = 0.15
"""Field heights from the middle line within which a cube is centred."""
IN_THE_MIDDLE: Final = np.array([1, 1, 1, 1, 1, 10.0])
"""How likely each of `CUBE_NUMBERS` is on a cube in the middle before it is looked at: nobody has
turned it from 64 there but to offer it."""


@dataclass(frozen=True, slots=True)
class CubeSeen:
    """The doubling cube."""

    shows: int
    """The number on its upper face: 2 .. 64."""
    is_centred: bool
    """Whether it lies at the middle of the bar or of a side, nobody's."""
    far_side: bool
    """Whether it lies nearer to y = 1."""
    center: tuple[float, float]
    """Image pixels (x, y)."""
    confidence: float
    """Probability of being a cube with that number."""

    @property
    def value(self) -> int:
        """What the game is worth: a centred cube that shows 64 has not been turned."""
        return 1 if self.shows == 64 and self.is_centred else self.shows


def cube_among(spots: tuple[Spot, ...], pose: Pose) -> CubeSeen | None:
    """The surest cube among what was looked at, or None."""
    cubes = [spot for spot in spots if spot.cube > SURE_ENOUGH]
    if not cubes:
        return None
    spot = max(cubes, key=lambda one: one.cube)
    # The spot's place is told at a die's height; the cube's top is seen at the same pixel.
    pixel = pose.project(np.array([spot.place]), SIDE)[0]
    _, y = pose.locate(pixel[None], HEIGHT)[0]
    is_centred = abs(float(y) - 0.5) < MIDDLE
    chances = spot.kinds[CUBES] * (IN_THE_MIDDLE if is_centred else 1.0)
    chances /= chances.sum()
    return CubeSeen(
        shows=CUBE_NUMBERS[int(chances.argmax())],
        is_centred=is_centred,
        far_side=float(y) > 0.5,
        center=(float(pixel[0]), float(pixel[1])),
        confidence=float(chances.max()) * spot.cube,
    )
