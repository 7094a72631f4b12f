"""What lies at a place that was marked: four trained nets look at close views of it.

One says of a close view cut from the camera's own pixels what it is, the second where a die's
middle lies, the third which face of it is up there, the fourth whether it lies flat.
`vision/training/` made them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from scipy.special import log_softmax, softmax

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Image
from vision.dice.cocked import appearance_log_odds
from vision.dice.views import DIE_PIXELS, Tensor, cut_crops, quarter_turned
from vision.nets import Run, load_net

BACKGROUND_LOG_ODDS: Final = 3.0
"""Log-odds: of what is marked on a board, far more is nothing than in the crops of training."""
SURE_BACKGROUND: Final = 0.98
"""Probability of being neither from which a second look is spared."""
FACE_NET_WEIGHT: Final = 0.7
"""What the face net counts there, beside the die net: chosen on crops drawn for training."""
FACE_SHARPENING: Final = 1.2
"""Power by which both together are made surer, as they are right more often than each says: of
1,553 faces at 0.98 and more one was wrong where ten might be. Chosen there too."""
MIN_FACE_PROBABILITY: Final = 1e-9
VIEW_SHIFT: Final = 1
"""Pixels of a close view by which further looks lie aside, down and right as they are turned."""
CLASS_COUNT: Final = 13
FACE_CLASSES: Final = slice(1, 7)
CUBE_CLASSES: Final = slice(7, 13)
CUBE_NUMBERS: Final = (2, 4, 8, 16, 32, 64)


def classify_crops(
    image: Image, seen: Pose, marked: Floats, side: float = USUAL_DIE_SIDE
) -> Floats:
    """(N, 13) probabilities of what lies at (N, 2) marked places, as the pose `seen` has them.

    The places are told at the dice's height: `side`, field widths.

    What may be a die or a cube is looked at from all four sides: speckles, glints and digits
    that pass for pips seldom do so every way round. Each further look lies a little aside, another
    way each, for marks err by as much.
    """
    net = load_net("die")
    crops = cut_crops(image, seen, marked, side)
    told = _told(net, crops)
    again = np.flatnonzero(softmax(told, axis=1)[:, 0] < SURE_BACKGROUND)
    looks = [_told(net, view) for view in turned_views(crops[again])]
    told[again] = np.mean([told[again], *looks], axis=0)
    return np.asarray(softmax(told, axis=1))


def read_dice(
    image: Image, seen: Pose, marked: Floats, faces: Floats, side: float = USUAL_DIE_SIDE
) -> tuple[Floats, Floats]:
    """(N, 6) probabilities of the faces of what may be dice, and (N,) log-odds of lying flat.

    faces: (N, 6) as `classify_crops` tells them there; what each row sums to stays.

    Each is looked at around its own middle. What is a die is not told there: cut out around what
    would be their middles, other things pass for dice more often.
    """
    centred = cut_crops(image, seen, refine_centers(image, seen, marked, side), side)
    views = (centred, *turned_views(centred))
    return _second_opinion(faces, views), appearance_log_odds(views)


def refine_centers(
    image: Image, seen: Pose, marked: Floats, side: float = USUAL_DIE_SIDE
) -> Floats:
    """(N, 2) places of the middles of the dice that lie about (N, 2) marked ones."""
    away = load_net("die_centre")(cut_crops(image, seen, marked, side))
    return np.asarray(marked + away * (1, -1 / seen.aspect) * side / DIE_PIXELS)


def turned_views(crops: Tensor) -> Iterator[Tensor]:
    """The (N, 5, 48, 48) crops turned by one, two and three quarters, a little aside."""
    for _ in range(3 if len(crops) else 0):
        crops = quarter_turned(crops)
        yield np.roll(crops, (VIEW_SHIFT, VIEW_SHIFT), (2, 3))


def _second_opinion(faces: Floats, views: Sequence[Tensor]) -> Floats:
    """(N, 6) probabilities of the faces, weighed with those that the face net gives.

    It learnt from dice alone, glints of lamps on them, and knows nothing of what is no die: what
    each row of `faces` sums to stays. `views`: (N, 5, 48, 48) each, cut around the dice's middles.
    """
    sums = faces.sum(axis=1, keepdims=True)
    net = load_net("faces")
    looks = [log_softmax(net(view).astype(np.float64), axis=1) for view in views]
    first = np.log(np.maximum(faces / sums, MIN_FACE_PROBABILITY))
    both = (1 - FACE_NET_WEIGHT) * first + FACE_NET_WEIGHT * np.mean(looks, axis=0)
    return np.asarray(softmax(FACE_SHARPENING * both, axis=1) * sums)


def _told(net: Run, crops: Tensor) -> Floats:
    """(N, 13) log-probabilities of each kind."""
    answer = net(crops)[:, :CLASS_COUNT].astype(np.float64)
    answer[:, 0] += BACKGROUND_LOG_ODDS
    return np.asarray(log_softmax(answer, axis=1))
