"""Train the centre net: how far from its middle a close view shows the die that it shows.

A mark of the dice finder errs by a tenth of a die's side, some by a third; on a die that is cut
out so far aside a face is read one and a half times as doubtfully. It learns from the dice among
the crops of `die_crops.py`, `found_crops.py` and `traced_crops.py`, each cut out aside.
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
from vision.training.train.die_lessons import (
    TESTED,
    Answer,
    Crops,
    CropTraining,
    Picked,
    dice_only,
    lessons,
    load,
    teach,
)

INNER: Final = CROP_SIZE - 2 * MAX_CENTER_OFFSET
"""Pixels of the side of what the net sees: cut from a crop, it can be cut aside."""
FASTEST: Final = 2e-3


class CentreNet(nn.Module):
    """About 90 thousand weights, 4 MMAC a crop."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            down(5, 16), Residual(16), down(16, 32), Residual(32), down(32, 48),
            nn.Flatten(), nn.Linear(48 * 4 * 4, 48), nn.ReLU(inplace=True), nn.Linear(48, 2),
        )  # fmt: skip

    def forward(self, crops: Tensor) -> Tensor:
        """(N, 2) pixels right and down from the middle of (N, 5, 48, 48) crops to their die's."""
        inner = crops[
            :,
            :,
            MAX_CENTER_OFFSET : MAX_CENTER_OFFSET + INNER,
            MAX_CENTER_OFFSET : MAX_CENTER_OFFSET + INNER,
        ]
        return self.layers(inner) * MAX_CENTER_OFFSET


def batch(made: Crops, picked: Picked, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """(N, 5, 48, 48) input and (N, 2) pixels to the die's middle, all recoloured and turned."""
    crops, view, _ = made
    picture = torch.from_numpy(crops[picked]).permute(0, 3, 1, 2).float() / 255 - 0.5
    way = torch.from_numpy(view[picked]) / CROP_PARALLAX_SCALE
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
    aside = torch.stack(
        [one.roll((int(dy), int(dx)), (1, 2)) for one, (dx, dy) in zip(picture, steps, strict=True)]
    )  # what comes round the edge lies outside of what the net sees
    both = torch.cat([aside, way[:, :, None, None].expand(-1, -1, CROP_SIZE, CROP_SIZE)], dim=1)
    return both.contiguous(memory_format=torch.channels_last), steps.float()


def train(said: CropTraining) -> None:
    """Train, report on unseen crops, export."""
    made = dice_only(load(said.folder, said.chunks, said.found, said.traced))
    test = dice_only(load(said.folder, range(TESTED), range(TESTED), range(TESTED)))

    def loss_of(answer: Answer, picked: Picked, generator: torch.Generator) -> Tensor:
        seen, away = batch(made, picked, generator)
        return fn.smooth_l1_loss(answer(seen), away)

    teach(said, CentreNet, made, loss_of, partial(figures, test=test), fastest=FASTEST)


def figures(net: nn.Module, test: Crops) -> str:
    """Pixels from the die's middle before and after, the median and nine in ten."""
    net.eval()
    generator = torch.Generator().manual_seed(5)
    before, after = [], []
    with torch.no_grad():
        for picked in np.array_split(np.arange(len(test[0])), 40):
            seen, away = batch(test, picked, generator)
            before.append(away.norm(dim=1))
            after.append((net(seen) - away).norm(dim=1))
    parts = []
    for name, rows in (("before", before), ("after", after)):
        far = torch.cat(rows)
        parts.append(f"{name} {far.median():.2f} {far.quantile(0.9):.2f}")
    return ", ".join(parts)


if __name__ == "__main__":
    train(lessons(__doc__, "die_centre"))
