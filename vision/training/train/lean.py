"""Train the lean net: whether what is surely a die lies flat or leans on something.

It goes on from the die net, whose last layer it takes that one answer of, on the crops of
`lean_crops.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.nets.die_net import FLAT, PartNet
from vision.training.train.die_lessons import (
    FLAT_DEG,
    TESTED,
    Answer,
    Crops,
    CropTraining,
    Picked,
    batch,
    lessons,
    load,
    teach,
)

FASTEST: Final = 1e-3


def train(said: CropTraining) -> None:
    """Train, report on unseen crops, export."""
    made = load(said.folder, said.chunks, range(0))
    test = load(said.folder, range(TESTED), range(0))

    def loss_of(answer: Answer, picked: Picked, generator: torch.Generator) -> Tensor:
        seen, target = batch(made, picked, generator)
        flat = (target[:, 1] < FLAT_DEG).float()
        return fn.binary_cross_entropy_with_logits(answer(seen)[:, 0], flat)

    begin, told = partial(PartNet.begun, FLAT, said.start), partial(figures, test=test)
    teach(said, begin, made, loss_of, told, fastest=FASTEST, frozen=True)


def figures(net: nn.Module, test: Crops) -> str:
    """Cross-entropy, and how many of those that lean are told where one flat in fifty is too."""
    net.eval()
    with torch.no_grad():
        parts = [net(batch(test, picked, None)[0])[:, 0]
                 for picked in np.array_split(np.arange(len(test[0])), 40)]  # fmt: skip
    told, tilt = torch.cat(parts), torch.from_numpy(test[2][:, 1])
    return told_apart(told, tilt)


def told_apart(told: Tensor, tilt: Tensor) -> str:
    """The same of (N,) log-odds of lying flat and (N,) tilts in degrees."""
    flat = tilt < FLAT_DEG
    bound = told[flat].quantile(0.02)
    loss = fn.binary_cross_entropy_with_logits(told, flat.float())
    parts = []
    for low, high in ((6, 15), (15, 25), (25, 40), (40, 56)):
        share = (told[(tilt >= low) & (tilt < high)] < bound).float().mean()
        parts.append(f"{low}-{high} deg {100 * share:.0f} %")
    return f"ce {loss:.3f}, leaning told: {', '.join(parts)}"


if __name__ == "__main__":
    train(lessons(__doc__, "lean"))
