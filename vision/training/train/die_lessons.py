"""What the nets that look closely at dice learn from, and how they are taught."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from vision.dice.views import CROP_PARALLAX_SCALE, CROP_SIZE
from vision.training.train.learning import TrainingRun, export_any_number, parser_of

BATCH: Final = 64
TESTED: Final = 2
"""First chunks that are never trained on."""
FLAT_DEG: Final = 3.0
"""Tilt below which a die lies flat."""
DECAY: Final = 1e-2

Crops = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]
"""(N, 48, 48, 3) BGR, (N, 2) how each is seen, and (N, 2) what it shows."""
Picked = NDArray[np.int64]
"""Numbers of crops."""
Answer = Callable[[Tensor], Tensor]
"""What a net answers to its input."""


class CropTraining(NamedTuple):
    """What the command line says of training on crops."""

    folder: Path
    chunks: range
    found: range
    traced: range
    epochs: int
    out: Path
    start: Path | None
    in_bfloat16: bool


def load(folder: Path, indices: range, found: range, traced: range = range(0)) -> Crops:
    """Crops, views, classes and tilts of chunks of the three that make them."""
    kinds = (("", indices), ("found_", found), ("traced_", traced))
    parts = [np.load(folder / f"{kind}{n:05}.npz") for kind, numbers in kinds for n in numbers]
    crops, view, truth = (np.concatenate([part[name] for part in parts])
                          for name in ("crops", "views", "truth"))  # fmt: skip
    return crops, view.astype(np.float32), truth.astype(np.float32)


def dice_only(made: Crops) -> Crops:
    """The crops of dice, and what they show as 0..5."""
    crops, view, truth = made
    is_die = (truth[:, 0] >= 1) & (truth[:, 0] <= 6)
    return crops[is_die], view[is_die], truth[is_die] - (1, 0)


def batch(made: Crops, picked: Picked, generator: torch.Generator | None) -> tuple[Tensor, Tensor]:
    """(N, 5, 48, 48) input and (N, 2) class and tilt; with a generator turned and recoloured."""
    crops, view, truth = made
    picture = torch.from_numpy(crops[picked]).permute(0, 3, 1, 2).float() / 255 - 0.5
    way = torch.from_numpy(view[picked]) / CROP_PARALLAX_SCALE
    target = torch.from_numpy(truth[picked])
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
    """By quarters, and shifted by up to two pixels; numbers on cubes bear no mirroring."""
    turns = int(torch.randint(0, 4, (), generator=generator))
    for _ in range(turns):
        picture = picture.rot90(1, (2, 3))  # (x, y) -> (y, -x)
        way = torch.stack([way[:, 1], -way[:, 0]], dim=1)
    dx, dy = (int(torch.randint(-2, 3, (), generator=generator)) for _ in range(2))
    return picture.roll((dy, dx), (2, 3)), way


def teach(
    said: CropTraining,
    begin: Callable[[], nn.Module],
    made: Crops,
    loss_of: Callable[[Answer, Picked, torch.Generator], Tensor],
    figures: Callable[[nn.Module], str],
    *,
    fastest: float,
    frozen: bool = False,
) -> None:
    """Go through the crops `made` as often as was said; each time export, and tell the figures.

    loss_of: of what is answered to the picked ones; fastest: the step at its largest; frozen:
    whether what `begin` makes came of an exported net already.
    """
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(4)
    net = begin().to(memory_format=torch.channels_last)
    count, start = len(made[0]), None if frozen else said.start
    steps = said.epochs * (count // BATCH)
    learning = TrainingRun(net, steps, fastest, DECAY, start, frozen, said.in_bfloat16)

    def tested() -> str:
        export(net, said.out)
        return figures(net)

    learning.take_rounds(
        said.epochs,
        count,
        BATCH,
        lambda picked: loss_of(learning.answer, picked, generator),
        tested,
    )


def export(net: nn.Module, out: Path) -> None:
    """Write the net as ONNX, any number of crops."""
    export_any_number(net, (5, CROP_SIZE, CROP_SIZE), "crops", out)


def lessons(what: str | None, net: str) -> CropTraining:
    """Parse the command line."""
    parser = parser_of(what, net, 40)
    parser.add_argument("--first-found", type=int, default=0)
    parser.add_argument("--found", type=int, default=60, help="chunks of found_crops.py")
    parser.add_argument("--first-traced", type=int, default=0)
    parser.add_argument("--traced", type=int, default=0, help="chunks of traced_crops.py")
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()
    chunks = range(max(args.first, TESTED), args.first + args.chunks)
    found = range(max(args.first_found, TESTED), args.first_found + args.found)
    traced = range(max(args.first_traced, TESTED), args.first_traced + args.traced)
    return CropTraining(
        args.folder, chunks, found, traced, args.epochs, args.out, args.start, args.bfloat16
    )
