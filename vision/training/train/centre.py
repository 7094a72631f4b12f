"""Train the centre net: the offset of the die in a crop from the crop's middle.

A mark of the dice finder errs by a tenth of a die's side, some by a third; a face is read with one
and a half times the cross-entropy on a crop that is so far off. The net is trained on the dice
among the crops of `die_crops.py`, `found_crops.py` and `path_traced_crops.py`, each shifted at
random.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.dice.views import CROP_PARALLAX_SCALE, CROP_SIZE, MAX_CENTER_OFFSET
from vision.training.nets.layers import Residual, down
from vision.training.train.crop_training import (
    TEST_CHUNKS,
    Crops,
    CropTrainingOptions,
    Indices,
    Net,
    dice_only,
    load_chunks,
    parse_arguments,
    train_on_crops,
)

INNER: Final = CROP_SIZE - 2 * MAX_CENTER_OFFSET
"""Side in pixels of the net's input, which is cut from a crop so that it can be shifted."""
LEARNING_RATE: Final = 2e-3


class CentreNet(nn.Module):
    """About 90 thousand weights, 4 MMAC a crop."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(5, 16), Residual(16), down(16, 32), Residual(32), down(32, 48),
            nn.Flatten(), nn.Linear(48 * 4 * 4, 48), nn.ReLU(inplace=True), nn.Linear(48, 2),
        )  # fmt: skip

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 2) pixels right and down from (N, 5, 48, 48) crops' middles to their dice's."""
        inner = crops[
            :,
            :,
            MAX_CENTER_OFFSET : MAX_CENTER_OFFSET + INNER,
            MAX_CENTER_OFFSET : MAX_CENTER_OFFSET + INNER,
        ]
        return self.layers(inner) * MAX_CENTER_OFFSET


def make_shifted_batch(
    made: Crops, indices: Indices, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """(N, 5, 48, 48) input and (N, 2) pixels to the die's middle, recoloured and turned."""
    crops, view, _ = made
    picture = torch.from_numpy(crops[indices]).permute(0, 3, 1, 2).float() / 255 - 0.5
    way = torch.from_numpy(view[indices]) / CROP_PARALLAX_SCALE
    for _ in range(int(torch.randint(0, 4, (), generator=generator))):
        picture = picture.rot90(1, (2, 3))  # (x, y) -> (y, -x)
        way = torch.stack([way[:, 1], -way[:, 0]], dim=1)
    count = len(picture)
    gain = 1 + 0.3 * (torch.rand(count, 3, 1, 1, generator=generator) - 0.5)
    shift = 0.2 * (torch.rand(count, 1, 1, 1, generator=generator) - 0.5)
    picture = picture[:, torch.randperm(3, generator=generator)] * gain + shift
    steps = torch.randint(
        -MAX_CENTER_OFFSET, MAX_CENTER_OFFSET + 1, (count, 2), generator=generator
    )
    shifted = torch.stack(
        [one.roll((int(dy), int(dx)), (1, 2)) for one, (dx, dy) in zip(picture, steps, strict=True)]
    )  # what wraps around lies outside of the net's input
    both = torch.cat([shifted, way[:, :, None, None].expand(-1, -1, CROP_SIZE, CROP_SIZE)], dim=1)
    return both.contiguous(memory_format=torch.channels_last), steps.float()


def train(options: CropTrainingOptions) -> None:
    """Train on crops, test on others, export."""
    made = dice_only(load_chunks(options.folder, options.chunks, options.found, options.traced))
    kept = range(TEST_CHUNKS)
    test = dice_only(load_chunks(options.folder, kept, kept, kept))

    def loss_of(predict: Net, indices: Indices, generator: torch.Generator) -> Tensor:
        seen, offset = make_shifted_batch(made, indices, generator)
        return fn.smooth_l1_loss(predict(seen), offset)

    train_on_crops(
        options, CentreNet, made, loss_of, partial(figures, test=test), learning_rate=LEARNING_RATE
    )


def figures(net: nn.Module, test: Crops) -> str:
    """Pixels to the die's middle before and after the correction: median and 90 % quantile."""
    net.eval()
    generator = torch.Generator().manual_seed(5)
    before, after = [], []
    with torch.no_grad():
        for indices in np.array_split(np.arange(len(test[0])), 40):
            seen, offset = make_shifted_batch(test, indices, generator)
            before.append(offset.norm(dim=1))
            after.append((net(seen) - offset).norm(dim=1))
    parts = []
    for name, rows in (("before", before), ("after", after)):
        pixels = torch.cat(rows)
        parts.append(f"{name} {pixels.median():.2f} {pixels.quantile(0.9):.2f}")
    return ", ".join(parts)


if __name__ == "__main__":
    train(parse_arguments(__doc__, "die_centre"))
