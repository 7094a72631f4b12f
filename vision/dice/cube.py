"""The doubling cube of a picture: the number that it shows and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE, Layout
from calibration.pose import Pose
from engine import CubePlace, CubeSeen
from engine.arrays import Floats
from engine.evidence.observation import CUBE_VALUES
from vision.dice.candidates import DieCandidate
from vision.dice.classify import CUBE_CLASSES, CUBE_NUMBERS

MIN_CUBE_PROBABILITY: Final = 0.4
"""Probability of being a cube from which it is told; chosen on drawn scenes."""
CUBE_HEIGHT: Final = 0.045
"""Of a cube's upper face in field widths; cubes have sides of 2-3.5 cm."""
CENTRE_HALF_WIDTH: Final = 0.15
"""Field heights from the middle line within which a cube on the bar or beside is centred."""
BESIDE_BAR: Final = 0.03
"""Field widths from the bar's edge at which a cube lies on the felt: half its own side."""
PLACE_PROBABILITY: Final = 0.97
"""Probability that a cube lies where it is seen to: another thing may have been taken for it."""
CENTRED_VALUE_WEIGHTS: Final = np.array([1, 1, 1, 1, 1, 10.0])
"""How likely each of `CUBE_NUMBERS` is on a cube in the middle before it is looked at: nobody has
turned it from 64 there but to offer it."""


@dataclass(frozen=True, slots=True, eq=False)
class CubeFound:
    """The doubling cube in a picture."""

    values: Floats
    """(7,) probabilities of what the game is worth, `CUBE_VALUES` order; they sum to 1."""
    place: CubePlace
    """Light's and dark's as the grid lies: only a numbered one tells whose it is."""
    center: tuple[float, float]
    """Image pixels (x, y)."""
    is_cube: float
    """Probability of being a cube at all."""

    @property
    def value(self) -> int:
        """What the game is worth: a centred cube that shows 64 has not been turned."""
        return CUBE_VALUES[int(self.values.argmax())]

    @property
    def confidence(self) -> float:
        """Probability of being a cube of that value."""
        return float(self.values.max()) * self.is_cube

    @property
    def seen(self) -> CubeSeen:
        """The same as evidence; the doubt that it is a cube is spread evenly."""
        values = self.is_cube * self.values + (1 - self.is_cube) / len(CUBE_VALUES)
        other = (1 - PLACE_PROBABILITY) / (len(CubePlace) - 1)
        places = (PLACE_PROBABILITY if place is self.place else other for place in CubePlace)
        return CubeSeen(tuple(float(value) for value in values), tuple(places))


def select_cube(spots: tuple[DieCandidate, ...], pose: Pose, layout: Layout) -> CubeFound | None:
    """The surest cube among what was looked at, or None."""
    cubes = [spot for spot in spots if spot.cube > MIN_CUBE_PROBABILITY]
    if not cubes:
        return None
    spot = max(cubes, key=lambda one: one.cube)
    # The spot's place is told at a die's height; the cube's top is seen at the same pixel.
    pixel = pose.project(np.array([spot.place]), USUAL_DIE_SIDE)[0]
    x, y = pose.locate(pixel[None], CUBE_HEIGHT)[0]
    place = _place(float(x), float(y), layout)
    is_centred = place is CubePlace.CENTRE
    shows = spot.kinds[CUBE_CLASSES] * (CENTRED_VALUE_WEIGHTS if is_centred else 1.0)
    values = np.zeros(len(CUBE_VALUES))
    for number, chance in zip(CUBE_NUMBERS, shows / shows.sum(), strict=True):
        values[CUBE_VALUES.index(1 if is_centred and number == CUBE_VALUES[-1] else number)] = (
            chance
        )
    center = float(pixel[0]), float(pixel[1])
    return CubeFound(values, place, center, float(spot.cube))


def _place(x: float, y: float, layout: Layout) -> CubePlace:
    """Where a cube at that place of the field lies: on the felt only one that is offered does."""
    on_field = 0 < x < 1 and 0 < y < 1
    if on_field and abs(x - 0.5) > layout.bar / 2 + BESIDE_BAR:
        return CubePlace.OFFERED
    if abs(y - 0.5) < CENTRE_HALF_WIDTH:
        return CubePlace.CENTRE
    return CubePlace.DARK if y > 0.5 else CubePlace.LIGHT
