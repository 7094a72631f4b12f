"""Crops where the dice finder sees something, right or wrong: what the die net must tell apart.

Cut from the boards at die scale in the chunks of `samples.py`, around the finder's own peaks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from calibration.grid import CHECKER_THICKNESS
from engine.arrays import Floats, Image
from vision.board.heatmaps import sigmoid
from vision.dice.candidates import heatmap_peaks
from vision.dice.classify import CUBE_NUMBERS
from vision.dice.views import CROP_SIZE, DIE_PIXELS
from vision.nets import Run, as_tensor, with_onnxruntime
from vision.training.samples.die_crops import BACKGROUND, CHUNKS, FIRST_CUBE, NO_CROPS, Crops
from vision.training.samples.samples import CHUNKS as SCENES
from vision.training.samples.samples import DIE_SIDE, SceneSample, decode, finder_plane

MAX_HIT_DISTANCE: Final = 0.45
"""Maximum distance from a peak to the die that it marks, in die sides."""
MIN_MISS_DISTANCE: Final = 1.1
"""Die sides within which a missed peak is neither the die nor something else."""
MIN_LEARNT_HEAT: Final = 0.08
"""Minimum heat of a peak; slightly below that of a candidate."""
MAX_CROPS: Final = 12
"""Maximum number per scene."""


def make_crops(sample: SceneSample, find: Run) -> Crops:
    """The crops of one scene where the dice finder finds, labeled as in `die_crops.py`."""
    plane = decode(sample.plane)
    small, scale = finder_plane(plane)
    _, pixels = heatmap_peaks(sigmoid(find(as_tensor(small))[0]), MIN_LEARNT_HEAT)
    places = (pixels[:MAX_CROPS] + 0.5) / scale - 0.5
    view = sample.lifts[:24].mean(axis=0) / sample.field_size[0] * DIE_PIXELS / CHECKER_THICKNESS
    crops, truth = [], []
    for place in places:
        label = _label(sample, place)
        if label is not None:
            crops.append(_cut(plane, place))
            truth.append(label)
    if not crops:
        return NO_CROPS
    return np.stack(crops), np.tile(view, (len(crops), 1)), np.array(truth, float)


def _label(sample: SceneSample, place: Floats) -> tuple[float, float] | None:
    """Class and tilt of what a peak marks; None if it partly covers a die or a cube."""
    dice, cube = sample.dice, sample.cube
    far = np.linalg.norm(dice[:, :2] - place, axis=1) / np.maximum(DIE_SIDE, dice[:, 4])
    if len(dice) and far.min() < MIN_MISS_DISTANCE:
        nearest = int(far.argmin())
        return (dice[nearest, 2], dice[nearest, 3]) if far[nearest] < MAX_HIT_DISTANCE else None
    if len(cube):
        away = float(np.linalg.norm(cube[0, :2] - place)) / cube[0, 3]
        if away < MAX_HIT_DISTANCE:
            return float(FIRST_CUBE + CUBE_NUMBERS.index(int(cube[0, 2]))), 0.0
        if away < MIN_MISS_DISTANCE:
            return None
    return float(BACKGROUND), 0.0


def _cut(plane: Image, place: Floats) -> Image:
    scale = DIE_PIXELS / DIE_SIDE
    shift = (CROP_SIZE - 1) / 2 - scale * place
    move = np.array([(scale, 0, shift[0]), (0, scale, shift[1])])
    return np.asarray(
        cv2.warpAffine(plane, move, (CROP_SIZE, CROP_SIZE), flags=cv2.INTER_LINEAR), np.uint8
    )


def draw(path: Path, scenes: Path, net: Path) -> None:
    """Write the crops of a chunk of scenes where the dice finder `net` finds, unless it exists."""
    if not path.exists():
        cv2.setNumThreads(1)
        find = with_onnxruntime(net)
        CHUNKS.write(path, [make_crops(sample, find) for sample in SCENES.load(scenes)])
