"""The dice of a picture: the candidates that are dice, with what they show and what they lie on."""

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

SEARCH_MARGIN, MAX_SEARCH_MARGIN = 0.14, 1.0
"""Field widths around the field that a video is searched in: the frame and trays, and at most for a
throw zone beside the board."""
MIN_DIE_PROBABILITY: Final = 0.62
"""From which a candidate is a die; chosen on drawn scenes, as the next two."""
MIN_DIE_PROBABILITY_BESIDE: Final = 0.9
"""The same beside the field: few dice end there, and cups and clocks stand there all the time."""
SELECTED_LOG_ODDS: Final = 1.0
"""Added to a selected die's: the rest of the doubt spreads over its faces."""


def search_margin(zone: Floats | None, pose: Pose) -> float:
    """Field widths around the field that have to be searched for dice.

    `zone`: (N, 2) field coordinates of the throw zone, None where there is none.
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
    """The dice among the candidates, the surest first.

    `checkers`: (N, 3) field x, field y and radius in field widths of those that are known.
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
    # What doubt is left is spread evenly.
    faces = (1 - doubt) * candidate.class_probabilities[FACE_CLASSES] / chance + doubt / 6
    return DieSeen(
        faces=tuple(float(face) for face in faces),
        center=(float(pixel[0]), float(pixel[1])),
        board=candidate.place,
        flat=around.flat_probability(candidate.place, candidate.side, candidate.flat_log_odds),
        surface=around.surface(candidate.place),
    )
