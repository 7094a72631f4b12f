"""Trains the size net: the ratio of a die's side to the side for which its crop was cut.

It is trained on the crops of `size_crops.py`.
"""

from __future__ import annotations

from typing import Final

from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.nets.layers import Residual, down
from vision.training.train import crop_training
from vision.training.train.crop_training import Crops, crop_task
from vision.training.train.figures import Figures, quantile

UNIT: Final = 0.1
"""Log ratio at which the loss turns from quadratic to linear."""


class SizeNet(nn.Module):
    """About 130 thousand weights, 5 MMAC per crop."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(5, 16), Residual(16), down(16, 32), Residual(32), down(32, 40), Residual(40),
            nn.Flatten(), nn.Linear(40 * 6 * 6, 32), nn.ReLU(inplace=True), nn.Linear(32, 1),
        )  # fmt: skip

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 1) log ratios for (N, 5, 48, 48) crops."""
        return self.layers(crops)


def loss_of(output: Tensor, target: Tensor) -> Tensor:
    """Smooth L1 loss of the log ratios."""
    return fn.smooth_l1_loss(output[:, 0] / UNIT, target[:, 0] / UNIT)


def figures(net: nn.Module, crops: Crops) -> Figures:
    """Relative errors of the size, median and 90th percentile: of all, and of ratios near 1."""
    output, target = crop_training.predict(net, crops)
    truth = target[:, 0]
    errors = 100 * (output[:, 0] - truth).abs()
    near_true = errors[truth.abs() < 2 * UNIT]
    return {
        f"{share:.0%} within{name} %": quantile(some, share)
        for name, some in (("", errors), (", about the true size,", near_true))
        for share in (0.5, 0.9)
    }


TASK: Final = crop_task("die_size", SizeNet, crop_training.make_batch, loss_of, figures, 2e-3)
