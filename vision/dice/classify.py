"""Classifies close views: neither, a die and its upper face, or a cube and its number.

The `die` net classifies a crop, `die_centre` locates a die's center, `faces` reads its upper face;
`vision/dice/cocked.py` decides whether it lies flat, `vision/dice/cubes.py` reads cubes once more.
`vision/training/` trains the nets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from scipy.special import log_softmax, softmax

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Floats32, Image
from vision.dice.cocked import appearance_log_odds
from vision.dice.views import DIE_PIXELS, cut_crops, quarter_turned
from vision.nets import Run, load_net

BACKGROUND_LOG_ODDS: Final = 3.0
"""Added to the background's log-odds: it is far more frequent among candidates than in training."""
CLEAR_BACKGROUND_PROBABILITY: Final = 0.98
"""Probability of being neither die nor cube from which no further views are classified."""
EIGHTH_TURN: Final = np.pi / 4
"""Radians by which what may be a cube is turned to be classified again."""
UNSURE_CUBE: Final = 0.001, 0.98
"""Probabilities of a cube's likeliest number between which that is done."""
MIN_TURNED_CUBE: Final = 0.65
"""Probability of being a cube from which a turned view counts; chosen on drawn scenes."""
FACE_NET_WEIGHT: Final = 0.7
"""Weight of the face net relative to the die net, chosen on crops drawn for training."""
FACE_SHARPENING: Final = 1.2
"""Exponent that sharpens the combination, which is right more often than its probability says: of
1,553 faces at 0.98 or more, one was wrong. Chosen on the same crops."""
MIN_PROBABILITY: Final = 1e-9
VIEW_SHIFT: Final = 1
"""Pixels by which each further view is shifted right and down as it is turned."""
CLASS_COUNT: Final = 13
FACE_CLASSES: Final = slice(1, 7)
CUBE_CLASSES: Final = slice(7, 13)
CUBE_NUMBERS: Final = (2, 4, 8, 16, 32, 64)


def classify_crops(
    image: Image, pose: Pose, places: Floats, side: float = USUAL_DIE_SIDE
) -> Floats:
    """(N, 13) class probabilities at (N, 2) places: background, faces 1..6, cubes 2..64.

    `places`: field coordinates at the dice's height `side`, in field widths. If there may be a die
    or a cube, all four quarter turns are classified, each shifted by the possible error of the
    places: speckles, glints and digits rarely look like pips in all of them.

    A cube fits its crop only if its edges run along the crop's: what may be one is classified again
    after an eighth of a turn. The view in which it is more probably a cube counts, and its number
    by both.
    """
    net = load_net("die")
    crops = cut_crops(image, pose, places, side)
    logs = _class_log_probabilities(net, crops)
    again = np.flatnonzero(softmax(logs, axis=1)[:, 0] < CLEAR_BACKGROUND_PROBABILITY)
    logs[again] = _in_all_quarter_turns(net, crops[again], logs[again])
    classes = np.asarray(softmax(logs, axis=1))
    best = classes[:, CUBE_CLASSES].max(axis=1)
    unsure = np.flatnonzero((UNSURE_CUBE[0] < best) & (best < UNSURE_CUBE[1]))
    if len(unsure):
        crops = cut_crops(image, pose, places[unsure], side, EIGHTH_TURN)
        logs = _in_all_quarter_turns(net, crops, _class_log_probabilities(net, crops))
        classes[unsure] = _from_both_views(classes[unsure], softmax(logs, axis=1))
    return classes


def _from_both_views(upright: Floats, turned: Floats) -> Floats:
    """(N, 13) class probabilities of what may be cubes; all else is told by the first view."""
    first, second = (view[:, CUBE_CLASSES].sum(axis=1, keepdims=True) for view in (upright, turned))
    likelier = np.where(second > MIN_TURNED_CUBE, np.maximum(first, second), first)
    numbers = upright[:, CUBE_CLASSES] + turned[:, CUBE_CLASSES]
    both: Floats = upright * (1 - likelier) / np.maximum(1 - first, MIN_PROBABILITY)
    both[:, CUBE_CLASSES] = likelier * numbers / (first + second)
    return both


def _in_all_quarter_turns(net: Run, crops: Floats32, logs: Floats) -> Floats:
    """(N, 13) mean log-probabilities of crops in four turns; `logs`: in the first of them."""
    others = [_class_log_probabilities(net, view) for view in turned_views(crops)]
    return np.asarray(np.mean([logs, *others], axis=0))


def read_dice(
    image: Image, pose: Pose, places: Floats, faces: Floats, side: float = USUAL_DIE_SIDE
) -> tuple[Floats, Floats]:
    """(N, 6) probabilities of the faces of possible dice, and (N,) log-odds of lying flat.

    `faces`: (N, 6) from `classify_crops`; the sum of each row, the probability of being a die, is
    kept: around the die's own center, where the views are cut, other things look like dice more
    often.
    """
    centred = cut_crops(image, pose, refine_centers(image, pose, places, side), side)
    views = (centred, *turned_views(centred))
    return _weigh_with_face_net(faces, views), appearance_log_odds(views)


def refine_centers(
    image: Image, pose: Pose, places: Floats, side: float = USUAL_DIE_SIDE
) -> Floats:
    """(N, 2) field coordinates of the centers of the dice at approximately (N, 2) places."""
    offsets = load_net("die_centre")(cut_crops(image, pose, places, side))
    return np.asarray(places + offsets * (1, -1 / pose.aspect) * side / DIE_PIXELS)


def turned_views(crops: Floats32) -> Iterator[Floats32]:
    """The (N, 5, 48, 48) crops turned by one, two and three quarters, each slightly shifted."""
    for _ in range(3 if len(crops) else 0):
        crops = quarter_turned(crops)
        yield np.roll(crops, (VIEW_SHIFT, VIEW_SHIFT), (2, 3))


def _weigh_with_face_net(faces: Floats, views: Sequence[Floats32]) -> Floats:
    """(N, 6) probabilities of the faces from both nets; the sum of each row is kept."""
    sums = faces.sum(axis=1, keepdims=True)
    net = load_net("faces")
    logs = [log_softmax(net(view).astype(np.float64), axis=1) for view in views]
    first = np.log(np.maximum(faces / sums, MIN_PROBABILITY))
    both = (1 - FACE_NET_WEIGHT) * first + FACE_NET_WEIGHT * np.mean(logs, axis=0)
    return np.asarray(softmax(FACE_SHARPENING * both, axis=1) * sums)


def _class_log_probabilities(net: Run, crops: Floats32) -> Floats:
    logits = net(crops)[:, :CLASS_COUNT].astype(np.float64)
    logits[:, 0] += BACKGROUND_LOG_ODDS
    return np.asarray(log_softmax(logits, axis=1))
