"""Train the size net: how many times the side for which a close view was cut its die's side is.

It learns from the crops of `size_crops.py`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.layers import Residual, down
from vision.training.learning import Learning
from vision.training.train_die import (
    BATCH,
    TESTED,
    Crops,
    Lessons,
    batch,
    lessons,
    load,
    take_lessons,
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


def train(said: Lessons) -> None:
    """Train, report on unseen crops, export."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    made = load(said.folder, said.chunks, range(0))
    test = load(said.folder, range(TESTED), range(0))
    generator = torch.Generator().manual_seed(4)
    net = SizeNet().to(memory_format=torch.channels_last)
    learning = Learning(net, said.epochs * (len(made[0]) // BATCH), FASTEST, 1e-2, said.start)

    def loss_of(picked: NDArray[np.int64]) -> Tensor:
        seen, truth = batch(made, picked, generator)
        return fn.smooth_l1_loss(net(seen)[:, 0] / UNIT, truth[:, 0] / UNIT)

    take_lessons(learning, said, len(made[0]), loss_of, lambda: figures(net, test))


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
