"""Train the stacks' net on the strips of `stack_crops.py`.

The counted side's colour comes before the other's; it answers (N, 16) logits of 0..15.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as fn

from engine.position import CHECKERS
from vision.stack_strips import LENGTH, WIDTH
from vision.training.coloured_crops import Crops
from vision.training.counting import Chance, Counting, Counts, main
from vision.training.row_net import RowNet
from vision.training.stack_crops import CHUNKS

SIZE: Final = (LENGTH, WIDTH)
GROUPS: Final = ((0, 3), (4, 4), (5, 5), (6, 7), (8, 15))
"""Counts, first and last, of which it is told how many are counted right."""
RARE: Final = 8
"""Checkers from which a stack is rare in the scenes; it looks much like a row of five."""
OFTEN: Final = 4
"""How often such a one is learnt in a round."""


def round_of(counts: Counts, rng: Chance) -> NDArray[np.intp]:
    """All strips, the rare ones several times."""
    rare = np.flatnonzero(counts >= RARE)
    return rng.permutation(np.concatenate([np.arange(len(counts)), np.tile(rare, OFTEN - 1)]))


def mirrored(crops: Crops, rng: Chance) -> Crops:
    """Half of the time with left and right exchanged."""
    strips, lifts, colours, counts = crops
    if rng.random() < 0.5:
        return crops
    return strips[:, :, ::-1], lifts * (-1, 1), colours, counts


def loss_of(told: Tensor, counts: Tensor) -> Tensor:
    """Cross-entropy, every count a little doubtful.

    The net does not learn how often it is shown rare ones (logit adjustment, Menon 2021).
    """
    often = torch.zeros(told.shape[1])
    often[RARE:] = math.log(OFTEN)
    return fn.cross_entropy(told + often, counts, label_smoothing=0.01)


def figures(told: Tensor, counts: Counts) -> str:
    """Counts told exactly, in groups; cross-entropy."""
    hit = told.argmax(1).numpy() == counts
    shares = [
        f"{low}-{high} {100 * hit[(counts >= low) & (counts <= high)].mean():.1f}"
        for low, high in GROUPS
    ]
    loss = float(fn.cross_entropy(told, torch.from_numpy(counts)))
    return ", ".join([*shares, f"all {100 * hit.mean():.1f}, ce {loss:.3f}"])


STACKS: Final = Counting(
    "stacks", SIZE, partial(RowNet, SIZE, CHECKERS + 1), CHUNKS.path, mirrored,
    lambda counts: counts, loss_of, figures, tested=6, chunks=120, epochs=10, round_of=round_of,
)  # fmt: skip

if __name__ == "__main__":
    main(STACKS, __doc__)
