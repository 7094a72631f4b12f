"""Reads what may be doubling cubes once more: by the `cube` net, which knows all makes.

The `die` net, which is given everything, has learned fewer cubes, and more of what is none.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import expit, log_softmax, logsumexp, softmax

from calibration.pose import Pose
from engine.arrays import Floats, Image
from vision.dice.classify import CUBE_CLASSES, EIGHTH_TURN, turned_views
from vision.dice.views import cut_crops
from vision.nets import load_net

MIN_READ_PROBABILITY: Final = 0.002
"""Probability of a cube by the die net from which it is read once more."""
LOG_ODDS: Final = -2.0
"""Added to the log-odds of a cube by both nets together, which are not independent. This and the
next two were chosen on drawn boards."""
MAX_LOG_ODDS: Final = 6.0
"""Limit of each net's log-odds of a cube."""
NUMBER_WEIGHT: Final = 0.8
"""Weight of the cube net relative to the die net for the numbers."""
MIN_PROBABILITY: Final = 1e-9


def read_cubes(image: Image, pose: Pose, places: Floats, classes: Floats) -> Floats:
    """(N, 13) class probabilities of places from those of `classify_crops` and the cube net's.

    `image`: (H, W, 3) uint8 BGR of the pose's size; `places`: (N, 2) field coordinates at a usual
    die's height.
    """
    both = classes.copy()
    asked = np.flatnonzero(classes[:, CUBE_CLASSES].sum(axis=1) > MIN_READ_PROBABILITY)
    if len(asked):
        logs = _log_probabilities(image, pose, places[asked])
        both[asked] = _pooled(classes[asked], logs)
    return both


def _log_probabilities(image: Image, pose: Pose, places: Floats) -> Floats:
    """(N, 7) of no cube and of cubes that show 2, 4, 8, 16, 32, 64: means over eight views."""
    net = load_net("cube")
    upright, across = (cut_crops(image, pose, places, turn=turn) for turn in (0.0, EIGHTH_TURN))
    views = (upright, *turned_views(upright), across, *turned_views(across))
    logs = [log_softmax(net(view).astype(np.float64), axis=1) for view in views]
    return np.asarray(np.mean(logs, axis=0))


def _pooled(classes: Floats, logs: Floats) -> Floats:
    """(N, 13) class probabilities by both nets; `logs`: (N, 7) from `_log_probabilities`."""
    others = classes.copy()
    others[:, CUBE_CLASSES] = 0
    others[:, 0] += MIN_PROBABILITY  # rounding may have left nothing
    rest = others.sum(axis=1, keepdims=True)
    before = classes[:, CUBE_CLASSES].sum(axis=1, keepdims=True)
    own = logsumexp(logs[:, 1:], axis=1, keepdims=True) - logs[:, :1]
    log_odds = (np.clip(each, -MAX_LOG_ODDS, MAX_LOG_ODDS) for each in (np.log(before / rest), own))
    is_cube = expit(sum(log_odds) + LOG_ODDS)
    first = np.log(np.maximum(classes[:, CUBE_CLASSES] / before, MIN_PROBABILITY))
    numbers = (1 - NUMBER_WEIGHT) * first + NUMBER_WEIGHT * log_softmax(logs[:, 1:], axis=1)
    pooled: Floats = others * (1 - is_cube) / rest
    pooled[:, CUBE_CLASSES] = is_cube * softmax(numbers, axis=1)
    return pooled
