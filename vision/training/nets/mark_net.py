"""A keypoint detector: a heatmap with cells of 4 x 4 pixels for each kind of keypoint.

The keypoints of the board finder are the field's corners, the bar's ends, the points' tips and the
inside; those of the dice finder are the middles of dice and of the doubling cube.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from engine.arrays import Floats, Floats32, Image
from vision.board.heatmaps import STRIDE
from vision.training.nets.layers import Residual, down

PEAK_SIGMA: Final = 1.1
"""Standard deviation of a target's peak, in cells."""


class MarkNet(nn.Module):
    """Logits of each kind of keypoint; with `wide`, the receptive field is the whole image."""

    def __init__(self, kinds: int, *, wide: bool) -> None:
        super().__init__()
        self.fine = nn.Sequential(down(3, 12), down(12, 24), Residual(24))
        self.middle = nn.Sequential(down(24, 48), Residual(48), Residual(48, 2))
        self.coarse = (
            nn.Sequential(down(48, 64), Residual(64), Residual(64, 3), _up(64, 48))
            if wide
            else None
        )
        self.joined = Residual(48) if wide else nn.Identity()
        self.from_middle = _up(48, 24)
        self.marks = nn.Sequential(Residual(24), nn.Conv2d(24, kinds, 1))

    def forward(self, x: Tensor) -> Tensor:
        """(N, kinds, H/4, W/4) logits of (N, 3, H, W) BGR / 255 - 0.5; H, W multiples of 16."""
        fine = self.fine(x)
        middle = self.middle(fine)
        if self.coarse is not None:
            middle = middle + self.coarse(middle)
        return self.marks(fine + self.from_middle(self.joined(middle)))


def _up(channels_in: int, channels_out: int) -> nn.Module:
    return nn.Sequential(nn.Conv2d(channels_in, channels_out, 1), nn.Upsample(scale_factor=2))


def make_heatmaps(places: Sequence[Floats], size: tuple[int, int], kinds: int) -> Floats32:
    """(kinds, h/4, w/4) targets: 1 in the cell of each of the (N, 2) pixel `places` of a kind."""
    width, height = size[0] // STRIDE, size[1] // STRIDE
    x, y = np.arange(width), np.arange(height)
    target = np.zeros((kinds, height, width), np.float32)
    for layer, pixels in zip(target, places, strict=False):
        for px, py in (pixels - (STRIDE - 1) / 2) / STRIDE:
            across, along = (
                np.exp(-((axis - at) ** 2) / (2 * PEAK_SIGMA**2)).astype(np.float32)
                for axis, at in ((x, px), (y, py))
            )
            np.maximum(layer, np.outer(along, across), out=layer)
    return target


def marks_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Penalty-reduced focal loss (CenterNet, Zhou 2019, eq. 1), averaged over each kind."""
    p = logits.sigmoid().clamp(1e-4, 1 - 1e-4)
    is_mark = target > 0.85
    hit = -((1 - p) ** 2) * p.log() * is_mark
    miss = -(p**2) * (1 - p).log() * (1 - target) ** 4 * ~is_mark
    return ((hit + miss).sum(dim=(0, 2, 3)) / is_mark.sum(dim=(0, 2, 3)).clamp(min=8)).sum()


def to_tensor(pictures: Image) -> Tensor:
    """(N, 3, H, W) floats from (N, H, W, 3) images, channels last in memory."""
    tensor = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255 - 0.5
    return tensor.contiguous(memory_format=torch.channels_last)
