"""Trains the net that sees what hands hide, on the rectified boards of `samples.py`.

What is known is how much of each strip is hidden: every cell of a strip is to say that share, so
that the mean over the strip does. Cells outside the strips are not judged.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Floats32, Image, Rng
from vision.board.heatmaps import STRIDE
from vision.checkers.occlusion import NET_INPUT_SIZE, net_picture, strip_means, strip_windows
from vision.training.nets.mark_net import MarkNet
from vision.training.samples.samples import SceneSample, decode
from vision.training.train.figures import Figures, mean, percent
from vision.training.train.marks import Samples, heatmaps, mark_task

UNJUDGED: Final = -1.0
"""The target of cells outside the strips."""
MAX_SHIFT: Final = 4.0
"""Pixels of the net's picture by which a board may be found beside where it is."""
HIDDEN: Final = 0.5
"""Share from which a strip counts as hidden in the figures."""


def target_of(sample: SceneSample) -> Floats32:
    """(1, 40, 48) share of each cell's strip that is hidden; `UNJUDGED` outside the strips."""
    along, across = strip_windows(sample.layout, sample.field_size)
    target = np.full((NET_INPUT_SIZE[1] // STRIDE, NET_INPUT_SIZE[0] // STRIDE), UNJUDGED)
    for row, column, share in zip(along, across, sample.covered, strict=True):
        inside = np.outer(row > row.max() / 2, column > column.max() / 2)
        target[inside] = share
    return target[None].astype(np.float32)


def make_example(sample: SceneSample, rng: Rng) -> tuple[Image, Floats32]:
    """(160, 192, 3) picture and (1, 40, 48) target, mirrored and recolored at random.

    The picture alone is moved, as by a pose that is off: what is asked about are the strips as they
    were found.
    """
    picture, target = net_picture(decode(sample.board)), target_of(sample)
    for axis in (0, 1):
        if rng.random() < 0.5:
            picture, target = np.flip(picture, axis), np.flip(target, axis + 1)
    move = np.column_stack([np.eye(2), rng.uniform(-MAX_SHIFT, MAX_SHIFT, 2)])
    part = cv2.warpAffine(np.ascontiguousarray(picture), move, NET_INPUT_SIZE,
                          borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    gain = rng.uniform(0.7, 1.25) * rng.uniform(0.85, 1.15, 3)
    order = rng.permutation(3) if rng.random() < 0.5 else np.arange(3)
    bright = part[..., order] * gain.astype(np.float32) + rng.uniform(-15, 15)
    if rng.random() < 0.3:
        bright = np.asarray(cv2.GaussianBlur(bright, (0, 0), rng.uniform(0.4, 1.2)), np.float32)
    noisy = bright + rng.uniform(0, 5) * rng.standard_normal(part.shape, np.float32)
    return np.clip(noisy, 0, 255).astype(np.uint8), np.ascontiguousarray(target)


def loss_of(logits: Tensor, target: Tensor) -> Tensor:
    """The cross-entropy of the judged cells."""
    judged = (target >= 0).float()
    loss = fn.binary_cross_entropy_with_logits(logits, target.clamp(min=0), reduction="none")
    return (loss * judged).sum() / judged.sum()


def figures(net: MarkNet, samples: Samples) -> Figures:
    """How far the shares are off, and which of the hidden and the free strips are told."""
    seen = np.array([
        strip_means(heatmaps(net, net_picture(decode(sample.board)))[0], sample.layout,
                    sample.field_size)
        for sample in samples
    ])  # fmt: skip
    true = np.array([sample.covered for sample in samples])
    is_partly = (true > 0) & (true < HIDDEN)
    return {
        "hidden told %": percent(seen[true >= HIDDEN] >= HIDDEN / 2),
        "free called hidden %": percent(seen[true == 0] >= HIDDEN / 2),
        "share off, partly hidden": mean(np.abs(seen - true)[is_partly]),
    }


TASK: Final = mark_task(
    "occlusion", 1, make_example, loss_of, figures, wide=True, size=NET_INPUT_SIZE,
    has_any_size=False, batch=16,
)  # fmt: skip
