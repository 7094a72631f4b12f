"""The dice net: a small fully convolutional detector, one answer for every 4 x 4 pixels.

Input (N, 3, H, W) BGR / 255 - 0.5 at 14 pixels a die; H and W multiples of 4. Output
(N, 10, H/4, W/4): logits of no die and of the faces 1..6, offset x and y of the top face's centre
from the cell's middle in pixels, logit of lying flat.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class _Residual(nn.Module):
    def __init__(self, channels: int, dilation: int = 1) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=dilation, dilation=dilation, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.body(x))


class DiceNet(nn.Module):
    """About 53 thousand weights."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            _down(3, 16),
            _Residual(16),
            _down(16, 32),
            _Residual(32),
            _Residual(32, dilation=2),
            nn.Conv2d(32, 10, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """(N, 10, H/4, W/4) answers to (N, 3, H, W) pictures."""
        return self.layers(x)


def _down(inward: int, outward: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(inward, outward, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(outward),
        nn.ReLU(inplace=True),
    )
