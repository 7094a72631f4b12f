"""Trains the center net: the offset of the die in a crop from the crop's middle.

A peak of the dice finder errs by a tenth of a die's side, some by a third; with a crop that far
off, a face is read with 1.5 times the cross-entropy. The net is trained on the dice among the crops
of `die_crops.py` and `found_crops.py`, each shifted at random.
"""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from engine.arrays import Ints
from vision.dice.views import CROP_SIZE, MAX_CENTER_OFFSET
from vision.training.nets.layers import Residual, down
from vision.training.train import crop_training
from vision.training.train.crop_training import Crops, crop_task, dice_only
from vision.training.train.figures import Figures, quantile
from vision.training.train.learning import Batch


class CentreNet(nn.Module):
    """About 90 thousand weights, 4 MMAC per crop."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(5, 16), Residual(16), down(16, 32), Residual(32), down(32, 48),
            nn.Flatten(), nn.Linear(48 * 4 * 4, 48), nn.ReLU(inplace=True), nn.Linear(48, 2),
        )  # fmt: skip

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 2) pixels right and down from the middles of (N, 5, 48, 48) crops to their dice."""
        inner = slice(MAX_CENTER_OFFSET, CROP_SIZE - MAX_CENTER_OFFSET)
        return self.layers(crops[:, :, inner, inner]) * MAX_CENTER_OFFSET


def make_shifted_batch(crops: Crops, indices: Ints, generator: torch.Generator | None) -> Batch:
    """(N, 5, 48, 48) input and (N, 2) pixels to the die's center, recolored and rotated."""
    picture, view, _ = crop_training.as_tensors(crops, indices)
    generator = generator or torch.Generator()
    picture, view = crop_training.turned(picture, view, generator)
    picture = crop_training.recoloured(picture, generator)
    bound = MAX_CENTER_OFFSET
    offsets = torch.randint(-bound, bound + 1, (len(picture), 2), generator=generator)
    shifted = torch.stack(
        [
            one.roll((int(dy), int(dx)), (1, 2))
            for one, (dx, dy) in zip(picture, offsets, strict=True)
        ]
    )  # what wraps around is outside the net's input
    return crop_training.joined(shifted, view), offsets.float()


def figures(net: nn.Module, dice: Crops) -> Figures:
    """Pixels to the die's center before and after the correction: median and 90th percentile."""
    outputs, offsets = crop_training.predict(
        net, dice, make_shifted_batch, torch.Generator().manual_seed(5)
    )
    out: Figures = {}
    for name, errors in (("before", offsets), ("after", outputs - offsets)):
        for share in (0.5, 0.9):
            out[f"{share:.0%} within, {name}, px"] = quantile(errors.norm(dim=1), share)
    return out


TASK: Final = crop_task(
    "die_centre", CentreNet, make_shifted_batch, fn.smooth_l1_loss, figures, 2e-3, prepare=dice_only
)
