"""Train the trays' net on the strips of `tray_crops.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as fn

from vision.coloured_strips import CHANNELS, coloured_input
from vision.training.coloured_crops import Crops, load_crops
from vision.training.learning import Learning, export_any_number, parser_of
from vision.training.recolouring import recoloured, shifted
from vision.training.tray_crops import chunk_path
from vision.training.tray_net import TrayNet
from vision.tray_strips import LENGTH, WIDTH

Chance = np.random.Generator

BATCH: Final = 32
TESTED: Final = 2
"""First chunks that are never trained on."""
MOST: Final = 15
EMPTY: Final = 0.35
"""Share of the empty strips that are learnt in one round: there are three to each full one."""


def batch(made: Crops, picked: NDArray[np.intp], rng: Chance | None) -> tuple[Tensor, Tensor]:
    """(N, 7, 176, 64) input and (N,) classes; with a generator shifted and in other colours."""
    strips, lifts, colours, counts = (made[0][picked], made[1][picked], made[2][picked],
                                      made[3][picked])  # fmt: skip
    if rng is not None:
        strips, colours = recoloured(strips, colours, rng)
        strips = shifted(strips, rng)
        if rng.random() < 0.5:  # light and dark are names
            colours, counts = colours[:, ::-1], -counts
    given = torch.from_numpy(coloured_input(strips, colours, lifts))
    return given.contiguous(memory_format=torch.channels_last), torch.from_numpy(counts + MOST)


def train(folder: Path, chunks: range, epochs: int, out: Path, start: Path | None) -> None:
    """Train, report on unseen strips, export."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    made = load_crops([chunk_path(folder, index) for index in chunks])
    test = load_crops([chunk_path(folder, index) for index in range(TESTED)])
    rng = np.random.default_rng(3)
    full, empty = np.flatnonzero(made[3]), np.flatnonzero(made[3] == 0)
    some = round(EMPTY * len(empty))
    net = TrayNet().to(memory_format=torch.channels_last)
    steps = epochs * ((len(full) + some) // BATCH)
    learning = Learning(net, steps, 3e-3, 1e-2, start)
    print(f"{len(full)} full, {len(empty)} empty", flush=True)
    for epoch in range(epochs):
        learning.study()
        order = rng.permutation(np.concatenate([full, rng.choice(empty, some, replace=False)]))
        for first in range(0, len(order) - BATCH + 1, BATCH):
            strips, classes = batch(made, order[first : first + BATCH], rng)
            learning.step(fn.cross_entropy(net(strips), classes, label_smoothing=0.02))
        learning.report(f"epoch {epoch}", figures(net, test))
        export(net, out)


def figures(net: TrayNet, test: Crops) -> str:
    """Empty ones told empty, full ones full and whose, within one, exactly; cross-entropy."""
    net.eval()
    with torch.no_grad():
        parts = [net(batch(test, picked, None)[0])
                 for picked in np.array_split(np.arange(len(test[0])), 20)]  # fmt: skip
    answer = torch.cat(parts)
    told, true = answer.argmax(1).numpy() - MOST, test[3]
    loss = float(fn.cross_entropy(answer, torch.from_numpy(true + MOST)))
    full, wrong = true != 0, np.abs(told - true)
    rows = [("empty", told[~full] == 0), ("whose", np.sign(told[full]) == np.sign(true[full])),
            ("within 1", wrong[full] <= 1), ("exact", wrong[full] == 0)]  # fmt: skip
    return ", ".join(f"{name} {100 * hit.mean():.1f}" for name, hit in rows) + f", ce {loss:.3f}"


def export(net: TrayNet, out: Path) -> None:
    """Write the net as ONNX, any number of strips."""
    export_any_number(net, (CHANNELS, LENGTH, WIDTH), "strips", out)


def main() -> None:
    """Parse the command line and train."""
    parser = parser_of(__doc__, "trays", 40)
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    chunks = range(max(args.first, TESTED), args.first + args.chunks)
    train(args.folder, chunks, args.epochs, args.out, args.start)


if __name__ == "__main__":
    main()
