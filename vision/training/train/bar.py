"""Train the bar's net on the strips of `bar_crops.py`."""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Ints, Rng
from vision.checkers.bar import BAR_STRIP_LENGTH, BAR_STRIP_WIDTH, MAX_ON_BAR
from vision.training.nets.bar_net import BarNet
from vision.training.samples.bar_crops import CHUNKS
from vision.training.samples.coloured_crops import Crops
from vision.training.train.counting import CountingTask, main


def seen_otherwise(crops: Crops, rng: Rng) -> Crops:
    """From the other end, in a mirror, light taken for dark: each half of the time."""
    strips, lifts, colours, counts = crops
    for axis, across in ((1, 1), (2, 0)):
        if rng.random() < 0.5:
            strips, lifts = np.flip(strips, axis), lifts * np.where([across, 1 - across], 1, -1)
    if rng.random() < 0.5:
        colours, counts = colours[:, ::-1], counts[:, ::-1]
    return strips, lifts, colours, counts


def classes(counts: Ints) -> Ints:
    """More than the net tells apart are as many as it does."""
    return np.minimum(counts, MAX_ON_BAR)


def loss_of(told: Tensor, counts: Tensor) -> Tensor:
    """Cross-entropy of both sides' counts."""
    return fn.cross_entropy(
        told.reshape(-1, MAX_ON_BAR + 1), counts.flatten(), label_smoothing=0.01
    )


def figures(told: Tensor, counts: Ints) -> str:
    """Empty bars told empty, held ones exactly; cross-entropy of both sides together."""
    answer, true = told.unflatten(1, (2, MAX_ON_BAR + 1)), torch.from_numpy(classes(counts))
    loss = 2 * float(fn.cross_entropy(answer.flatten(0, 1), true.flatten()))
    hit = (answer.argmax(2) == true).all(dim=1)
    held = true.any(dim=1)
    shares = (100 * float(part.float().mean()) for part in (hit[~held], hit[held]))
    return "empty {:.1f}, held {:.1f}, ".format(*shares) + f"ce {loss:.3f}"


BARS: Final = CountingTask(
    "bar", (BAR_STRIP_LENGTH, BAR_STRIP_WIDTH), BarNet, CHUNKS.path, seen_otherwise, classes,
    loss_of, figures, tested=6, chunks=130, epochs=20,
)  # fmt: skip

if __name__ == "__main__":
    main(BARS, __doc__)
