"""Trains the trays' net on the strips of `tray_crops.py`.

It starts from the stacks' net. The output is (N, 17) logits: of 0..15 checkers of the first color,
and of the presence of a tray.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Ints, Rng
from engine.position import CHECKERS
from vision.checkers.trays import TRAY_LENGTH, TRAY_WIDTH
from vision.nets import MODELS
from vision.training.nets.from_onnx import start_from
from vision.training.nets.strip_nets import RowNet
from vision.training.samples.coloured_crops import Crops
from vision.training.samples.tray_crops import CHUNKS
from vision.training.train.counting import CountingTask, main
from vision.training.train.stacks import OTHER_SIDE_SHARE, STACKS

SIZE: Final = (TRAY_LENGTH, TRAY_WIDTH)
OUTPUTS: Final = CHECKERS + 2
EMPTY_SHARE: Final = 0.5
"""Fraction of the empty strips used in one epoch."""
TRAY_WEIGHT: Final = 0.3
"""Weight of the tray's presence loss relative to that of the count."""
COUNT_GROUPS: Final = ((0, 0), (1, 4), (5, 5), (6, 7), (8, 10), (11, 15))
"""Ranges of counts whose accuracy is reported."""


def from_stacks_net() -> RowNet:
    """A net with the weights of the stacks' net; trays are wider than points."""
    stacks, net = STACKS.net(), RowNet(SIZE, OUTPUTS)
    start_from(stacks, MODELS / "stacks.onnx")
    net.copy_from(stacks)
    return net


def augment(crops: Crops, rng: Rng) -> Crops:
    """Most strips with the color of their checkers first, some with the other."""
    strips, lifts, colours, truths = crops
    other = (truths[:, 0] < 0) != (rng.random(len(truths)) < OTHER_SIDE_SHARE)
    shown = np.where(other[:, None, None], colours[:, ::-1], colours)
    sign = np.where(other, -1, 1)
    return strips, lifts, shown, np.column_stack([truths[:, 0] * sign, truths[:, 1]])


def classes(truths: Ints) -> Ints:
    """The number of checkers of the first color, and whether there is a tray."""
    return np.maximum(truths, 0)


def loss_of(logits: Tensor, truths: Tensor) -> Tensor:
    """Cross-entropy of the counts with label smoothing, plus that of the presence of a tray."""
    there = fn.binary_cross_entropy_with_logits(logits[:, -1], truths[:, 1].float())
    return (
        fn.cross_entropy(logits[:, :-1], truths[:, 0], label_smoothing=0.01) + TRAY_WEIGHT * there
    )


def epoch_order(truths: Ints, rng: Rng) -> Ints:
    """All occupied strips and some of the empty ones, in random order."""
    full, empty = np.flatnonzero(truths[:, 0]), np.flatnonzero(truths[:, 0] == 0)
    some = rng.choice(empty, round(EMPTY_SHARE * len(empty)), replace=False)
    return rng.permutation(np.concatenate([full, some]))


def figures(logits: Tensor, truths: Ints) -> str:
    """By group of counts: exact, within one, and the cross-entropy; then the accuracy for trays."""
    held, there = np.maximum(truths[:, 0], 0), truths[:, 1] > 0
    wrong = np.abs(logits[:, :-1].argmax(1).numpy() - held)
    losses = fn.cross_entropy(logits[:, :-1], torch.from_numpy(held), reduction="none").numpy()
    rows = []
    for low, high in COUNT_GROUPS:
        some = (held >= low) & (held <= high)
        exact, near = 100 * (wrong[some] == 0).mean(), 100 * (wrong[some] <= 1).mean()
        rows.append(f"{low}-{high} {exact:.1f} {near:.1f} ce {losses[some].mean():.3f}")
    accuracy = 100 * ((logits[:, -1].numpy() > 0) == there).mean()
    return ", ".join([*rows, f"there {accuracy:.1f}"])


TRAYS: Final = CountingTask(
    "trays", SIZE, from_stacks_net, CHUNKS.path, augment, classes, loss_of, figures,
    test_chunks=4, chunks=130, epochs=5, epoch_order=epoch_order, learning_rate=1e-3,
    keeps_statistics=True,
)  # fmt: skip

if __name__ == "__main__":
    main(TRAYS, __doc__)
