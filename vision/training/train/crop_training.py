"""The training of the nets that read crops of single dice: data, augmentation, loop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from engine.arrays import Floats32, Image, Ints, Rng
from vision.dice.views import CROP_PARALLAX_SCALE, CROP_SIZE
from vision.training.nets.die_net import PartNet
from vision.training.train.figures import Figures
from vision.training.train.learning import Batch, Task, export_batched

BATCH: Final = 64
TEST_BATCHES: Final = 40
FLAT_DEG: Final = 3.0
"""Tilt below which a die lies flat."""

Crops = tuple[Image, Floats32, Floats32]
"""(N, 48, 48, 3) BGR, the (N, 2) parallax of each, and (N, 2) labels."""
MakeBatch = Callable[[Crops, Ints, torch.Generator], Batch]
"""Makes the batch of the crops with these indices, augmented."""


def crop_task(
    name: str,
    make_net: Callable[[], nn.Module],
    make: MakeBatch,
    loss: Callable[[Tensor, Tensor], Tensor],
    figures: Callable[[nn.Module, Crops], Figures],
    learning_rate: float,
    *,
    prepare: Callable[[Crops], Crops] | None = None,
    from_die: bool = False,
) -> Task[Crops]:
    """One of these nets; with `from_die` it takes over the die net's weights (`PartNet`).

    `prepare` makes what it learns of a chunk's crops; by default they are taken `as_floats`.
    """

    def make_seeded(crops: Crops, indices: Ints, rng: Rng) -> Batch:
        return make(crops, indices, torch.Generator().manual_seed(int(rng.integers(2**63))))

    return Task(
        name, make_net, BATCH, make_seeded, loss, figures, export, learning_rate,
        prepare=prepare or as_floats,
        take_over=PartNet.take_over if from_die else None,
    )  # fmt: skip


def as_floats(crops: Crops) -> Crops:
    """The crops with views and labels in the nets' precision."""
    pictures, views, truth = crops
    return pictures, views.astype(np.float32), truth.astype(np.float32)


def dice_only(crops: Crops) -> Crops:
    """The crops of dice, with their faces as classes 0..5."""
    pictures, views, truth = as_floats(crops)
    is_die = (truth[:, 0] >= 1) & (truth[:, 0] <= 6)
    return pictures[is_die], views[is_die], truth[is_die] - (1, 0)


def make_batch(crops: Crops, indices: Ints, generator: torch.Generator | None) -> Batch:
    """(N, 5, 48, 48) input and (N, 2) class and tilt; with a generator, rotated and recolored."""
    picture, view, target = as_tensors(crops, indices)
    if generator is not None:
        picture, view = turned(picture, view, generator)
        dx, dy = (int(torch.randint(-2, 3, (), generator=generator)) for _ in range(2))
        picture = recoloured(picture.roll((dy, dx), (2, 3)), generator)
        strength = 0.02 * torch.rand(len(picture), 1, 1, 1, generator=generator)
        picture = picture + strength * torch.randn(picture.shape, generator=generator)
    return joined(picture, view), target


def as_tensors(crops: Crops, indices: Ints) -> tuple[Tensor, Tensor, Tensor]:
    """(N, 3, 48, 48) BGR / 255 - 0.5, the (N, 2) scaled parallaxes and (N, 2) labels."""
    pictures, views, truth = crops
    picture = torch.from_numpy(pictures[indices]).permute(0, 3, 1, 2).float() / 255 - 0.5
    view = torch.from_numpy(views[indices]) / CROP_PARALLAX_SCALE
    return picture, view, torch.from_numpy(truth[indices])


def turned(picture: Tensor, view: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Crops and parallaxes, all rotated by the same quarters; mirrored numbers would be wrong."""
    for _ in range(int(torch.randint(0, 4, (), generator=generator))):
        picture = picture.rot90(1, (2, 3))  # (x, y) -> (y, -x)
        view = torch.stack([view[:, 1], -view[:, 0]], dim=1)
    return picture, view


def recoloured(picture: Tensor, generator: torch.Generator) -> Tensor:
    """Crops with their channels exchanged, and with another lightness and contrast."""
    count = len(picture)
    gain = 1 + 0.3 * (torch.rand(count, 3, 1, 1, generator=generator) - 0.5)
    shift = 0.2 * (torch.rand(count, 1, 1, 1, generator=generator) - 0.5)
    return picture[:, torch.randperm(3, generator=generator)] * gain + shift


def joined(picture: Tensor, view: Tensor) -> Tensor:
    """(N, 5, 48, 48) input from (N, 3, 48, 48) crops and their (N, 2) parallaxes."""
    planes = view[:, :, None, None].expand(-1, -1, CROP_SIZE, CROP_SIZE)
    return torch.cat([picture, planes], dim=1).contiguous(memory_format=torch.channels_last)


def predict(
    net: nn.Module,
    crops: Crops,
    make: Callable[[Crops, Ints, torch.Generator | None], Batch] = make_batch,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """The net's outputs for all crops, not augmented by default, and the targets."""
    parts = []
    for indices in np.array_split(np.arange(len(crops[0])), min(TEST_BATCHES, len(crops[0]))):
        batch, target = make(crops, indices, generator)
        parts.append((net(batch), target))
    outputs, targets = zip(*parts, strict=True)
    return torch.cat(outputs), torch.cat(targets)


def export(net: nn.Module, out: Path) -> None:
    """Write the net as ONNX, for any number of crops."""
    export_batched(net, (5, CROP_SIZE, CROP_SIZE), "crops", out)
