"""Layers that all nets share."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Residual(nn.Module):
    """A residual block of two convolutions (He 2016)."""

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
        """(N, C, h, w) of the same shape as `x`."""
        return torch.relu(x + self.body(x))


def down(channels_in: int, channels_out: int) -> nn.Module:
    """A convolution that halves width and height."""
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_out, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(channels_out),
        nn.ReLU(inplace=True),
    )
