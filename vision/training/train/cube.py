"""Trains the cube net: whether a crop shows a doubling cube, and its number.

It starts from the die net with the background and the cubes of its last layer, and is trained on
the crops of `cube_crops.py`, and on those of `die_crops.py` and `number_crops.py` as other things.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from engine.arrays import Ints
from vision.dice.classify import CUBE_CLASSES
from vision.training.nets.die_net import PartNet
from vision.training.samples.die_crops import BACKGROUND, FIRST_CUBE
from vision.training.train import crop_training
from vision.training.train.crop_training import Crops, as_floats, crop_task
from vision.training.train.figures import Figures, percent, quantile
from vision.training.train.learning import Batch

CLASSES: Final = [BACKGROUND, *range(CUBE_CLASSES.start, CUBE_CLASSES.stop)]
"""The die net's outputs from which it starts."""
DICE_LEARNT: Final = 3
"""Every so many-th die is learned: there are far more than other things."""
SMOOTHING: Final = 0.01
"""Label smoothing, which bounds the confidence of a reading."""
FALSE_POSITIVES: Final = 0.01
"""False-positive rate at which the recall of cubes is reported."""
SURE: Final = 0.95
"""Probability of a number from which it is taken to be certain."""


def cubes_and_others(crops: Crops) -> Crops:
    """The crops with classes 0 no cube, 1..6 a cube showing 2, 4, 8, 16, 32, 64."""
    pictures, views, truth = as_floats(crops)
    is_die = (truth[:, 0] > BACKGROUND) & (truth[:, 0] < FIRST_CUBE)
    learnt = ~is_die | (np.cumsum(is_die) % DICE_LEARNT == 0)
    classes = np.maximum(truth - (FIRST_CUBE - 1), 0)
    return pictures[learnt], views[learnt], classes[learnt]


def make_batch(crops: Crops, indices: Ints, generator: torch.Generator | None) -> Batch:
    """(N, 5, 48, 48) input and (N,) classes; with a generator, rotated and recolored."""
    batch, target = crop_training.make_batch(crops, indices, generator)
    return batch, target[:, 0].long()


def loss_of(logits: Tensor, classes: Tensor) -> Tensor:
    """Cross-entropy with label smoothing."""
    return fn.cross_entropy(logits, classes, label_smoothing=SMOOTHING)


def figures(net: nn.Module, crops: Crops) -> Figures:
    """The recall of cubes where few other things pass for one, and how often numbers are right."""
    logits, target = crop_training.predict(net, crops, make_batch)
    cube, is_cube = 1 - logits.softmax(1)[:, 0], target > 0
    bound = quantile(cube[~is_cube], 1 - FALSE_POSITIVES) or 0.0
    numbers = logits[is_cube, 1:].softmax(1)
    right, is_sure = numbers.argmax(1) == target[is_cube] - 1, numbers.amax(1) > SURE
    return {
        "cubes where few others are %": percent(cube[is_cube] > bound),
        "number right %": percent(right),
        "number sure of %": percent(is_sure),
        "number right if sure %": percent(right[is_sure]),
        "cross-entropy": float(fn.cross_entropy(logits, target)),
    }


TASK: Final = crop_task(
    "cube", partial(PartNet, CLASSES), make_batch, loss_of, figures, 1e-3,
    from_die=True, prepare=cubes_and_others,
)  # fmt: skip
