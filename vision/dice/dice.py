"""The dice of a picture: what `vision/dice/candidates.py` took for dice, with what they lie on."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import expit

from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats, Image
from engine.evidence.observation import DieSeen, Surface
from vision.dice.candidates import DieCandidate, find_spots
from vision.dice.classify import FACES
from vision.dice.support import SIDE, Surroundings

NEAR: Final = 0.14
"""Field widths around the field where dice are looked for in a video: on the frame, in trays."""
FARTHEST: Final = 1.0
"""... and at most: a throw zone may stand beside the board, but a larger plane takes longer."""
SURE_ENOUGH: Final = 0.62
"""Probability of being a die from which it is told; chosen on drawn scenes, as the next."""
SURE_BESIDE: Final = 0.9
"""The same beside the field: few dice end there, and cups and clocks stand there all the time."""
BELIEF: Final = 1.0
"""Log-odds by which what is told as a die is surer to be one than a mark is: the doubt that is left
blurs its value. Chosen on drawn scenes."""
LOOK_WEIGHT: Final = 1.3
"""What the lean net's log-odds count: they are right more often than each says. Chosen on drawn
dice that were kept back, four looks each."""
SUREST: Final = 4.0
"""Log-odds beyond which nobody is sure whether a die leans: one in fifty may be told wrong."""
USUALLY_FLAT: Final = 2.3
"""Log-odds: of the dice that net learnt from four in ten lean, of thrown ones one in fifteen."""


def find_dice(
    image: Image, pose: Pose, layout: Layout, checkers: Floats | None = None
) -> tuple[DieSeen, ...]:
    """The dice on and just beside the board, the surest first.

    `image`: (H, W, 3) uint8 BGR of the pose's size; `checkers` as in `dice_among`.
    """
    return dice_among(find_spots(image, pose, NEAR), pose, layout, checkers)


def reach(zone: Floats | None, pose: Pose) -> float:
    """Field widths around the field where dice are looked for, with a throw zone known or not.

    zone: (N, 2) field coordinates.
    """
    if zone is None:
        return NEAR
    beyond = np.maximum(-zone, zone - 1) * (1, pose.aspect)
    return float(np.clip(beyond.max(), NEAR, FARTHEST))


def dice_among(
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
    return SURE_BESIDE if surface in {Surface.FRAME, Surface.TABLE} else SURE_ENOUGH


def _seen(spot: DieCandidate, around: Surroundings) -> DieSeen:
    pixel = around.pose.project(np.array([spot.place]), SIDE)[0]
    flat = LOOK_WEIGHT * spot.flat + USUALLY_FLAT + around.flat_odds(spot.place, spot.side)
    other = (1 - spot.die) * np.exp(-BELIEF)
    doubt = other / (spot.die + other)
    faces = (1 - doubt) * spot.kinds[FACES] / spot.die + doubt / 6  # the doubt is spread evenly
    return DieSeen(
        faces=tuple(float(chance) for chance in faces),
        center=(float(pixel[0]), float(pixel[1])),
        board=spot.place,
        flat=float(expit(np.clip(flat, -SUREST, SUREST))),
        surface=around.surface(spot.place),
    )
