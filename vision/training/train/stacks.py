"""Trains the stacks' net on the strips of `stack_crops.py`.

The color of the counted side comes first in the input; the output is (N, 16) logits of 0..15.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.distributions import Categorical
from torch.nn import functional as fn

from engine.arrays import Ints, Rng
from engine.position import CHECKERS
from vision.checkers.stacks import STACK_LENGTH, STACK_WIDTH
from vision.training.nets.strip_nets import RowNet
from vision.training.samples.coloured_crops import Crops
from vision.training.scenes.checkers import random_position
from vision.training.train.counting import counting_task
from vision.training.train.figures import Figures, percent

SIZE: Final = (STACK_LENGTH, STACK_WIDTH)
COUNT_GROUPS: Final = ((0, 0), (1, 3), (4, 4), (5, 5), (6, 7), (8, 15))
"""Ranges of counts whose accuracy is reported."""
OTHER_SIDE_SHARE: Final = 0.2
"""Fraction of occupied points given the other side's color first, which has no checkers there."""
POSITIONS: Final = 2000
"""Number of positions from which the frequency of each count is estimated."""


def augment(crops: Crops, rng: Rng) -> Crops:
    """The crops, mirrored half of the time; some with the other side's color first."""
    strips, lifts, colours, counts = crops
    if rng.random() < 0.5:
        strips, lifts = strips[:, :, ::-1], lifts * (-1, 1)
    other = (counts > 0) & (rng.random(len(counts)) < OTHER_SIDE_SHARE)
    shown = np.where(other[:, None, None], colours[:, ::-1], colours)
    return strips, lifts, shown, np.where(other, 0, counts)


def offset(crops: Crops) -> Tensor:
    """(16,) log-ratios of each count's frequency in training to that on a point in play."""
    counts = crops[3]
    learnt = np.bincount(counts, minlength=CHECKERS + 1) * (1 - OTHER_SIDE_SHARE)
    learnt[0] = len(counts) - learnt[1:].sum()
    rng = np.random.default_rng(0)
    held = np.abs([random_position(rng)[0] for _ in range(POSITIONS)]).ravel()
    usual = np.bincount(held, minlength=CHECKERS + 1) / 2
    usual[0] = len(held) - usual[1:].sum()
    ratios = np.log(np.maximum(learnt, 1) / len(counts)) - np.log(usual / len(held))
    return torch.from_numpy(ratios.astype(np.float32))


def loss_of(logits: Tensor, counts: Tensor) -> Tensor:
    """Cross-entropy with label smoothing."""
    return fn.cross_entropy(logits, counts, label_smoothing=0.01)


def entropy(logits: Tensor) -> Tensor:
    """(N,) entropies of the counts."""
    return Categorical(logits=logits).entropy()


def figures(logits: Tensor, counts: Ints) -> Figures:
    """Accuracy by group of counts, and the cross-entropy."""
    hit = logits.argmax(1).numpy() == counts
    loss = float(fn.cross_entropy(logits, torch.from_numpy(counts)))
    shares = {
        f"{low}-{high} %": percent(hit[(counts >= low) & (counts <= high)])
        for low, high in COUNT_GROUPS
    }
    return {"right %": percent(hit), "cross-entropy": loss} | shares


make_net: Final = partial(RowNet, SIZE, CHECKERS + 1)
TASK: Final = counting_task(
    "stacks", SIZE, make_net, augment, lambda counts: counts, loss_of, figures, offset=offset,
    doubt=entropy,
)  # fmt: skip
