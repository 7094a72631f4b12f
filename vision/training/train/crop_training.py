"""The training of the nets that read crops of single dice: options, data, augmentation, loop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from vision.dice.views import CROP_PARALLAX_SCALE, CROP_SIZE
from vision.training.train.learning import TrainingRun, export_batched, training_parser

BATCH: Final = 64
TEST_CHUNKS: Final = 2
"""First chunks of each kind, which are only tested on."""
FLAT_DEG: Final = 3.0
"""Tilt below which a die lies flat."""
DECAY: Final = 1e-2

Crops = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]
"""(N, 48, 48, 3) BGR, the (N, 2) view of each, and (N, 2) labels."""
Indices = NDArray[np.int64]
"""Indices of crops."""
Net = Callable[[Tensor], Tensor]
"""The forward pass of a net."""


class CropTrainingOptions(NamedTuple):
    """The options of a training on crops; chunks of each kind of crops."""

    folder: Path
    chunks: range
    found: range
    traced: range
    epochs: int
    out: Path
    start: Path | None
    in_bfloat16: bool


def load_chunks(folder: Path, indices: range, found: range, traced: range = range(0)) -> Crops:
    """The crops of chunks of `die_crops`, `found_crops` and `path_traced_crops`."""
    kinds = (("", indices), ("found_", found), ("traced_", traced))
    parts = [np.load(folder / f"{kind}{n:05}.npz") for kind, numbers in kinds for n in numbers]
    crops, view, truth = (np.concatenate([part[name] for part in parts])
                          for name in ("crops", "views", "truth"))  # fmt: skip
    return crops, view.astype(np.float32), truth.astype(np.float32)


def dice_only(made: Crops) -> Crops:
    """The crops of dice, with their faces as classes 0..5."""
    crops, view, truth = made
    is_die = (truth[:, 0] >= 1) & (truth[:, 0] <= 6)
    return crops[is_die], view[is_die], truth[is_die] - (1, 0)


def make_batch(
    made: Crops, indices: Indices, generator: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    """(N, 5, 48, 48) input and (N, 2) class and tilt; with a generator turned and recoloured."""
    crops, view, truth = made
    picture = torch.from_numpy(crops[indices]).permute(0, 3, 1, 2).float() / 255 - 0.5
    way = torch.from_numpy(view[indices]) / CROP_PARALLAX_SCALE
    target = torch.from_numpy(truth[indices])
    if generator is not None:
        picture, way = _turned(picture, way, generator)
        count = len(picture)
        gain = 1 + 0.3 * (torch.rand(count, 3, 1, 1, generator=generator) - 0.5)
        shift = 0.2 * (torch.rand(count, 1, 1, 1, generator=generator) - 0.5)
        picture = picture[:, torch.randperm(3, generator=generator)] * gain + shift
        picture = picture + 0.02 * torch.rand(count, 1, 1, 1, generator=generator) * torch.randn(
            picture.shape, generator=generator)  # fmt: skip
    both = torch.cat([picture, way[:, :, None, None].expand(-1, -1, CROP_SIZE, CROP_SIZE)], dim=1)
    return both.contiguous(memory_format=torch.channels_last), target


def _turned(picture: Tensor, way: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Turned by quarters and shifted by up to two pixels; mirrored numbers would be wrong."""
    turns = int(torch.randint(0, 4, (), generator=generator))
    for _ in range(turns):
        picture = picture.rot90(1, (2, 3))  # (x, y) -> (y, -x)
        way = torch.stack([way[:, 1], -way[:, 0]], dim=1)
    dx, dy = (int(torch.randint(-2, 3, (), generator=generator)) for _ in range(2))
    return picture.roll((dy, dx), (2, 3)), way


def train_on_crops(
    options: CropTrainingOptions,
    make_net: Callable[[], nn.Module],
    crops: Crops,
    loss_of: Callable[[Net, Indices, torch.Generator], Tensor],
    figures: Callable[[nn.Module], str],
    *,
    learning_rate: float,
    is_pretrained: bool = False,
) -> None:
    """Train a net on the crops; after each epoch export it and print its figures.

    loss_of: the loss of the crops with these indices; is_pretrained: whether `make_net` has taken
    the weights of an exported net already.
    """
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(4)
    net = make_net().to(memory_format=torch.channels_last)
    count, start = len(crops[0]), None if is_pretrained else options.start
    steps = options.epochs * (count // BATCH)
    learning = TrainingRun(
        net, steps, learning_rate, DECAY, start, is_pretrained, options.in_bfloat16
    )

    def test() -> str:
        export(net, options.out)
        return figures(net)

    learning.run_epochs(
        options.epochs,
        count,
        BATCH,
        lambda indices: loss_of(learning.predict, indices, generator),
        test,
        np.random.default_rng(3),
    )


def export(net: nn.Module, out: Path) -> None:
    """Write the net as ONNX, for any number of crops."""
    export_batched(net, (5, CROP_SIZE, CROP_SIZE), "crops", out)


def parse_arguments(description: str | None, net: str) -> CropTrainingOptions:
    """Parse the command line of the training of `net`."""
    parser = training_parser(description, net, 40)
    parser.add_argument("--first-found", type=int, default=0)
    parser.add_argument("--found", type=int, default=60, help="chunks of found_crops.py")
    parser.add_argument("--first-traced", type=int, default=0)
    parser.add_argument("--traced", type=int, default=0, help="chunks of path_traced_crops.py")
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()
    chunks = range(max(args.first, TEST_CHUNKS), args.first + args.chunks)
    found = range(max(args.first_found, TEST_CHUNKS), args.first_found + args.found)
    traced = range(max(args.first_traced, TEST_CHUNKS), args.first_traced + args.traced)
    return CropTrainingOptions(
        args.folder, chunks, found, traced, args.epochs, args.out, args.start, args.bfloat16
    )
