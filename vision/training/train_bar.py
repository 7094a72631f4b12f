"""Train the bar's net on the strips of `bar_crops.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as fn

from vision.bar import MOST
from vision.bar_strip import LENGTH, WIDTH
from vision.coloured_strips import CHANNELS, coloured_input
from vision.training.bar_crops import chunk_path
from vision.training.bar_net import BarNet
from vision.training.coloured_crops import Crops, load_crops
from vision.training.learning import Learning, export_any_number, parser_of
from vision.training.recolouring import recoloured, shifted

Chance = np.random.Generator

BATCH: Final = 32
TESTED: Final = 6
"""First chunks that are never trained on."""


def batch(made: Crops, picked: NDArray[np.intp], rng: Chance | None) -> tuple[Tensor, Tensor]:
    """(N, 7, 384, 48) input and (N, 2) counts; with a generator seen otherwise."""
    strips, lifts, colours, counts = (made[0][picked], made[1][picked], made[2][picked],
                                      made[3][picked])  # fmt: skip
    if rng is not None:
        strips, colours = recoloured(strips, colours, rng)
        strips = shifted(strips, rng)
        for axis, across in ((1, 1), (2, 0)):
            if rng.random() < 0.5:  # seen from the other end, or in a mirror
                strips, lifts = np.flip(strips, axis), lifts * np.where([across, 1 - across], 1, -1)
        if rng.random() < 0.5:  # light and dark are names
            colours, counts = colours[:, ::-1], counts[:, ::-1]
    given = torch.from_numpy(coloured_input(np.ascontiguousarray(strips), colours, lifts))
    wanted = torch.from_numpy(np.minimum(counts, MOST).copy())
    return given.contiguous(memory_format=torch.channels_last), wanted


def loss_of(told: Tensor, counts: Tensor) -> Tensor:
    """Cross-entropy of both sides' counts."""
    return fn.cross_entropy(told.reshape(-1, MOST + 1), counts.flatten(), label_smoothing=0.01)


def train(folder: Path, chunks: range, epochs: int, out: Path, start: Path | None) -> None:
    """Train, report on unseen strips, export."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    made = load_crops([chunk_path(folder, index) for index in chunks])
    test = load_crops([chunk_path(folder, index) for index in range(TESTED)])
    rng = np.random.default_rng(3)
    net = BarNet().to(memory_format=torch.channels_last)
    count = len(made[0])
    learning = Learning(net, epochs * (count // BATCH), 3e-3, 1e-2, start)
    for epoch in range(epochs):
        learning.study()
        order = rng.permutation(count)
        for first in range(0, count - BATCH + 1, BATCH):
            strips, counts = batch(made, order[first : first + BATCH], rng)
            learning.step(loss_of(net(strips), counts))
        learning.report(f"epoch {epoch}", figures(net, test))
        export(net, out)


def figures(net: BarNet, test: Crops) -> str:
    """Empty bars told empty, held ones exactly; cross-entropy of both sides together."""
    net.eval()
    with torch.no_grad():
        parts = [net(batch(test, picked, None)[0])
                 for picked in np.array_split(np.arange(len(test[0])), 20)]  # fmt: skip
    answer = torch.cat(parts).unflatten(1, (2, MOST + 1))
    true = torch.from_numpy(np.minimum(test[3], MOST))
    loss = 2 * float(fn.cross_entropy(answer.flatten(0, 1), true.flatten()))
    hit = (answer.argmax(2) == true).all(dim=1)
    held = true.any(dim=1)
    shares = (100 * float(part.float().mean()) for part in (hit[~held], hit[held]))
    return "empty {:.1f}, held {:.1f}, ".format(*shares) + f"ce {loss:.3f}"


def export(net: BarNet, out: Path) -> None:
    """Write the net as ONNX, any number of strips."""
    export_any_number(net, (CHANNELS, LENGTH, WIDTH), "strips", out)


def main() -> None:
    """Parse the command line and train."""
    parser = parser_of(__doc__, "bar", 130)
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    chunks = range(max(args.first, TESTED), args.first + args.chunks)
    train(args.folder, chunks, args.epochs, args.out, args.start)


if __name__ == "__main__":
    main()
