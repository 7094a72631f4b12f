"""Trains the face net: which face of a die is up, with or without reflections of lamps on it.

It starts from the die net with the faces of its last layer, and is trained only on the dice among
the crops of `die_crops.py` and `found_crops.py`.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from engine.arrays import Ints
from vision.dice.classify import FACE_CLASSES
from vision.dice.views import CROP_SIZE
from vision.training.nets.die_net import PartNet
from vision.training.train import crop_training
from vision.training.train.crop_training import Crops, crop_task, dice_only
from vision.training.train.figures import Figures, percent
from vision.training.train.learning import Batch

SMOOTHING: Final = 0.002
"""Label smoothing, which bounds the confidence of a reading."""
GLINT_PROBABILITY: Final = 0.3
"""Probability of each of `MAX_GLINTS` glints on a die."""
MAX_GLINTS: Final = 2
FACE_RADIUS_PX: Final = 10.5
"""Radius of a die's upper face, which shows the glints."""


def with_glints(picture: Tensor, generator: torch.Generator) -> Tensor:
    """(N, 3, 48, 48) crops in -0.5..0.5, with lamp reflections on some of the dice.

    A reflection is a soft or hard ellipse, sometimes with a straight cut, that is added to what
    lies under it and clipped at white.
    """
    count = len(picture)

    def uniform(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(count, 1, 1, generator=generator)

    axis = torch.arange(CROP_SIZE) - (CROP_SIZE - 1) / 2
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    on_face = torch.sigmoid(2 * (FACE_RADIUS_PX - torch.hypot(x, y)))
    for _ in range(MAX_GLINTS):
        away, way, turn = uniform(0, 1).sqrt() * 9, uniform(0, 2 * math.pi), uniform(0, math.pi)
        u, v = x - away * way.cos(), y - away * way.sin()
        along = (u * turn.cos() + v * turn.sin()) / 2 ** uniform(0.6, 2.8)
        across = (v * turn.cos() - u * turn.sin()) / 2 ** uniform(0.6, 2.8)
        spot = torch.sigmoid((1 - torch.hypot(along, across)) * 2 ** uniform(1, 4))
        edge = uniform(0, 2 * math.pi)
        straight = torch.sigmoid(2 * (u * edge.cos() + v * edge.sin() + uniform(-1, 3)))
        spot = torch.where(uniform(0, 1) < 0.4, spot * straight, spot) * on_face
        bright = uniform(0.2, 1.3) * (uniform(0, 1) < GLINT_PROBABILITY)
        tint = 1 - 0.25 * torch.rand(count, 3, 1, 1, generator=generator)
        picture = picture + (spot * bright)[:, None] * tint
    return picture.clamp(max=0.5)


def make_glinting_batch(crops: Crops, indices: Ints, generator: torch.Generator) -> Batch:
    """(N, 5, 48, 48) input and (N,) faces 0..5, recolored, rotated, mirrored and with glints."""
    batch, target = crop_training.make_batch(crops, indices, generator)
    batch[:, :3] = with_glints(batch[:, :3], generator)
    if torch.rand((), generator=generator) < 0.5:  # a mirrored face is the same face
        batch = batch.flip(3)
        batch[:, 3] = -batch[:, 3]
    return batch.contiguous(memory_format=torch.channels_last), target[:, 0].long()


def loss_of(logits: Tensor, faces: Tensor) -> Tensor:
    """Cross-entropy with label smoothing."""
    return fn.cross_entropy(logits, faces, label_smoothing=SMOOTHING)


def figures(net: nn.Module, dice: Crops) -> Figures:
    """Accuracy and cross-entropy, as drawn and with painted glints."""
    out: Figures = {}
    for name, generator in (("", None), (" with glints", torch.Generator().manual_seed(5))):
        logits, face = crop_training.predict(net, dice, make_test_batch, generator)
        out[f"right{name} %"] = percent(logits.argmax(1) == face)
        out[f"cross-entropy{name}"] = float(fn.cross_entropy(logits, face))
    return out


def make_test_batch(crops: Crops, indices: Ints, generator: torch.Generator | None) -> Batch:
    """(N, 5, 48, 48) input and (N,) faces 0..5; with glints if a generator is given."""
    batch, target = crop_training.make_batch(crops, indices, None)
    if generator is not None:
        batch[:, :3] = with_glints(batch[:, :3], generator)
    return batch, target[:, 0].long()


TASK: Final = crop_task(
    "faces", partial(PartNet, FACE_CLASSES), make_glinting_batch, loss_of, figures, 1e-3,
    prepare=dice_only, from_die=True,
)  # fmt: skip
