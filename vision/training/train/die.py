"""Train the die net: what a crop shows, and whether it lies flat.

It is trained on the crops of `die_crops.py`, `found_crops.py` and `path_traced_crops.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.nets.die_net import CLASSES, DieNet
from vision.training.samples.die_crops import CUBE, NONE
from vision.training.train.crop_training import (
    FLAT_DEG,
    TEST_CHUNKS,
    Crops,
    CropTrainingOptions,
    Indices,
    Net,
    load_chunks,
    make_batch,
    parse_arguments,
    train_on_crops,
)

LEARNING_RATE: Final = 3e-3
FACE_WEIGHT: Final = 0.4
"""Weight of the loss of the face against that of the class: another net reads faces too."""
FLAT_WEIGHT: Final = 0.1
FALSE_POSITIVES: Final = 0.01
"""False positive rate at which the recall of dice is reported."""


def kinds_of(classes: Tensor) -> Tensor:
    """(N, 8) logits of neither, a die and each cube, from the (N, 13) logits of the classes."""
    die = classes[:, NONE + 1 : CUBE].logsumexp(dim=1, keepdim=True)
    return torch.cat([classes[:, :1], die, classes[:, CUBE:]], dim=1)


def loss_of(output: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of neither, die or cube; with those of face and flatness for dice."""
    classes, kind = output[:, :CLASSES], target[:, 0].long()
    is_die = (kind > NONE) & (kind < CUBE)
    what = torch.where(is_die, 1, (kind - CUBE + 2).clamp(min=0))
    face = fn.cross_entropy(classes[is_die, 1:CUBE], kind[is_die] - 1, label_smoothing=0.01)
    flat = (target[is_die, 1] < FLAT_DEG).float()
    flatness = fn.binary_cross_entropy_with_logits(output[is_die, CLASSES], flat)
    kinds = fn.cross_entropy(kinds_of(classes), what, label_smoothing=0.005)
    return kinds + FACE_WEIGHT * face + FLAT_WEIGHT * flatness


def train(options: CropTrainingOptions) -> None:
    """Train on crops, test on others, export."""
    made = load_chunks(options.folder, options.chunks, options.found, options.traced)
    test = load_chunks(options.folder, range(TEST_CHUNKS), range(TEST_CHUNKS))

    def loss_on(predict: Net, indices: Indices, generator: torch.Generator) -> Tensor:
        picture, target = make_batch(made, indices, generator)
        return loss_of(predict(picture), target)

    train_on_crops(
        options, DieNet, made, loss_on, partial(figures, test=test), learning_rate=LEARNING_RATE
    )


def figures(net: nn.Module, test: Crops) -> str:
    """Recall of dice, values, flatness, false positives, recall of cubes, their numbers.

    Also the recall of dice at a false positive rate of `FALSE_POSITIVES`.
    """
    net.eval()
    with torch.no_grad():
        parts = [net(make_batch(test, indices, None)[0])
                 for indices in np.array_split(np.arange(len(test[0])), 20)]  # fmt: skip
    output = torch.cat(parts)
    kind, tilt = torch.from_numpy(test[2]).unbind(1)
    predicted = output[:, :CLASSES].argmax(1)
    die, cube = (kind > NONE) & (kind < CUBE), kind >= CUBE
    is_die, is_cube = (predicted > NONE) & (predicted < CUBE), predicted >= CUBE
    flat = (output[:, CLASSES] > 0) == (tilt < FLAT_DEG)
    p_die = kinds_of(output[:, :CLASSES]).softmax(dim=1)[:, 1]
    bound = p_die[kind == NONE].quantile(1 - FALSE_POSITIVES)
    rows = [("dice", is_die[die]), ("dice where few others are", p_die[die] > bound),
            ("value", (predicted == kind)[die & is_die]), ("flat", flat[die]),
            ("false", (predicted != NONE)[kind == NONE]), ("cubes", is_cube[cube]),
            ("number", (predicted == kind)[cube & is_cube])]  # fmt: skip
    return ", ".join(f"{name} {100 * hit.float().mean():.1f}" for name, hit in rows)


if __name__ == "__main__":
    train(parse_arguments(__doc__, "die"))
