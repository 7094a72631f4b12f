"""Train the size net: the ratio of a die's side to the side that its crop was cut for.

It is trained on the crops of `size_crops.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.nets.layers import Residual, down
from vision.training.train.crop_training import (
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

LEARNING_RATE: Final = 2e-3
UNIT: Final = 0.1
"""Of the logarithm: where the loss turns from quadratic to linear."""


class SizeNet(nn.Module):
    """About 130 thousand weights, 5 MMAC a crop."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(5, 16), Residual(16), down(16, 32), Residual(32), down(32, 40), Residual(40),
            nn.Flatten(), nn.Linear(40 * 6 * 6, 32), nn.ReLU(inplace=True), nn.Linear(32, 1),
        )  # fmt: skip

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 1) logarithms of the ratios of (N, 5, 48, 48) crops."""
        return self.layers(crops)


def train(options: CropTrainingOptions) -> None:
    """Train on crops, test on others, export."""
    made = load_chunks(options.folder, options.chunks, range(0))
    test = load_chunks(options.folder, range(TEST_CHUNKS), range(0))

    def loss_of(predict: Net, indices: Indices, generator: torch.Generator) -> Tensor:
        seen, truth = make_batch(made, indices, generator)
        return fn.smooth_l1_loss(predict(seen)[:, 0] / UNIT, truth[:, 0] / UNIT)

    train_on_crops(
        options, SizeNet, made, loss_of, partial(figures, test=test), learning_rate=LEARNING_RATE
    )


def figures(net: nn.Module, test: Crops) -> str:
    """Relative errors of the size, median and 90 % quantile: of all, and of ratios near 1."""
    net.eval()
    with torch.no_grad():
        parts = [net(make_batch(test, indices, None)[0])[:, 0]
                 for indices in np.array_split(np.arange(len(test[0])), 40)]  # fmt: skip
    truth = torch.from_numpy(test[2][:, 0])
    errors = (torch.cat(parts) - truth).abs()
    near_true = errors[truth.abs() < 2 * UNIT]
    return (
        f"off by {100 * errors.median():.1f} {100 * errors.quantile(0.9):.1f} %, about the true"
        f" size {100 * near_true.median():.1f} {100 * near_true.quantile(0.9):.1f} %"
    )


if __name__ == "__main__":
    train(parse_arguments(__doc__, "die_size"))
