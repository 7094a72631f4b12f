"""Train the stacks' net on the strips of `stack_crops.py`.

The counted side's colour comes before the other's; it answers (N, 16) logits of 0..15.
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
from vision.checkers.stacks import STACK_LENGTH, STACK_WIDTH
from vision.training.nets.row_net import RowNet
from vision.training.samples.coloured_crops import Crops
from vision.training.samples.stack_crops import CHUNKS
from vision.training.scenes.checkers import random_position
from vision.training.train.counting import CountingTask, main

SIZE: Final = (STACK_LENGTH, STACK_WIDTH)
GROUPS: Final = ((0, 0), (1, 3), (4, 4), (5, 5), (6, 7), (8, 15))
"""Counts, first and last, of which it is told how many are counted right."""
OTHERS: Final = 0.2
"""Share of the held points that are shown with the other side's colour first: it has none there."""
GAMES: Final = 2000
"""Positions by which it is told how often each count comes."""


def other_first(crops: Crops, rng: Rng) -> Crops:
    """Half of the time with left and right exchanged; some with the other side's colour first."""
    strips, lifts, colours, counts = crops
    if rng.random() < 0.5:
        strips, lifts = strips[:, :, ::-1], lifts * (-1, 1)
    other = (counts > 0) & (rng.random(len(counts)) < OTHERS)
    known = np.where(other[:, None, None], colours[:, ::-1], colours)
    return strips, lifts, known, np.where(other, 0, counts)


def offset(counts: Ints) -> Tensor:
    """(16,) how much oftener each count is learnt than one side has it on a point."""
    learnt = np.bincount(counts, minlength=CHECKERS + 1) * (1 - OTHERS)
    learnt[0] = len(counts) - learnt[1:].sum()
    rng = np.random.default_rng(0)
    held = np.abs([random_position(rng)[0] for _ in range(GAMES)]).ravel()
    usual = np.bincount(held, minlength=CHECKERS + 1) / 2
    usual[0] = len(held) - usual[1:].sum()
    often = np.log(np.maximum(learnt, 1) / len(counts)) - np.log(usual / len(held))
    return torch.from_numpy(often.astype(np.float32))


def loss_of(told: Tensor, counts: Tensor) -> Tensor:
    """Cross-entropy, every count a little doubtful."""
    return fn.cross_entropy(told, counts, label_smoothing=0.01)


def figures(told: Tensor, counts: Ints) -> str:
    """Counts told exactly, in groups; cross-entropy."""
    hit = told.argmax(1).numpy() == counts
    shares = [
        f"{low}-{high} {100 * hit[(counts >= low) & (counts <= high)].mean():.1f}"
        for low, high in GROUPS
    ]
    loss = float(fn.cross_entropy(told, torch.from_numpy(counts)))
    return ", ".join([*shares, f"all {100 * hit.mean():.1f}, ce {loss:.3f}"])


STACKS: Final = CountingTask(
    "stacks", SIZE, partial(RowNet, SIZE, CHECKERS + 1), CHUNKS.path, other_first,
    lambda counts: counts, loss_of, figures, tested=6, chunks=130, epochs=8, offset=offset,
)  # fmt: skip

if __name__ == "__main__":
    main(STACKS, __doc__)
