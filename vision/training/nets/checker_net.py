"""The checkers' net: from the 26 strips of a board to the number and color of checkers on each.

Input (26, 5, 168, 44): for points 1..24 and the near and far half of the bar, rail first, BGR / 255
- 0.5 and the parallax of one checker's thickness across and along the strip (pixels / 8, constant).
Output (26, 31 + 96): logits of -15 (dark) .. 15 (light), on the bar's halves for the more numerous
color; and the features from which they are computed, for `vision/checkers/fine_tune.py`. All strips
together show the set's colors: they modulate the layers of each strip (FiLM, Perez 2018), so a
board needs no calibration.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from engine.evidence.observation import COUNTS
from vision.training.nets.layers import Residual, down

STRIPS = 26
FEATURES = 96


class _SetContext(nn.Module):
    """Scales and shifts every channel by statistics of the whole board."""

    strips = STRIPS
    """Number of strips per board in the input; fewer in training."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.mix = nn.Sequential(
            nn.Linear(3 * channels, 64), nn.ReLU(inplace=True), nn.Linear(64, 2 * channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        """(B * 26, C, h, w) modulated; the strips of a board are consecutive."""
        channels = x.shape[1]
        spots = nn.functional.avg_pool2d(x, (4, 3), (4, 3)).flatten(2)
        own = torch.stack([spots.mean(2), spots.amax(2), -(-spots).amax(2)], dim=1)
        board = own.reshape(-1, self.strips, 3, channels)
        context = torch.cat(
            [board[:, :, 0].mean(1), board[:, :, 1].mean(1), board[:, :, 2].mean(1)], dim=1
        )
        scale, shift = self.mix(context).reshape(-1, 1, 2, channels, 1, 1).unbind(2)
        modulated = x.reshape(-1, self.strips, *x.shape[1:]) * (1 + scale) + shift
        return modulated.reshape(-1, *x.shape[1:])


class CheckerNet(nn.Module):
    """About 250 thousand weights, 0.8 GMAC per board."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(down(5, 16), Residual(16))
        self.colours = _SetContext(16)
        self.second = nn.Sequential(down(16, 32), Residual(32))
        self.marks = _SetContext(32)
        self.third = nn.Sequential(down(32, 48), Residual(48), Residual(48))
        self.shapes = _SetContext(48)
        self.rows = nn.Sequential(
            nn.Conv2d(48, 64, (1, 5), bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)
        )
        self.count = nn.Sequential(
            nn.Linear(21 * 64, FEATURES), nn.ReLU(inplace=True), nn.Linear(FEATURES, COUNTS)
        )

    def set_strips(self, strips: int) -> None:
        """Expect this many strips per board."""
        for context in (self.colours, self.marks, self.shapes):
            context.strips = strips

    def forward(self, strips: Tensor) -> Tensor:
        """(B * 26, 127) logits and features of (B * 26, 5, 168, 44) strips."""
        x = self.colours(self.first(strips))
        x = self.marks(self.second(x))
        x = self.shapes(self.third(x))
        features = self.count[:2](self.rows(x).flatten(1))
        return torch.cat([self.count[2](features), features], dim=1)
