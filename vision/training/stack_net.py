"""The stacks' net: how many checkers of one side stand on a point, in whatever layers.

Input (N, 7, 248, 64) as `vision/coloured_strips.py` makes it of the strips of
`vision/stack_strips.py`, the counted side's colour before the other's. Output (N, 16): logits of
0..15. A first layer begins at the rail and a second one upon it, so every place along the strip is
weighed by itself.
"""

from __future__ import annotations

from torch import Tensor, nn

from engine.position import CHECKERS
from vision.coloured_strips import CHANNELS
from vision.stack_strips import LENGTH, WIDTH
from vision.training.layers import Residual, down

ANSWERS = CHECKERS + 1


class StackNet(nn.Module):
    """About 410 thousand weights, 80 MMAC a strip."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(CHANNELS, 16), Residual(16),
            down(16, 32), Residual(32),
            down(32, 48), Residual(48), Residual(48),
            nn.Conv2d(48, 64, (3, WIDTH // 8), padding=(1, 0), bias=False), nn.BatchNorm2d(64),
            nn.ReLU(inplace=True),
            nn.Flatten(), nn.Dropout(0.2),
            nn.Linear(64 * (LENGTH // 8), 96), nn.ReLU(inplace=True), nn.Linear(96, ANSWERS),
        )  # fmt: skip

    def forward(self, strips: Tensor) -> Tensor:
        """(N, 16) logits of (N, 7, 248, 64) strips."""
        return self.layers(strips)
