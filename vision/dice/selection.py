"""The dice and the doubling cube among the candidates of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE, Layout
from calibration.pose import Pose
from engine import CubePlace, CubeSeen
from engine.arrays import Floats
from engine.evidence.observation import CUBE_VALUES, DieSeen, Surface
from vision.dice.candidates import DieCandidate
from vision.dice.classify import (
    BACKGROUND_LOG_ODDS,
    CUBE_CLASSES,
    CUBE_NUMBERS,
    FACE_CLASSES,
)
from vision.dice.cocked import Surroundings

SEARCH_MARGIN, MAX_SEARCH_MARGIN = 0.14, 1.0
"""Field widths around the field that are searched in a video: the frame and trays, and the maximum
for a throw zone beside the board."""
MIN_DIE_PROBABILITY: Final = 0.62
"""Probability from which a candidate is a die; chosen on drawn scenes, as are the next two."""
MIN_DIE_PROBABILITY_BESIDE: Final = 0.9
"""The same beside the field: few dice end up there, but cups and clocks are there all the time."""
SELECTED_LOG_ODDS: Final = 1.0
"""Added to a selected die's log-odds; the remaining doubt is spread over its faces."""
MIN_CUBE_PROBABILITY: Final = 0.4
"""Probability from which a candidate is a cube; chosen on drawn scenes."""
CUBE_HEIGHT: Final = 0.045
"""Height of a cube's upper face, in field widths; cubes have sides of 2-3.5 cm."""
CENTRE_HALF_WIDTH: Final = 0.15
"""Field heights from the center line within which a cube on or beside the bar is centered."""
CENTRE_LOG_ODDS: Final = BACKGROUND_LOG_ODDS
"""Added to a cube's log-odds there: a cube lies there until it is turned, and most other candidates
are background, which is why `classify_crops` favors it."""
BESIDE_BAR: Final = 0.03
"""Field widths from the bar's edge beyond which a cube is on the felt: half its own side."""
POINTS_END: Final = 0.2
"""Field heights from either rail within which an offered cube hardly lies: checkers stand there,
and many boards have numbers there."""
POINTS_LOG_ODDS: Final = -2.0
"""Added to its log-odds there; chosen on drawn boards, of which half have numbers."""
PLACE_PROBABILITY: Final = 0.97
"""Probability that a cube is where it was detected."""
CENTRED_VALUE_WEIGHTS: Final = np.array([3, 2, 1, 1, 1, 100.0])
"""Prior weights of `CUBE_NUMBERS` for a centered cube. It shows 64 or a maker's mark until it is
turned; with automatic doubles 2 may be up, seldom 4."""


def search_margin(zone: Floats | None, pose: Pose) -> float:
    """Field widths around the field that must be searched for dice.

    `zone`: (N, 2) field coordinates of the throw zone, None if there is none.
    """
    if zone is None:
        return SEARCH_MARGIN
    beyond = np.maximum(-zone, zone - 1) * (1, pose.aspect)
    return float(np.clip(beyond.max(), SEARCH_MARGIN, MAX_SEARCH_MARGIN))


def select_dice(
    candidates: tuple[DieCandidate, ...],
    pose: Pose,
    layout: Layout,
    checkers: Floats | None = None,
) -> tuple[DieSeen, ...]:
    """The dice among the candidates, most certain first.

    `checkers`: (N, 3) field x, field y and radius in field widths of known checkers.
    """
    around = Surroundings(pose, layout, np.zeros((0, 3)) if checkers is None else checkers)
    dice = [one for one in candidates if one.die_probability > _threshold(one, around)]
    return tuple(_seen(die, around) for die in sorted(dice, key=lambda die: -die.die_probability))


def _threshold(candidate: DieCandidate, around: Surroundings) -> float:
    is_beside = around.surface(candidate.place) in {Surface.FRAME, Surface.TABLE}
    return MIN_DIE_PROBABILITY_BESIDE if is_beside else MIN_DIE_PROBABILITY


def _seen(candidate: DieCandidate, around: Surroundings) -> DieSeen:
    pixel = around.pose.project(np.array([candidate.place]), USUAL_DIE_SIDE)[0]
    chance = candidate.die_probability
    other = (1 - chance) * np.exp(-SELECTED_LOG_ODDS)
    doubt = other / (chance + other)
    # The remaining doubt is spread evenly.
    faces = (1 - doubt) * candidate.class_probabilities[FACE_CLASSES] / chance + doubt / 6
    return DieSeen(
        faces=tuple(float(face) for face in faces),
        center=(float(pixel[0]), float(pixel[1])),
        board=candidate.place,
        flat=around.flat_probability(candidate.place, candidate.side, candidate.flat_log_odds),
        surface=around.surface(candidate.place),
    )


@dataclass(frozen=True, slots=True, eq=False)
class CubeFound:
    """The doubling cube in a picture."""

    values: Floats
    """(7,) probabilities of the game's value, in `CUBE_VALUES` order; they sum to 1."""
    place: CubePlace
    """Light's and dark's by the grid's orientation: only a numbered grid tells whose it is."""
    center: tuple[float, float]
    """(x, y) image pixels."""
    is_cube: float
    """Probability of being a cube at all."""

    @property
    def value(self) -> int:
        """The game's value: a centered cube that shows 64 has not been turned."""
        return CUBE_VALUES[int(self.values.argmax())]

    @property
    def confidence(self) -> float:
        """Probability of being a cube with that value."""
        return float(self.values.max()) * self.is_cube

    @property
    def seen(self) -> CubeSeen:
        """The cube as evidence; the probability of not being a cube is spread evenly."""
        values = self.is_cube * self.values + (1 - self.is_cube) / len(CUBE_VALUES)
        other = (1 - PLACE_PROBABILITY) / (len(CubePlace) - 1)
        places = (PLACE_PROBABILITY if place is self.place else other for place in CubePlace)
        return CubeSeen(tuple(float(value) for value in values), tuple(places))


def select_cube(
    candidates: tuple[DieCandidate, ...], pose: Pose, layout: Layout
) -> CubeFound | None:
    """The most certain cube among the candidates, or None."""
    possible = (
        one for one in candidates if one.cube_probability(CENTRE_LOG_ODDS) > MIN_CUBE_PROBABILITY
    )
    found = [_cube(candidate, pose, layout) for candidate in possible]
    cube = max(found, key=lambda one: one.is_cube, default=None)
    return cube if cube is not None and cube.is_cube > MIN_CUBE_PROBABILITY else None


def _cube(candidate: DieCandidate, pose: Pose, layout: Layout) -> CubeFound:
    """The candidate as a cube, as likely as that is at its place."""
    # The candidate's place is at a die's height; the cube's top appears at the same pixel.
    pixel = pose.project(np.array([candidate.place]), USUAL_DIE_SIDE)[0]
    x, y = pose.locate(pixel[None], CUBE_HEIGHT)[0]
    place = _place(float(x), float(y), layout)
    is_centred = place is CubePlace.CENTRE
    shows = candidate.class_probabilities[CUBE_CLASSES] * (
        CENTRED_VALUE_WEIGHTS if is_centred else 1.0
    )
    values = np.zeros(len(CUBE_VALUES))
    for number, probability in zip(CUBE_NUMBERS, shows / shows.sum(), strict=True):
        value = 1 if is_centred and number == CUBE_VALUES[-1] else number
        values[CUBE_VALUES.index(value)] = probability
    center = float(pixel[0]), float(pixel[1])
    is_on_points = place is CubePlace.OFFERED and abs(y - 0.5) > 0.5 - POINTS_END
    log_odds = CENTRE_LOG_ODDS if is_centred else POINTS_LOG_ODDS if is_on_points else 0.0
    return CubeFound(values, place, center, candidate.cube_probability(log_odds))


def _place(x: float, y: float, layout: Layout) -> CubePlace:
    """The cube's place by field coordinates: only an offered cube is on the felt."""
    on_field = 0 < x < 1 and 0 < y < 1
    if on_field and abs(x - 0.5) > layout.bar / 2 + BESIDE_BAR:
        return CubePlace.OFFERED
    if abs(y - 0.5) < CENTRE_HALF_WIDTH:
        return CubePlace.CENTRE
    return CubePlace.DARK if y > 0.5 else CubePlace.LIGHT
