"""The dice of a picture: what `vision/dice/candidates.py` took for dice, with what they lie on."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE, Layout
from calibration.pose import Pose
from engine.arrays import Floats
from engine.evidence.observation import DieSeen, Surface
from vision.dice.candidates import DieCandidate
from vision.dice.classify import FACE_CLASSES
from vision.dice.cocked import Surroundings

SEARCH_MARGIN: Final = 0.14
"""Field widths around the field where dice are looked for in a video: on the frame, in trays."""
MAX_SEARCH_MARGIN: Final = 1.0
"""... and at most: a throw zone may stand beside the board, but a larger plane takes longer."""
MIN_DIE_PROBABILITY: Final = 0.62
"""Probability of being a die from which it is told; chosen on drawn scenes, as the next."""
MIN_DIE_PROBABILITY_BESIDE: Final = 0.9
"""The same beside the field: few dice end there, and cups and clocks stand there all the time."""
SELECTED_LOG_ODDS: Final = 1.0
"""Log-odds by which what is told as a die is surer to be one than a mark is: the doubt that is left
blurs its value. Chosen on drawn scenes."""


def search_margin(zone: Floats | None, pose: Pose) -> float:
    """Field widths around the field where dice are looked for, with a throw zone known or not.

    zone: (N, 2) field coordinates.
    """
    if zone is None:
        return SEARCH_MARGIN
    beyond = np.maximum(-zone, zone - 1) * (1, pose.aspect)
    return float(np.clip(beyond.max(), SEARCH_MARGIN, MAX_SEARCH_MARGIN))


def select_dice(
    spots: tuple[DieCandidate, ...], pose: Pose, layout: Layout, checkers: Floats | None = None
) -> tuple[DieSeen, ...]:
    """The dice among what was looked at, the surest first.

    `checkers`: (N, 3) field x, field y and radius in field widths of those that are known.
    """
    around = Surroundings(pose, layout, np.zeros((0, 3)) if checkers is None else checkers)
    dice = [spot for spot in spots if spot.die > _least(around.surface(spot.place))]
    return tuple(_seen(spot, around) for spot in sorted(dice, key=lambda spot: -spot.die))


def _least(surface: Surface) -> float:
    """Probability of being a die from which it is told, by what lies under it."""
    return (
        MIN_DIE_PROBABILITY_BESIDE
        if surface in {Surface.FRAME, Surface.TABLE}
        else MIN_DIE_PROBABILITY
    )


def _seen(spot: DieCandidate, around: Surroundings) -> DieSeen:
    pixel = around.pose.project(np.array([spot.place]), USUAL_DIE_SIDE)[0]
    other = (1 - spot.die) * np.exp(-SELECTED_LOG_ODDS)
    doubt = other / (spot.die + other)
    faces = (1 - doubt) * spot.kinds[
        FACE_CLASSES
    ] / spot.die + doubt / 6  # the doubt is spread evenly
    return DieSeen(
        faces=tuple(float(chance) for chance in faces),
        center=(float(pixel[0]), float(pixel[1])),
        board=spot.place,
        flat=around.flat_probability(spot.place, spot.side, spot.flat),
        surface=around.surface(spot.place),
    )
