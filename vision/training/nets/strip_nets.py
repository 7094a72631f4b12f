"""The nets that count checkers along a strip: of the bar, the stacks and the trays.

Input (N, 7, length, width) as made by `vision/checkers/strips.py`.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from vision.checkers.bar import BAR_STRIP_LENGTH, BAR_STRIP_WIDTH, MAX_ON_BAR
from vision.checkers.strips import INPUT_CHANNELS
from vision.training.nets.layers import Residual, down

SHARED_LAYERS: Final = 7
"""The first layers: convolutions that do not depend on the strip's size."""
ACROSS, NORM, ALONG, LOGITS = 7, 8, 12, 14
"""Indices of the layers over a strip's width, its normalization, over its length, and of the
logits."""
SIDES = 2
SUMMED = 8.0
"""Scale of the pooled features, in places along the bar."""


class RowNet(nn.Module):
    """About 460 thousand weights, 100 MMAC per strip of 312 x 64 pixels."""

    def __init__(self, size: tuple[int, int], answers: int) -> None:
        """size: length and width of a strip in pixels, multiples of eight."""
        super().__init__()
        length, width = size
        self.layers = nn.Sequential(
            down(INPUT_CHANNELS, 16), Residual(16),
            down(16, 32), Residual(32),
            down(32, 48), Residual(48), Residual(48),
            nn.Conv2d(48, 64, (3, width // 8), padding=(1, 0), bias=False), nn.BatchNorm2d(64),
            nn.ReLU(inplace=True),
            nn.Flatten(), nn.Dropout(0.2),
            nn.Linear(64 * (length // 8), 96), nn.ReLU(inplace=True), nn.Linear(96, answers),
        )  # fmt: skip

    def forward(self, strips: Tensor) -> Tensor:
        """(N, answers) logits."""
        return self.layers(strips)

    def copy_from(self, other: RowNet) -> None:
        """Copy the weights of a net for narrower strips, in the middle and starting at the rail.

        The rest is zero. Its outputs come first; the others are unchanged.
        """
        self.layers[:SHARED_LAYERS].load_state_dict(other.layers[:SHARED_LAYERS].state_dict())
        self.layers[NORM].load_state_dict(other.layers[NORM].state_dict())
        across, narrow = self.layers[ACROSS].weight, other.layers[ACROSS].weight
        margin = (across.shape[3] - narrow.shape[3]) // 2
        along, other_along = self.layers[ALONG], other.layers[ALONG]
        logits, other_logits = self.layers[LOGITS], other.layers[LOGITS]
        with torch.no_grad():
            across.zero_()
            across[..., margin : margin + narrow.shape[3]] = narrow
            places, other_places = (
                layer.weight.view(len(layer.weight), len(across), -1)
                for layer in (along, other_along)
            )
            places.zero_()
            reach = min(places.shape[2], other_places.shape[2])
            places[..., :reach] = other_places[..., :reach]
            along.bias.copy_(other_along.bias)
            logits.weight[: len(other_logits.weight)] = other_logits.weight
            logits.bias[: len(other_logits.bias)] = other_logits.bias


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
