"""The die net: what a crop shows, and whether it lies flat.

Input (N, 5, 48, 48) as cut by `vision/dice/views.py`. Output (N, 14): logits of neither, of the
faces 1..6, of cubes that show 2, 4, 8, 16, 32, 64; and the logit of lying flat.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn

from vision.dice.classify import CLASS_COUNT
from vision.training.nets.layers import Residual, down


class DieNet(nn.Module):
    """About 400 thousand weights, 25 MMAC per crop."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(5, 24), Residual(24),
            down(24, 48), Residual(48), Residual(48),
            down(48, 64), Residual(64),
            nn.Flatten(), nn.Dropout(0.2),
            nn.Linear(64 * 6 * 6, 96), nn.ReLU(inplace=True), nn.Linear(96, CLASS_COUNT + 1),
        )  # fmt: skip

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 14) logits of (N, 5, 48, 48) crops."""
        return self.layers(crops)


FLAT_OUTPUT: Final = slice(CLASS_COUNT, CLASS_COUNT + 1)


class PartNet(nn.Module):
    """The die net with a part of its outputs, such as `FACE_CLASSES` or `FLAT_OUTPUT`."""

    def __init__(self, outputs: slice | list[int]) -> None:
        super().__init__()
        *rest, last = DieNet().layers
        self.outputs = torch.arange(last.out_features)[outputs]
        part = nn.Linear(last.in_features, len(self.outputs))
        self.layers = nn.Sequential(*rest, part)

    def forward(self, crops: Tensor) -> Tensor:
        """(N, outputs) logits of (N, 5, 48, 48) crops."""
        return self.layers(crops)

    def take_over(self, weights: dict[str, Tensor]) -> None:
        """Begin with the weights of a die net."""
        last = f"layers.{len(self.layers) - 1}."
        self.load_state_dict({
            name: weight[self.outputs] if name.startswith(last) else weight
            for name, weight in weights.items()
        })  # fmt: skip
