"""Train the face net: which face of what is surely a die lies up, glints of lamps on it or not.

It goes on from the die net, whose last layer it takes the faces of, on the dice alone among the
crops of `die_crops.py`, `found_crops.py` and `traced_crops.py`.
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
from vision.training.train.die_lessons import (
    TESTED,
    Answer,
    Crops,
    CropTraining,
    Picked,
    batch,
    dice_only,
    lessons,
    load,
    teach,
)

FASTEST: Final = 1e-3
SMOOTHING: Final = 0.002
"""Share of a label that is spread over all faces: no reading becomes surer than that."""
GLINTS: Final = 0.3
"""Chance of each of `AT_MOST` glints on a die."""
AT_MOST: Final = 2
FACE_PX: Final = 10.5
"""Pixels from a die's middle within which a glint is on its upper face."""


def with_glints(picture: Tensor, generator: torch.Generator) -> Tensor:
    """(N, 3, 48, 48) crops in -0.5..0.5, on some of which lamps are mirrored in the die.

    A soft or hard ellipse, cut off straight at times, as bright as a lamp in what shines a little:
    lighter than what lies under it, white where the camera can show no more.
    """
    count = len(picture)

    def some(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(count, 1, 1, generator=generator)

    axis = torch.arange(CROP_SIZE) - (CROP_SIZE - 1) / 2
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    on_face = torch.sigmoid(2 * (FACE_PX - torch.hypot(x, y)))
    for _ in range(AT_MOST):
        away, way, turn = some(0, 1).sqrt() * 9, some(0, 2 * math.pi), some(0, math.pi)
        u, v = x - away * way.cos(), y - away * way.sin()
        along = (u * turn.cos() + v * turn.sin()) / 2 ** some(0.6, 2.8)
        across = (v * turn.cos() - u * turn.sin()) / 2 ** some(0.6, 2.8)
        spot = torch.sigmoid((1 - torch.hypot(along, across)) * 2 ** some(1, 4))
        edge = some(0, 2 * math.pi)
        straight = torch.sigmoid(2 * (u * edge.cos() + v * edge.sin() + some(-1, 3)))
        spot = torch.where(some(0, 1) < 0.4, spot * straight, spot) * on_face
        bright = some(0.2, 1.3) * (some(0, 1) < GLINTS)
        tint = 1 - 0.25 * torch.rand(count, 3, 1, 1, generator=generator)
        picture = picture + (spot * bright)[:, None] * tint
    return picture.clamp(max=0.5)


def glinting(made: Crops, picked: Picked, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """(N, 5, 48, 48) input and (N,) faces 0..5, recoloured, turned, mirrored and with glints."""
    seen, target = batch(made, picked, generator)
    seen[:, :3] = with_glints(seen[:, :3], generator)
    if torch.rand((), generator=generator) < 0.5:  # a face in the mirror is the same face
        seen = seen.flip(3)
        seen[:, 3] = -seen[:, 3]
    return seen.contiguous(memory_format=torch.channels_last), target[:, 0].long()


def train(said: CropTraining) -> None:
    """Train, report on unseen crops, export."""
    made = dice_only(load(said.folder, said.chunks, said.found, said.traced))
    kept = range(TESTED)
    drawn = dice_only(load(said.folder, kept, kept))
    traced = dice_only(load(said.folder, range(0), range(0), kept))

    def loss_of(answer: Answer, picked: Picked, generator: torch.Generator) -> Tensor:
        seen, face = glinting(made, picked, generator)
        return fn.cross_entropy(answer(seen), face, label_smoothing=SMOOTHING)

    begin, told = (
        partial(PartNet.begun, FACES, said.start),
        partial(figures, drawn=drawn, traced=traced),
    )
    teach(said, begin, made, loss_of, told, fastest=FASTEST, frozen=True)


def figures(net: nn.Module, drawn: Crops, traced: Crops) -> str:
    """Faces right and the cross-entropy: as drawn, with painted glints, and as traced."""
    net.eval()
    generator = torch.Generator().manual_seed(5)
    told = {
        "as drawn": answers(net, drawn, None),
        "with glints": answers(net, drawn, generator),
        "as traced": answers(net, traced, None),
    }
    return ", ".join(
        f"{name} {100 * (answer.argmax(1) == face).float().mean():.2f}"
        f" ce {fn.cross_entropy(answer, face):.4f}"
        for name, (answer, face) in told.items()
    )


def answers(
    net: nn.Module, test: Crops, generator: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    """(N, 6) logits and (N,) faces of the crops, with painted glints where there is a generator."""
    told, faces = [], []
    with torch.no_grad():
        for picked in np.array_split(np.arange(len(test[0])), 40):
            seen, target = batch(test, picked, None)
            if generator is not None:
                seen[:, :3] = with_glints(seen[:, :3], generator)
            told.append(net(seen))
            faces.append(target[:, 0].long())
    return torch.cat(told), torch.cat(faces)


if __name__ == "__main__":
    train(lessons(__doc__, "faces"))
