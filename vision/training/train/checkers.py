"""Trains the checkers' net on the rectified boards of `samples.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Floats32, Ints, Rng
from engine.evidence.observation import COUNTS
from engine.position import CHECKERS
from vision.checkers.strips import (
    NET_STRIP_LENGTH,
    NET_STRIP_WIDTH,
    STRIP_COUNT,
    cut_strips,
    recoloured,
)
from vision.training.nets.checker_net import CheckerNet
from vision.training.samples.samples import SceneSample, decode
from vision.training.train.figures import Figures, percent
from vision.training.train.learning import Batch, Task, export_onnx
from vision.training.train.marks import Samples

BOARDS: Final = 8
"""Number of boards in a batch."""
STRIPS_LEARNT: Final = 16
"""Number of strips per board in a batch, always including the bar's halves."""
RECOLOURED_SHARE: Final = 0.5
"""Fraction of boards that are recolored."""
END_ERRORS: Final = (0.0, 1.5, 3.5)
"""Standard deviations, in pixels, of the error in the located end of a board's points."""
MAX_SHIFT: Final = 8
MIN_WEIGHT: Final = 0.15
"""Weight of a strip that a hand hides completely: enough to learn that it cannot be told."""
COVERED: Final = (0.3, 0.7)
"""Fractions of a strip hidden from which its weight falls, and at which it is smallest."""
IS_FAR: Final = np.array([0] * 12 + [1] * 12 + [0, 1])
"""Whether each strip is on the far side of the board."""


def make_strips(sample: SceneSample, shifts: Ints | None = None) -> Floats32:
    """(26, 5, 168, 44) input from a sample; `shifts` as for `cut_strips`."""
    picture = decode(sample.board)
    return cut_strips(picture, sample.layout, sample.field_size[0], sample.lifts, shifts)


def random_shifts(rng: Rng) -> Ints:
    """(26, 2) pixels by which strips are shifted, lengthwise by the same amount on each side.

    A rail may hide where the points begin, so that the located field is too long or too short by up
    to a quarter of a checker.
    """
    shifts = rng.integers(-2, 3, (STRIP_COUNT, 2))
    sides = rng.normal(0, rng.choice(END_ERRORS, p=(0.4, 0.3, 0.3)), 2)
    shifts[:, 1] += np.rint(sides).astype(np.int64)[IS_FAR]
    return np.clip(shifts, -MAX_SHIFT, MAX_SHIFT)


def classes_of(sample: SceneSample) -> Ints:
    """(26,) classes of the points and, for the bar, of light's and of dark's checkers."""
    counts = [*sample.points, sample.bar[0], -sample.bar[1]]
    return np.clip(np.array(counts), -CHECKERS, CHECKERS) + CHECKERS


def weights_of(sample: SceneSample) -> Floats32:
    """(26,) weights of the strips, by what a hand hides of them.

    They do not depend on the checkers there, so what the net should say remains the same: how often
    each count is found under such a hand. Only the noise of what nobody can see is less.
    """
    return np.interp(sample.covered, COVERED, (1, MIN_WEIGHT)).astype(np.float32)


def loss_of(logits: Tensor, classes: Tensor, weights: Tensor | None = None) -> Tensor:
    """Weighted cross-entropy; the bar's two counts may be in either of its halves.

    `logits` (B, S, 31), `classes` (B, S) and `weights` (B, S), 1 by default, with the bar's halves
    as the last two strips.
    """
    if weights is None:
        weights = torch.ones(classes.shape)
    log_p = fn.log_softmax(logits, dim=-1)
    loss = -log_p.gather(2, classes[..., None])[..., 0]
    as_given = loss[:, -2] + loss[:, -1]
    swapped = -log_p[:, -2].gather(1, classes[:, -1:]) - log_p[:, -1].gather(
        1, classes[:, -2:-1])  # fmt: skip
    bar = -torch.logsumexp(torch.stack([-as_given, -swapped[:, 0]]), dim=0)
    bar_weights = weights[:, -2:].mean(dim=1)
    return ((loss * weights)[:, :-2].sum() + (bar * bar_weights).sum()) / weights.sum()


def make_batch(samples: Samples, indices: Ints, rng: Rng) -> Batch:
    """The strips chosen of these boards, in a row, and their (B, 2, 16) classes and weights."""
    strips, targets = [], []
    for sample in (samples[index] for index in indices):
        labels = classes_of(sample)
        weights = (labels[:24] != CHECKERS) + 0.35  # empty points are many and easy
        kept = rng.choice(24, STRIPS_LEARNT - 2, replace=False, p=weights / weights.sum())
        kept = np.concatenate([kept, [24, 25]])
        shifted = make_strips(sample, random_shifts(rng))[kept]
        strips.append(recoloured(shifted, rng, RECOLOURED_SHARE))
        targets.append(np.stack([labels[kept].astype(np.float32), weights_of(sample)[kept]]))
    tensor = torch.from_numpy(np.concatenate(strips))
    return tensor.contiguous(memory_format=torch.channels_last), torch.from_numpy(np.stack(targets))


def whole_boards(samples: Samples, rng: Rng) -> Iterator[Floats32]:
    """The (26, 5, 168, 44) input of each board, as in a batch."""
    for sample in samples:
        strips = make_strips(sample, random_shifts(rng))
        yield recoloured(strips, rng, RECOLOURED_SHARE)


def output_loss(output: Tensor, targets: Tensor) -> Tensor:
    """The loss of the (B * S, 127) logits and features, given (B, 2, S) classes and weights."""
    classes, weights = targets[:, 0].long(), targets[:, 1]
    return loss_of(output[:, :COUNTS].reshape(*classes.shape, COUNTS), classes, weights)


def figures(net: CheckerNet, samples: Samples) -> Figures:
    """The accuracy of points, by count, and of whole boards."""
    net.set_strips(STRIP_COUNT)
    labels = np.stack([classes_of(sample)[:24] for sample in samples])
    predicted = np.stack([
        net(torch.from_numpy(make_strips(sample)))[:24, :COUNTS].argmax(1).numpy()
        for sample in samples
    ])  # fmt: skip
    is_right, count = predicted == labels, np.abs(labels - CHECKERS)
    groups = {
        f"points with {low}-{high} %": percent(is_right[(count >= low) & (count <= high)])
        for low, high in ((0, 0), (1, 3), (4, 5), (6, 15))
    }
    return {"points %": percent(is_right)} | groups | {"boards %": percent(is_right.all(axis=1))}


def make_net() -> CheckerNet:
    """A net for boards of `STRIPS_LEARNT` strips."""
    net = CheckerNet()
    net.set_strips(STRIPS_LEARNT)
    return net


def export(net: CheckerNet, out: Path) -> None:
    """Write the net as ONNX, for whole boards."""
    net.set_strips(STRIP_COUNT)
    shape = (STRIP_COUNT, 5, NET_STRIP_LENGTH, NET_STRIP_WIDTH)
    export_onnx(net, shape, ("strips", "counts"), out)


TASK: Final = Task(
    "checkers", make_net, BOARDS, make_batch, output_loss, figures, export, 3e-3, decay=2e-3,
    inputs=whole_boards,
)  # fmt: skip
