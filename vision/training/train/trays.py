"""Trains the trays' net on the strips of `tray_crops.py`.

It starts from the stacks' net. The output is (N, 17) logits: of 0..15 checkers of the first color,
and of the presence of a tray.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Ints, Rng
from engine.position import CHECKERS
from vision.checkers.trays import TRAY_LENGTH, TRAY_WIDTH
from vision.training.nets.strip_nets import RowNet
from vision.training.samples.coloured_crops import Crops
from vision.training.train.counting import counting_task
from vision.training.train.figures import Figures, mean, percent
from vision.training.train.stacks import OTHER_SIDE_SHARE
from vision.training.train.stacks import make_net as make_stacks_net

SIZE: Final = (TRAY_LENGTH, TRAY_WIDTH)
OUTPUTS: Final = CHECKERS + 2
EMPTY_SHARE: Final = 0.5
"""Fraction of the empty strips used in one round."""
TRAY_WEIGHT: Final = 0.3
"""Weight of the tray's presence loss relative to that of the count."""
COUNT_GROUPS: Final = ((0, 0), (1, 4), (5, 5), (6, 7), (8, 10), (11, 15))
"""Ranges of counts whose accuracy is reported."""


def take_over(net: RowNet, weights: dict[str, Tensor]) -> None:
    """Begin with the weights of a stacks' net; trays are wider than points."""
    stacks = make_stacks_net()
    stacks.load_state_dict(weights)
    net.copy_from(stacks)


def augment(crops: Crops, rng: Rng) -> Crops:
    """Most strips with the color of their checkers first, some with the other."""
    strips, lifts, colours, truths = crops
    other = (truths[:, 0] < 0) != (rng.random(len(truths)) < OTHER_SIDE_SHARE)
    shown = np.where(other[:, None, None], colours[:, ::-1], colours)
    sign = np.where(other, -1, 1)
    return strips, lifts, shown, np.column_stack([truths[:, 0] * sign, truths[:, 1]])


def classes(truths: Ints) -> Ints:
    """The number of checkers of the first color, and whether there is a tray."""
    return np.maximum(truths, 0)


def loss_of(logits: Tensor, truths: Tensor) -> Tensor:
    """Cross-entropy of the counts with label smoothing, plus that of the presence of a tray."""
    there = fn.binary_cross_entropy_with_logits(logits[:, -1], truths[:, 1].float())
    return (
        fn.cross_entropy(logits[:, :-1], truths[:, 0], label_smoothing=0.01) + TRAY_WEIGHT * there
    )


def order(crops: Crops, rng: Rng) -> Ints:
    """All occupied strips and some of the empty ones, in random order."""
    truths = crops[3]
    full, empty = np.flatnonzero(truths[:, 0]), np.flatnonzero(truths[:, 0] == 0)
    some = rng.choice(empty, round(EMPTY_SHARE * len(empty)), replace=False)
    return rng.permutation(np.concatenate([full, some]))


def figures(logits: Tensor, truths: Ints) -> Figures:
    """By group of counts: exact, within one, and the cross-entropy; then the accuracy for trays."""
    held, there = np.maximum(truths[:, 0], 0), truths[:, 1] > 0
    wrong = np.abs(logits[:, :-1].argmax(1).numpy() - held)
    losses = fn.cross_entropy(logits[:, :-1], torch.from_numpy(held), reduction="none").numpy()
    out = {"tray told %": percent((logits[:, -1].numpy() > 0) == there)}
    for low, high in COUNT_GROUPS:
        some = (held >= low) & (held <= high)
        out[f"{low}-{high} %"] = percent(wrong[some] == 0)
        out[f"{low}-{high} within one %"] = percent(wrong[some] <= 1)
        out[f"{low}-{high} cross-entropy"] = mean(losses[some])
    return out


TASK: Final = counting_task(
    "trays", SIZE, partial(RowNet, SIZE, OUTPUTS), augment, classes, loss_of, figures,
    learning_rate=1e-3, order=order, take_over=take_over,
)  # fmt: skip
