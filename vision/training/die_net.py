"""The die net: what one close view shows, and whether it lies flat.

Input (N, 5, 48, 48) as `vision/die_crop.py` cuts it. Output (N, 14): logits of neither, of the
faces 1..6, of cubes that show 2, 4, 8, 16, 32, 64; and the logit of lying flat.
"""

from __future__ import annotations

from torch import Tensor, nn

from vision.training.layers import Residual, down

CLASSES = 13


class DieNet(nn.Module):
    """About 400 thousand weights, 25 MMAC a crop."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(5, 24), Residual(24),
            down(24, 48), Residual(48), Residual(48),
            down(48, 64), Residual(64),
            nn.Flatten(), nn.Dropout(0.2),
            nn.Linear(64 * 6 * 6, 96), nn.ReLU(inplace=True), nn.Linear(96, CLASSES + 1),
        )  # fmt: skip

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 14) logits of (N, 5, 48, 48) crops."""
        return self.layers(crops)


class FaceNet(nn.Module):
    """The die net with the six faces alone: (N, 6) logits of 1..6."""

    def __init__(self, die: DieNet) -> None:
        super().__init__()
        *rest, last = die.layers
        faces = nn.Linear(last.in_features, 6)
        faces.weight.data.copy_(last.weight[1:7])
        faces.bias.data.copy_(last.bias[1:7])
        self.layers = nn.Sequential(*rest, faces)

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 6) logits of (N, 5, 48, 48) crops."""
        return self.layers(crops)
