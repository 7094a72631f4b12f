"""Train the die net on the crops of `die_crops.py` and of `found_crops.py`."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.nets.die_net import CLASSES, DieNet
from vision.training.samples.die_crops import CUBE, NONE
from vision.training.train.die_lessons import (
    FLAT_DEG,
    TESTED,
    Answer,
    Crops,
    CropTraining,
    Picked,
    batch,
    lessons,
    load,
    teach,
)

FASTEST: Final = 3e-3
FACE_WEIGHT: Final = 0.4
"""What the face of a die is worth beside its being one: another net reads it too."""
FLAT_WEIGHT: Final = 0.1
SELDOM: Final = 0.01
"""Share of the other things that may be taken for dice where it is told how many dice are."""


def kinds_of(classes: Tensor) -> Tensor:
    """(N, 8) logits of neither, of a die and of each cube, of (N, 13) of the classes."""
    die = classes[:, NONE + 1 : CUBE].logsumexp(dim=1, keepdim=True)
    return torch.cat([classes[:, :1], die, classes[:, CUBE:]], dim=1)


def loss_of(answer: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of what it is; of the face and of flatness where there is a die."""
    classes, kind = answer[:, :CLASSES], target[:, 0].long()
    is_die = (kind > NONE) & (kind < CUBE)
    what = torch.where(is_die, 1, (kind - CUBE + 2).clamp(min=0))
    face = fn.cross_entropy(classes[is_die, 1:CUBE], kind[is_die] - 1, label_smoothing=0.01)
    flat = (target[is_die, 1] < FLAT_DEG).float()
    flatness = fn.binary_cross_entropy_with_logits(answer[is_die, CLASSES], flat)
    kinds = fn.cross_entropy(kinds_of(classes), what, label_smoothing=0.005)
    return kinds + FACE_WEIGHT * face + FLAT_WEIGHT * flatness


def train(said: CropTraining) -> None:
    """Train, report on unseen crops, export."""
    made = load(said.folder, said.chunks, said.found, said.traced)
    test = load(said.folder, range(TESTED), range(TESTED))

    def loss_on(answer: Answer, picked: Picked, generator: torch.Generator) -> Tensor:
        picture, target = batch(made, picked, generator)
        return loss_of(answer(picture), target)

    teach(said, DieNet, made, loss_on, partial(figures, test=test), fastest=FASTEST)


def figures(net: nn.Module, test: Crops) -> str:
    """Dice taken for dice, their values, flatness, what else is taken for one, cubes' numbers.

    Of the dice also how many are surer to be one than all but `SELDOM` of the other things.
    """
    net.eval()
    with torch.no_grad():
        parts = [net(batch(test, picked, None)[0])
                 for picked in np.array_split(np.arange(len(test[0])), 20)]  # fmt: skip
    answer = torch.cat(parts)
    kind, tilt = torch.from_numpy(test[2]).unbind(1)
    told = answer[:, :CLASSES].argmax(1)
    die, cube = (kind > NONE) & (kind < CUBE), kind >= CUBE
    is_die, is_cube = (told > NONE) & (told < CUBE), told >= CUBE
    flat = (answer[:, CLASSES] > 0) == (tilt < FLAT_DEG)
    over = kinds_of(answer[:, :CLASSES]).softmax(dim=1)[:, 1]
    seldom = over[kind == NONE].quantile(1 - SELDOM)
    rows = [("dice", is_die[die]), ("dice where few others are", over[die] > seldom),
            ("value", (told == kind)[die & is_die]), ("flat", flat[die]),
            ("false", (told != NONE)[kind == NONE]), ("cubes", is_cube[cube]),
            ("number", (told == kind)[cube & is_cube])]  # fmt: skip
    return ", ".join(f"{name} {100 * hit.float().mean():.1f}" for name, hit in rows)


if __name__ == "__main__":
    train(lessons(__doc__, "die"))
