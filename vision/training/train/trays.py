"""Train the trays' net on the strips of `tray_crops.py`.

It begins with the stacks' net, and answers (N, 17) logits: of 0..15 checkers of the first colour,
and of there being a tray.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Ints, Rng
from engine.position import CHECKERS
from vision.checkers.trays import TRAY_LENGTH, TRAY_WIDTH
from vision.nets import MODELS
from vision.training.nets.from_onnx import start_from
from vision.training.nets.row_net import RowNet
from vision.training.samples.coloured_crops import Crops
from vision.training.samples.tray_crops import CHUNKS
from vision.training.train.counting import CountingTask, main
from vision.training.train.stacks import STACKS

SIZE: Final = (TRAY_LENGTH, TRAY_WIDTH)
ANSWERS: Final = CHECKERS + 2
EMPTY: Final = 0.5
"""Share of the empty strips that are learnt in one round."""
OTHERS: Final = 0.2
"""Share of the full strips that are shown with the other side's colour first: it has none there."""
THERE: Final = 0.3
"""What telling whether there is a tray is worth beside the count."""
ROWS: Final = ((0, 0), (1, 4), (5, 5), (6, 7), (8, 10), (11, 15))
"""Counts, first and last, of which it is told how many are counted right."""


def begun() -> RowNet:
    """The stacks' net, which has counted layers before; trays are wider than points."""
    stacks, net = STACKS.net(), RowNet(SIZE, ANSWERS)
    start_from(stacks, MODELS / "stacks.onnx")
    net.take_over(stacks)
    return net


def owners_first(crops: Crops, rng: Rng) -> Crops:
    """Most strips with the colour first whose checkers lie there, some with the other's."""
    strips, lifts, colours, truths = crops
    other = (truths[:, 0] < 0) != (rng.random(len(truths)) < OTHERS)
    known = np.where(other[:, None, None], colours[:, ::-1], colours)
    way = np.where(other, -1, 1)
    return strips, lifts, known, np.column_stack([truths[:, 0] * way, truths[:, 1]])


def classes(truths: Ints) -> Ints:
    """Checkers of the first colour; and whether there is a tray."""
    return np.maximum(truths, 0)


def loss_of(told: Tensor, truths: Tensor) -> Tensor:
    """Cross-entropy of the counts, each a little doubtful, and of there being a tray."""
    there = fn.binary_cross_entropy_with_logits(told[:, -1], truths[:, 1].float())
    return fn.cross_entropy(told[:, :-1], truths[:, 0], label_smoothing=0.01) + THERE * there


def round_of(truths: Ints, rng: Rng) -> NDArray[np.intp]:
    """All full strips and some of the empty ones."""
    full, empty = np.flatnonzero(truths[:, 0]), np.flatnonzero(truths[:, 0] == 0)
    some = rng.choice(empty, round(EMPTY * len(empty)), replace=False)
    return rng.permutation(np.concatenate([full, some]))


def figures(told: Tensor, truths: Ints) -> str:
    """Of strips without a light one none told; of others exactly and within one, by their number.

    Then trays told from none, and the cross-entropy of the light ones.
    """
    held, there = np.maximum(truths[:, 0], 0), truths[:, 1] > 0
    wrong = np.abs(told[:, :-1].argmax(1).numpy() - held)
    losses = fn.cross_entropy(told[:, :-1], torch.from_numpy(held), reduction="none").numpy()
    rows = []
    for low, high in ROWS:
        some = (held >= low) & (held <= high)
        exact, near = 100 * (wrong[some] == 0).mean(), 100 * (wrong[some] <= 1).mean()
        rows.append(f"{low}-{high} {exact:.1f} {near:.1f} ce {losses[some].mean():.3f}")
    is_told = 100 * ((told[:, -1].numpy() > 0) == there).mean()
    return ", ".join([*rows, f"there {is_told:.1f}"])


TRAYS: Final = CountingTask(
    "trays", SIZE, begun, CHUNKS.path, owners_first, classes, loss_of, figures,
    tested=4, chunks=130, epochs=5, round_of=round_of, fastest=1e-3, frozen=True,
)  # fmt: skip

if __name__ == "__main__":
    main(TRAYS, __doc__)
