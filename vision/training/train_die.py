"""Train the die net on the crops of `die_crops.py` and of `found_crops.py`."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.die_crops import CUBE, NONE
from vision.training.die_lessons import (
    FLAT_DEG,
    TESTED,
    Crops,
    Lessons,
    Picked,
    batch,
    lessons,
    load,
    teach,
)
from vision.training.die_net import CLASSES, DieNet

FASTEST: Final = 3e-3
FLAT_WEIGHT: Final = 0.4


def loss_of(answer: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of the classes; of flatness where there is a die."""
    kind = target[:, 0].long()
    loss = fn.cross_entropy(answer[:, :CLASSES], kind, label_smoothing=0.01)
    is_die = (kind > NONE) & (kind < CUBE)
    flat = (target[is_die, 1] < FLAT_DEG).float()
    return loss + FLAT_WEIGHT * fn.binary_cross_entropy_with_logits(answer[is_die, CLASSES], flat)


def train(said: Lessons) -> None:
    """Train, report on unseen crops, export."""
    made = load(said.folder, said.chunks, said.found, said.traced)
    test = load(said.folder, range(TESTED), range(TESTED))

    def loss_on(net: nn.Module, picked: Picked, generator: torch.Generator) -> Tensor:
        picture, target = batch(made, picked, generator)
        return loss_of(net(picture), target)

    teach(said, DieNet, made, loss_on, partial(figures, test=test), fastest=FASTEST)


def figures(net: nn.Module, test: Crops) -> str:
    """Dice taken for dice, their values, flatness, what else is taken for one, cubes' numbers."""
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
    rows = [("dice", is_die[die]), ("value", (told == kind)[die & is_die]), ("flat", flat[die]),
            ("false", (told != NONE)[kind == NONE]), ("cubes", is_cube[cube]),
            ("number", (told == kind)[cube & is_cube])]  # fmt: skip
    return ", ".join(f"{name} {100 * hit.float().mean():.1f}" for name, hit in rows)


if __name__ == "__main__":
    train(lessons(__doc__, "die"))
