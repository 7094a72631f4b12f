"""The layers that all our nets are made of."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Residual(nn.Module):
    """Two convolutions added to what they were given (He 2016)."""

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


def down(inward: int, outward: int) -> nn.Module:
    """Half the width and height."""
    return nn.Sequential(
        nn.Conv2d(inward, outward, 4, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(outward),
        nn.ReLU(inplace=True),
    )
