"""Train the size net: how many times the side for which a close view was cut its die's side is.

It learns from the crops of `size_crops.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.nets.layers import Residual, down
from vision.training.train.die_lessons import (
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

FASTEST: Final = 2e-3
UNIT: Final = 0.1
"""Of the logarithm: what the net's loss counts as one."""


class SizeNet(nn.Module):
    """About 130 thousand weights, 5 MMAC a crop."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(5, 16), Residual(16), down(16, 32), Residual(32), down(32, 40), Residual(40),
            nn.Flatten(), nn.Linear(40 * 6 * 6, 32), nn.ReLU(inplace=True), nn.Linear(32, 1),
        )  # fmt: skip

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 1) logarithms of how much larger the dice of (N, 5, 48, 48) crops are."""
        return self.layers(crops)


def train(said: CropTraining) -> None:
    """Train, report on unseen crops, export."""
    made = load(said.folder, said.chunks, range(0))
    test = load(said.folder, range(TESTED), range(0))

    def loss_of(answer: Answer, picked: Picked, generator: torch.Generator) -> Tensor:
        seen, truth = batch(made, picked, generator)
        return fn.smooth_l1_loss(answer(seen)[:, 0] / UNIT, truth[:, 0] / UNIT)

    teach(said, SizeNet, made, loss_of, partial(figures, test=test), fastest=FASTEST)


def figures(net: nn.Module, test: Crops) -> str:
    """By how much the size is told wrong: the median and nine in ten, and of dice cut alike."""
    net.eval()
    with torch.no_grad():
        parts = [net(batch(test, picked, None)[0])[:, 0]
                 for picked in np.array_split(np.arange(len(test[0])), 40)]  # fmt: skip
    truth = torch.from_numpy(test[2][:, 0])
    amiss = (torch.cat(parts) - truth).abs()
    alike = amiss[truth.abs() < 2 * UNIT]
    return (
        f"off by {100 * amiss.median():.1f} {100 * amiss.quantile(0.9):.1f} %, about the true"
        f" size {100 * alike.median():.1f} {100 * alike.quantile(0.9):.1f} %"
    )


if __name__ == "__main__":
    train(lessons(__doc__, "die_size"))
