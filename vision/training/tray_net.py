"""The trays' net: how many checkers lie in one quarter's tray, flat or on edge, and whose.

Input (N, 7, 176, 64) as `vision/coloured_strips.py` makes it. Output (N, 31): logits of
-15 (dark) .. 15 (light).
"""

from __future__ import annotations

from torch import Tensor, nn

from vision.coloured_strips import CHANNELS
from vision.training.layers import Residual, down
from vision.tray_strips import LENGTH, WIDTH

ANSWERS = 31


class TrayNet(nn.Module):
    """About 190 thousand weights, 50 MMAC a strip."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(CHANNELS, 16), Residual(16),
            down(16, 32), Residual(32),
            down(32, 48), Residual(48),
            nn.Conv2d(48, 48, (1, WIDTH // 8), bias=False), nn.BatchNorm2d(48),
            nn.ReLU(inplace=True),
            nn.Flatten(), nn.Dropout(0.2),
            nn.Linear(48 * (LENGTH // 8), 64), nn.ReLU(inplace=True), nn.Linear(64, ANSWERS),
        )  # fmt: skip

    def forward(self, strips: Tensor) -> Tensor:
        """(N, 31) logits of (N, 7, 176, 64) strips."""
        return self.layers(strips)
