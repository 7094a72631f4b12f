"""The dice of a picture: what `vision/spots.py` took for dice, with what they lie on."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.layout import Layout
from calibration.pose import Pose
from engine.evidence import DieSeen
from vision.die_rest import SIDE, Surroundings
from vision.spots import FACES, Spot, find_spots

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

NEAR: Final = 0.14
"""Field widths around the field where dice are looked for in a video: on the frame, in trays."""
FARTHEST: Final = 1.0
"""... and at most: a throw zone may stand beside the board, but a larger plane takes longer."""
SURE_ENOUGH: Final = 0.5
"""Probability of being a die from which it is told."""
BELIEF: Final = 1.0
"""Log-odds by which what is told as a die is surer to be one than a mark is: the doubt that is left
blurs its value. Chosen on drawn scenes."""
USUAL_LOOK: Final = 2.0
"""The net's log-odds of lying flat at which its looks say nothing: among the odd stills half of
the leaning dice reach 1.6, half of the flat ones 2.6."""
LOOK_WEIGHT: Final = 0.3
"""What those looks count beside where the die lies, for the same reason."""


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
    spots: tuple[Spot, ...], pose: Pose, layout: Layout, checkers: Floats | None = None
) -> tuple[DieSeen, ...]:
    """The dice among what was looked at, the surest first.

    `checkers`: (N, 3) field x, field y and radius in field widths of those that are known.
    """
    around = Surroundings(pose, layout, np.zeros((0, 3)) if checkers is None else checkers)
    dice = sorted((spot for spot in spots if spot.die > SURE_ENOUGH), key=lambda spot: -spot.die)
    return tuple(_seen(spot, around) for spot in dice)


def _seen(spot: Spot, around: Surroundings) -> DieSeen:
    pixel = around.pose.project(np.array([spot.place]), SIDE)[0]
    free = around.flatness(spot.place)
    flat = LOOK_WEIGHT * (spot.flat - USUAL_LOOK) + np.log(free / (1 - free))
    other = (1 - spot.die) * np.exp(-BELIEF)
    doubt = other / (spot.die + other)
    faces = (1 - doubt) * spot.kinds[FACES] / spot.die + doubt / 6  # the doubt is spread evenly
    return DieSeen(
        faces=tuple(float(chance) for chance in faces),
        center=(float(pixel[0]), float(pixel[1])),
        board=spot.place,
        flat=float(1 / (1 + np.exp(-flat))),
        surface=around.surface(spot.place),
    )
