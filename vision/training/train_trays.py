"""Train the trays' net on the strips of `tray_crops.py`."""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as fn

from engine.position import CHECKERS
from vision.training.coloured_crops import Crops
from vision.training.counting import Chance, Counting, Counts, main
from vision.training.tray_crops import CHUNKS
from vision.training.tray_net import TrayNet
from vision.tray_strips import LENGTH, WIDTH

EMPTY: Final = 0.35
"""Share of the empty strips that are learnt in one round: there are three to each full one."""


def renamed(crops: Crops, rng: Chance) -> Crops:
    """Half of the time with light taken for dark."""
    strips, lifts, colours, counts = crops
    return crops if rng.random() < 0.5 else (strips, lifts, colours[:, ::-1], -counts)


def classes(counts: Counts) -> Counts:
    """Dark's fifteen first."""
    return counts + CHECKERS


def loss_of(told: Tensor, counts: Tensor) -> Tensor:
    """Cross-entropy, every count a little doubtful."""
    return fn.cross_entropy(told, counts, label_smoothing=0.02)


def round_of(counts: Counts, rng: Chance) -> NDArray[np.intp]:
    """All full strips and some of the empty ones."""
    full, empty = np.flatnonzero(counts), np.flatnonzero(counts == 0)
    some = rng.choice(empty, round(EMPTY * len(empty)), replace=False)
    return rng.permutation(np.concatenate([full, some]))


def figures(told: Tensor, counts: Counts) -> str:
    """Empty ones told empty, full ones full and whose, within one, exactly; cross-entropy."""
    answer = told.argmax(1).numpy() - CHECKERS
    loss = float(fn.cross_entropy(told, torch.from_numpy(classes(counts))))
    full, wrong = counts != 0, np.abs(answer - counts)
    rows = [("empty", answer[~full] == 0),
            ("whose", np.sign(answer[full]) == np.sign(counts[full])),
            ("within 1", wrong[full] <= 1), ("exact", wrong[full] == 0)]  # fmt: skip
    return ", ".join(f"{name} {100 * hit.mean():.1f}" for name, hit in rows) + f", ce {loss:.3f}"


TRAYS: Final = Counting(
    "trays", (LENGTH, WIDTH), TrayNet, CHUNKS.path, renamed, classes, loss_of, figures,
    tested=2, chunks=63, epochs=20, round_of=round_of,
)  # fmt: skip

if __name__ == "__main__":
    main(TRAYS, __doc__)
