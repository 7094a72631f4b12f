"""Train the die net on the crops of `die_crops.py` and of `found_crops.py`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.die_crop import CROP, VIEW_SCALE
from vision.training.die_crops import CUBE, NONE
from vision.training.die_net import CLASSES, DieNet
from vision.training.learning import Learning, export_any_number, parser_of

BATCH: Final = 64
TESTED: Final = 2
"""First chunks that are never trained on."""
FLAT_DEG: Final = 3.0
FLAT_WEIGHT: Final = 0.4

Crops = tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float32]]


class Lessons(NamedTuple):
    """What the command line says of training on crops."""

    folder: Path
    chunks: range
    found: range
    traced: range
    epochs: int
    out: Path
    start: Path | None


def load(folder: Path, indices: range, found: range, traced: range = range(0)) -> Crops:
    """Crops, views, classes and tilts of chunks of the three that make them."""
    kinds = (("", indices), ("found_", found), ("traced_", traced))
    parts = [np.load(folder / f"{kind}{n:05}.npz") for kind, numbers in kinds for n in numbers]
    crops, view, truth = (np.concatenate([part[name] for part in parts])
                          for name in ("crops", "views", "truth"))  # fmt: skip
    return crops, view.astype(np.float32), truth.astype(np.float32)


def batch(made: Crops, picked: NDArray[np.int64], generator: torch.Generator | None
          ) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(N, 5, 48, 48) input and (N, 2) class and tilt; with a generator turned and recoloured."""
    crops, view, truth = made
    picture = torch.from_numpy(crops[picked]).permute(0, 3, 1, 2).float() / 255 - 0.5
    way = torch.from_numpy(view[picked]) / VIEW_SCALE
    target = torch.from_numpy(truth[picked])
    if generator is not None:
        picture, way = _turned(picture, way, generator)
        count = len(picture)
        gain = 1 + 0.3 * (torch.rand(count, 3, 1, 1, generator=generator) - 0.5)
        shift = 0.2 * (torch.rand(count, 1, 1, 1, generator=generator) - 0.5)
        picture = picture[:, torch.randperm(3, generator=generator)] * gain + shift
        picture = picture + 0.02 * torch.rand(count, 1, 1, 1, generator=generator) * torch.randn(
            picture.shape, generator=generator)  # fmt: skip
    both = torch.cat([picture, way[:, :, None, None].expand(-1, -1, CROP, CROP)], dim=1)
    return both.contiguous(memory_format=torch.channels_last), target


def _turned(picture: Tensor, way: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """By quarters, and shifted by up to two pixels; numbers on cubes bear no mirroring."""
    turns = int(torch.randint(0, 4, (), generator=generator))
    for _ in range(turns):
        picture = picture.rot90(1, (2, 3))  # (x, y) -> (y, -x)
        way = torch.stack([way[:, 1], -way[:, 0]], dim=1)
    dx, dy = (int(torch.randint(-2, 3, (), generator=generator)) for _ in range(2))
    return picture.roll((dy, dx), (2, 3)), way


def loss_of(answer: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of the classes; of flatness where there is a die."""
    kind = target[:, 0].long()
    loss = fn.cross_entropy(answer[:, :CLASSES], kind, label_smoothing=0.01)
    is_die = (kind > NONE) & (kind < CUBE)
    flat = (target[is_die, 1] < FLAT_DEG).float()
    return loss + FLAT_WEIGHT * fn.binary_cross_entropy_with_logits(answer[is_die, CLASSES], flat)


def train(said: Lessons) -> None:
    """Train, report on unseen crops, export."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    made = load(said.folder, said.chunks, said.found, said.traced)
    test = load(said.folder, range(TESTED), range(TESTED))
    generator = torch.Generator().manual_seed(4)
    net = DieNet().to(memory_format=torch.channels_last)
    learning = Learning(net, said.epochs * (len(made[0]) // BATCH), 3e-3, 1e-2, said.start)

    def loss_of_picked(picked: NDArray[np.int64]) -> Tensor:
        picture, target = batch(made, picked, generator)
        return loss_of(net(picture), target)

    take_lessons(learning, said, len(made[0]), loss_of_picked, lambda: figures(net, test))


def take_lessons(
    learning: Learning,
    said: Lessons,
    count: int,
    loss_of: Callable[[NDArray[np.int64]], Tensor],
    figures: Callable[[], str],
) -> None:
    """Go through so many crops as often as was said; after each time export, and tell figures."""

    def tested() -> str:
        export(learning.net, said.out)
        return figures()

    learning.take_rounds(said.epochs, count, BATCH, loss_of, tested)


def figures(net: DieNet, test: Crops) -> str:
    """Dice taken for dice, their values, flatness, what else is taken for one, cubes' numbers."""
    net.eval()
    with torch.no_grad():
        parts = [net(batch(test, picked, None)[0])
                 for picked in np.array_split(np.arange(len(test[0])), 20)]  # fmt: skip
    answer = torch.cat(parts)
    kind, tilt = torch.from_numpy(test[2]).unbind(1)
    told = answer[:, :CLASSES].argmax(1)
    die, cube = (kind > NONE) & (kind < CUBE), kind >= CUBE
    is_die, is_cube = (told > NONE) & (told < CUBE), told >= CUBE
    flat = (answer[:, CLASSES] > 0) == (tilt < FLAT_DEG)
    rows = [("dice", is_die[die]), ("value", (told == kind)[die & is_die]), ("flat", flat[die]),
            ("false", (told != NONE)[kind == NONE]), ("cubes", is_cube[cube]),
            ("number", (told == kind)[cube & is_cube])]  # fmt: skip
    return ", ".join(f"{name} {100 * hit.float().mean():.1f}" for name, hit in rows)


def export(net: nn.Module, out: Path) -> None:
    """Write the net as ONNX, any number of crops."""
    export_any_number(net, (5, CROP, CROP), "crops", out)


def lessons(what: str | None, net: str) -> Lessons:
    """Parse the command line."""
    parser = parser_of(what, net, 40)
    parser.add_argument("--first-found", type=int, default=0)
    parser.add_argument("--found", type=int, default=60, help="chunks of found_crops.py")
    parser.add_argument("--traced", type=int, default=0, help="chunks of traced_crops.py")
    parser.add_argument("--epochs", type=int, default=6)
    args = parser.parse_args()
    chunks = range(max(args.first, TESTED), args.first + args.chunks)
    found = range(max(args.first_found, TESTED), args.first_found + args.found)
    traced = range(TESTED, args.traced)
    return Lessons(args.folder, chunks, found, traced, args.epochs, args.out, args.start)


if __name__ == "__main__":
    train(lessons(__doc__, "die"))
