"""The net of the stacks and of the trays: how many checkers lie along a strip, in whatever layers.

Input (N, 7, length, width) as `vision/checkers/coloured_strips.py` makes it. A first layer begins
at the rail and a second one upon it, so every place along the strip is weighed by itself.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from vision.checkers.coloured_strips import INPUT_CHANNELS
from vision.training.nets.layers import Residual, down

SEEING: Final = 7
"""First layers, which look at every place alike."""
ACROSS, NORM, ALONG, TOLD = 7, 8, 12, 14
"""The layers that sum up a strip's width and its length, and that answers."""


class RowNet(nn.Module):
    """About 460 thousand weights, 100 MMAC a strip of 312 x 64 pixels."""

    def __init__(self, size: tuple[int, int], answers: int) -> None:
        """size: length and width of a strip, whole eights of pixels."""
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

    def take_over(self, other: RowNet) -> None:
        """Know what another one knows of narrower strips, in the middle and from the rail on.

        As far as both reach along a strip. Its answers come first, what more there are is still to
        be learnt.
        """
        self.layers[:SEEING].load_state_dict(other.layers[:SEEING].state_dict())
        self.layers[NORM].load_state_dict(other.layers[NORM].state_dict())
        across, seen = self.layers[ACROSS].weight, other.layers[ACROSS].weight
        aside = (across.shape[3] - seen.shape[3]) // 2
        along, weighed = self.layers[ALONG], other.layers[ALONG]
        told, answers = self.layers[TOLD], other.layers[TOLD]
        with torch.no_grad():
            across.zero_()
            across[..., aside : aside + seen.shape[3]] = seen
            places, seen_there = (
                layer.weight.view(len(layer.weight), len(across), -1) for layer in (along, weighed)
            )
            places.zero_()
            reach = min(places.shape[2], seen_there.shape[2])
            places[..., :reach] = seen_there[..., :reach]
            along.bias.copy_(weighed.bias)
            told.weight[: len(answers.weight)] = answers.weight
            told.bias[: len(answers.bias)] = answers.bias
