"""The training of the nets that read crops of single dice: data, augmentation, loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from engine.arrays import Floats32, Image, Ints
from vision.dice.views import CROP_PARALLAX_SCALE, CROP_SIZE
from vision.training.train import learning

BATCH: Final = 64
TEST_CHUNKS: Final = 2
"""Number of initial chunks of each kind, which are used only for testing."""
TEST_BATCHES: Final = 40
FLAT_DEG: Final = 3.0
"""Tilt below which a die lies flat."""
DECAY: Final = 1e-2
DRAWN, FOUND, TRACED = "", "found_", "traced_"
"""The file name prefixes of `die_crops`, `found_crops` and `path_traced_crops`."""

Crops = tuple[Image, Floats32, Floats32]
"""(N, 48, 48, 3) BGR, the (N, 2) parallax of each, and (N, 2) labels."""
Batch = tuple[Tensor, Tensor]
"""(N, 5, 48, 48) input and the targets."""
MakeBatch = Callable[[Crops, Ints, torch.Generator], Batch]
"""Makes the batch of the crops with these indices, augmented."""


@dataclass(frozen=True, slots=True)
class CropTask:
    """How one of these nets is trained."""

    name: str
    """Name of the net's file."""
    make_net: Callable[[Path | None], nn.Module]
    """Makes the net to train, given the exported one from which it is fine-tuned."""
    make_batch: MakeBatch
    loss: Callable[[Tensor, Tensor], Tensor]
    """Loss of the net's output, given the targets."""
    figures: Callable[[nn.Module, Path], str]
    """Figures of a net on the test chunks in a folder, as text."""
    learning_rate: float
    kinds: tuple[str, ...] = (DRAWN, FOUND, TRACED)
    """The kinds of chunks on which it is trained."""
    dice_only: bool = False
    is_pretrained: bool = False
    """Whether `make_net` takes the weights of an exported net."""


def load_crops(folder: Path, chunks: dict[str, range]) -> Crops:
    """The crops of chunks, given by kind."""
    files = [f"{kind}{index:05}.npz" for kind, indices in chunks.items() for index in indices]
    parts = [np.load(folder / file) for file in files]
    crops, views, truth = (
        np.concatenate([part[name] for part in parts]) for name in ("crops", "views", "truth")
    )
    return crops, views.astype(np.float32), truth.astype(np.float32)


@cache
def load_test_crops(folder: Path, *kinds: str) -> Crops:
    """The crops used only for testing."""
    return load_crops(folder, dict.fromkeys(kinds, range(TEST_CHUNKS)))


def dice_only(crops: Crops) -> Crops:
    """The crops of dice, with their faces as classes 0..5."""
    pictures, views, truth = crops
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
    net.eval()
    parts = []
    with torch.no_grad():
        for indices in np.array_split(np.arange(len(crops[0])), TEST_BATCHES):
            batch, target = make(crops, indices, generator)
            parts.append((net(batch), target))
    outputs, targets = zip(*parts, strict=True)
    return torch.cat(outputs), torch.cat(targets)


def train(task: CropTask, options: learning.TrainingOptions, chunks: dict[str, range]) -> None:
    """Train on chunks by kind; after each epoch export and report on the test chunks."""
    crops = load_crops(options.folder, chunks)
    if task.dice_only:
        crops = dice_only(crops)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(4)
    net = task.make_net(options.start).to(memory_format=torch.channels_last)
    start = None if task.is_pretrained else options.start
    run = learning.TrainingRun(
        net, options.epochs * (len(crops[0]) // BATCH), task.learning_rate, DECAY, start,
        task.is_pretrained, options.in_bfloat16,
    )  # fmt: skip

    def loss(indices: Ints) -> Tensor:
        batch, target = task.make_batch(crops, indices, generator)
        return task.loss(run.predict(batch), target)

    def test() -> str:
        export(net, options.out)
        return task.figures(net, options.folder)

    rng = np.random.default_rng(3)
    run.run_epochs(options.epochs, len(crops[0]), BATCH, loss, test, rng)


def export(net: nn.Module, out: Path) -> None:
    """Write the net as ONNX, for any number of crops."""
    learning.export_batched(net, (5, CROP_SIZE, CROP_SIZE), "crops", out)


def main(task: CropTask, description: str | None) -> None:
    """Parse the command line and train."""
    parser = learning.training_parser(description, task.name, 40)
    parser.add_argument("--first-found", type=int, default=0)
    parser.add_argument("--found", type=int, default=60, help="chunks of found_crops.py")
    parser.add_argument("--first-traced", type=int, default=0)
    parser.add_argument("--traced", type=int, default=0, help="chunks of path_traced_crops.py")
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()
    options = learning.TrainingOptions.of(args, args.epochs, TEST_CHUNKS)
    found = range(max(args.first_found, TEST_CHUNKS), args.first_found + args.found)
    traced = range(max(args.first_traced, TEST_CHUNKS), args.first_traced + args.traced)
    chunks = {DRAWN: options.chunks, FOUND: found, TRACED: traced}
    train(task, options, {kind: chunks[kind] for kind in task.kinds})
