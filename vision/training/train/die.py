"""Trains the die net: what a crop shows, and whether it lies flat.

It is trained on the crops of `die_crops.py` and `found_crops.py`.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.dice.classify import CLASS_COUNT
from vision.training.nets.die_net import DieNet
from vision.training.samples.die_crops import BACKGROUND, FIRST_CUBE
from vision.training.train import crop_training
from vision.training.train.crop_training import FLAT_DEG, Crops, crop_task
from vision.training.train.figures import Figures, percent, quantile

FACE_WEIGHT: Final = 0.4
"""Weight of the face loss relative to the class loss: another net reads faces too."""
FLAT_WEIGHT: Final = 0.1
FALSE_POSITIVES: Final = 0.01
"""False-positive rate at which the recall of dice is reported."""


def kinds_of(classes: Tensor) -> Tensor:
    """(N, 8) logits of neither, a die and each cube, from the (N, 13) logits of the classes."""
    die = classes[:, BACKGROUND + 1 : FIRST_CUBE].logsumexp(dim=1, keepdim=True)
    return torch.cat([classes[:, :1], die, classes[:, FIRST_CUBE:]], dim=1)


def loss_of(output: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of neither, die or cube, plus those of face and flatness for dice."""
    classes, kind = output[:, :CLASS_COUNT], target[:, 0].long()
    is_die = (kind > BACKGROUND) & (kind < FIRST_CUBE)
    what = torch.where(is_die, 1, (kind - FIRST_CUBE + 2).clamp(min=0))
    face = fn.cross_entropy(classes[is_die, 1:FIRST_CUBE], kind[is_die] - 1, label_smoothing=0.01)
    flat = (target[is_die, 1] < FLAT_DEG).float()
    flatness = fn.binary_cross_entropy_with_logits(output[is_die, CLASS_COUNT], flat)
    kinds = fn.cross_entropy(kinds_of(classes), what, label_smoothing=0.005)
    return kinds + FACE_WEIGHT * face + FLAT_WEIGHT * flatness


def figures(net: nn.Module, crops: Crops) -> Figures:
    """Recall of dice, values, flatness, false positives, recall of cubes, their numbers.

    Also the recall of dice at a false-positive rate of `FALSE_POSITIVES`.
    """
    output, target = crop_training.predict(net, crops)
    kind, tilt = target.unbind(1)
    predicted = output[:, :CLASS_COUNT].argmax(1)
    die, cube = (kind > BACKGROUND) & (kind < FIRST_CUBE), kind >= FIRST_CUBE
    is_die, is_cube = (predicted > BACKGROUND) & (predicted < FIRST_CUBE), predicted >= FIRST_CUBE
    flat = (output[:, CLASS_COUNT] > 0) == (tilt < FLAT_DEG)
    p_die = kinds_of(output[:, :CLASS_COUNT]).softmax(dim=1)[:, 1]
    bound = quantile(p_die[kind == BACKGROUND], 1 - FALSE_POSITIVES) or 0.0
    rows = [("dice", is_die[die]), ("dice where few others are", p_die[die] > bound),
            ("value", (predicted == kind)[die & is_die]), ("flat", flat[die]),
            ("false", (predicted != BACKGROUND)[kind == BACKGROUND]), ("cubes", is_cube[cube]),
            ("number", (predicted == kind)[cube & is_cube])]  # fmt: skip
    return {f"{name} %": percent(hit) for name, hit in rows}


TASK: Final = crop_task("die", DieNet, crop_training.make_batch, loss_of, figures, 3e-3)
