"""Trains the bar's net on the strips of `bar_crops.py`."""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Ints, Rng
from vision.checkers.bar import BAR_STRIP_LENGTH, BAR_STRIP_WIDTH, MAX_ON_BAR
from vision.training.nets.strip_nets import BarNet
from vision.training.samples.coloured_crops import Crops
from vision.training.train.counting import counting_task
from vision.training.train.figures import Figures, percent


def augment(crops: Crops, rng: Rng) -> Crops:
    """The crops flipped along, across, and with the sides exchanged, each half of the time."""
    strips, lifts, colours, counts = crops
    for axis, across in ((1, 1), (2, 0)):
        if rng.random() < 0.5:
            strips, lifts = np.flip(strips, axis), lifts * np.where([across, 1 - across], 1, -1)
    if rng.random() < 0.5:
        colours, counts = colours[:, ::-1], counts[:, ::-1]
    return strips, lifts, colours, counts


def classes(counts: Ints) -> Ints:
    """The counts, limited to the net's largest class."""
    return np.minimum(counts, MAX_ON_BAR)


def loss_of(logits: Tensor, counts: Tensor) -> Tensor:
    """Cross-entropy of both sides' counts."""
    return fn.cross_entropy(
        logits.reshape(-1, MAX_ON_BAR + 1), counts.flatten(), label_smoothing=0.01
    )


def figures(logits: Tensor, counts: Ints) -> Figures:
    """Accuracy on empty and on occupied bars, and both sides' total cross-entropy."""
    sides, true = logits.unflatten(1, (2, MAX_ON_BAR + 1)), torch.from_numpy(classes(counts))
    loss = 2 * float(fn.cross_entropy(sides.flatten(0, 1), true.flatten()))
    hit = (sides.argmax(2) == true).all(dim=1)
    held = true.any(dim=1)
    shares = {"empty %": percent(hit[~held]), "held %": percent(hit[held])}
    return shares | {"cross-entropy": loss}


TASK: Final = counting_task(
    "bar", (BAR_STRIP_LENGTH, BAR_STRIP_WIDTH), BarNet, augment, classes, loss_of, figures
)
