"""The bar's net: how many light and how many dark checkers lie on it.

Input (N, 7, 384, 48) as `vision/checkers/coloured_strips.py` makes it of the strip of
`vision/checkers/bar.py`. Output (N, 14): logits of 0..6 light, then of 0..6 dark checkers.
They lie anywhere along the bar, so the features are pooled over its length.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.checkers.bar import BAR_STRIP_LENGTH, BAR_STRIP_WIDTH, MAX_ON_BAR
from vision.checkers.coloured_strips import INPUT_CHANNELS
from vision.training.nets.layers import Residual, down

SIDES = 2
SUMMED = 8.0
"""Scale of the pooled features, in places along the bar."""


class BarNet(nn.Module):
    """About 220 thousand weights, 85 MMAC."""

    def __init__(self) -> None:
        super().__init__()
        self.places = nn.Sequential(
            down(INPUT_CHANNELS, 16), Residual(16),
            down(16, 32), Residual(32),
            down(32, 48), Residual(48),
            nn.Conv2d(48, 64, (5, BAR_STRIP_WIDTH // 8), padding=(2, 0), bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(inplace=True),
            nn.Conv2d(64, 64, (5, 1), padding=(2, 0)), nn.ReLU(inplace=True),
        )  # fmt: skip
        self.count = nn.Sequential(
            nn.Dropout(0.1), nn.Linear(128, 64), nn.ReLU(inplace=True),
            nn.Linear(64, SIDES * (MAX_ON_BAR + 1)),
        )  # fmt: skip

    def forward(self, strips: Tensor) -> Tensor:
        """(N, 14) logits of (N, 7, 384, 48) strips."""
        features = self.places(strips)
        length = (BAR_STRIP_LENGTH // 8, 1)
        summed = nn.functional.avg_pool2d(features, length) * (BAR_STRIP_LENGTH / 8 / SUMMED)
        most = nn.functional.max_pool2d(features, length)
        return self.count(torch.cat([summed, most], dim=1).flatten(1))
