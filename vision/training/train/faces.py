"""Train the face net: which face of a die is up, with reflections of lamps on it or not.

It starts from the die net with the faces of its last layer, and is trained on the dice alone among
the crops of `die_crops.py`, `found_crops.py` and `path_traced_crops.py`.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.dice.views import CROP_SIZE
from vision.training.nets.die_net import FACES, PartNet
from vision.training.train.crop_training import (
    TEST_CHUNKS,
    Crops,
    CropTrainingOptions,
    Indices,
    Net,
    dice_only,
    load_chunks,
    make_batch,
    parse_arguments,
    train_on_crops,
)

LEARNING_RATE: Final = 1e-3
SMOOTHING: Final = 0.002
"""Label smoothing, which bounds the confidence of a reading."""
GLINTS: Final = 0.3
"""Probability of each of `MAX_GLINTS` glints on a die."""
MAX_GLINTS: Final = 2
FACE_PX: Final = 10.5
"""Radius in pixels of a die's upper face, which shows the glints."""


def with_glints(picture: Tensor, generator: torch.Generator) -> Tensor:
    """(N, 3, 48, 48) crops in -0.5..0.5, on some of which the die reflects lamps.

    A reflection is a soft or hard ellipse, at times cut off straight, that is added to what lies
    under it and clipped at white.
    """
    count = len(picture)

    def uniform(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(count, 1, 1, generator=generator)

    axis = torch.arange(CROP_SIZE) - (CROP_SIZE - 1) / 2
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    on_face = torch.sigmoid(2 * (FACE_PX - torch.hypot(x, y)))
    for _ in range(MAX_GLINTS):
        away, way, turn = uniform(0, 1).sqrt() * 9, uniform(0, 2 * math.pi), uniform(0, math.pi)
        u, v = x - away * way.cos(), y - away * way.sin()
        along = (u * turn.cos() + v * turn.sin()) / 2 ** uniform(0.6, 2.8)
        across = (v * turn.cos() - u * turn.sin()) / 2 ** uniform(0.6, 2.8)
        spot = torch.sigmoid((1 - torch.hypot(along, across)) * 2 ** uniform(1, 4))
        edge = uniform(0, 2 * math.pi)
        straight = torch.sigmoid(2 * (u * edge.cos() + v * edge.sin() + uniform(-1, 3)))
        spot = torch.where(uniform(0, 1) < 0.4, spot * straight, spot) * on_face
        bright = uniform(0.2, 1.3) * (uniform(0, 1) < GLINTS)
        tint = 1 - 0.25 * torch.rand(count, 3, 1, 1, generator=generator)
        picture = picture + (spot * bright)[:, None] * tint
    return picture.clamp(max=0.5)


def make_glinting_batch(
    made: Crops, indices: Indices, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """(N, 5, 48, 48) input and (N,) faces 0..5, recoloured, turned, mirrored and with glints."""
    seen, target = make_batch(made, indices, generator)
    seen[:, :3] = with_glints(seen[:, :3], generator)
    if torch.rand((), generator=generator) < 0.5:  # a face in the mirror is the same face
        seen = seen.flip(3)
        seen[:, 3] = -seen[:, 3]
    return seen.contiguous(memory_format=torch.channels_last), target[:, 0].long()


def train(options: CropTrainingOptions) -> None:
    """Train on crops, test on others, export."""
    made = dice_only(load_chunks(options.folder, options.chunks, options.found, options.traced))
    kept = range(TEST_CHUNKS)
    drawn = dice_only(load_chunks(options.folder, kept, kept))
    traced = dice_only(load_chunks(options.folder, range(0), range(0), kept))

    def loss_of(predict: Net, indices: Indices, generator: torch.Generator) -> Tensor:
        seen, face = make_glinting_batch(made, indices, generator)
        return fn.cross_entropy(predict(seen), face, label_smoothing=SMOOTHING)

    make_net = partial(PartNet.from_exported, FACES, options.start)
    test = partial(figures, drawn=drawn, traced=traced)
    train_on_crops(
        options, make_net, made, loss_of, test, learning_rate=LEARNING_RATE, is_pretrained=True
    )


def figures(net: nn.Module, drawn: Crops, traced: Crops) -> str:
    """Accuracy and cross-entropy: as ray-cast, with painted glints, and as path-traced."""
    net.eval()
    generator = torch.Generator().manual_seed(5)
    predictions = {
        "as drawn": predict(net, drawn, None),
        "with glints": predict(net, drawn, generator),
        "as traced": predict(net, traced, None),
    }
    return ", ".join(
        f"{name} {100 * (logits.argmax(1) == face).float().mean():.2f}"
        f" ce {fn.cross_entropy(logits, face):.4f}"
        for name, (logits, face) in predictions.items()
    )


def predict(
    net: nn.Module, test: Crops, generator: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    """(N, 6) logits and (N,) faces of the crops, with painted glints where there is a generator."""
    logits, faces = [], []
    with torch.no_grad():
        for indices in np.array_split(np.arange(len(test[0])), 40):
            seen, target = make_batch(test, indices, None)
            if generator is not None:
                seen[:, :3] = with_glints(seen[:, :3], generator)
            logits.append(net(seen))
            faces.append(target[:, 0].long())
    return torch.cat(logits), torch.cat(faces)


if __name__ == "__main__":
    train(parse_arguments(__doc__, "faces"))
