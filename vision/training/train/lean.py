"""Train the lean net: whether a die lies flat or leans on something.

It starts from the die net with that one output of its last layer, and is trained on the crops of
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
from vision.training.train.crop_training import (
    FLAT_DEG,
    TEST_CHUNKS,
    Crops,
    CropTrainingOptions,
    Indices,
    Net,
    load_chunks,
    make_batch,
    parse_arguments,
    train_on_crops,
)

LEARNING_RATE: Final = 1e-3


def train(options: CropTrainingOptions) -> None:
    """Train on crops, test on others, export."""
    made = load_chunks(options.folder, options.chunks, range(0))
    test = load_chunks(options.folder, range(TEST_CHUNKS), range(0))

    def loss_of(predict: Net, indices: Indices, generator: torch.Generator) -> Tensor:
        seen, target = make_batch(made, indices, generator)
        flat = (target[:, 1] < FLAT_DEG).float()
        return fn.binary_cross_entropy_with_logits(predict(seen)[:, 0], flat)

    make_net = partial(PartNet.from_exported, FLAT, options.start)
    train_on_crops(
        options,
        make_net,
        made,
        loss_of,
        partial(figures, test=test),
        learning_rate=LEARNING_RATE,
        is_pretrained=True,
    )


def figures(net: nn.Module, test: Crops) -> str:
    """Cross-entropy, and the recall of leaning dice at a false positive rate of 2 %."""
    net.eval()
    with torch.no_grad():
        parts = [net(make_batch(test, indices, None)[0])[:, 0]
                 for indices in np.array_split(np.arange(len(test[0])), 40)]  # fmt: skip
    log_odds, tilt = torch.cat(parts), torch.from_numpy(test[2][:, 1])
    return separation(log_odds, tilt)


def separation(log_odds: Tensor, tilt: Tensor) -> str:
    """The figures of (N,) log-odds of lying flat and (N,) tilts in degrees."""
    flat = tilt < FLAT_DEG
    bound = log_odds[flat].quantile(0.02)
    loss = fn.binary_cross_entropy_with_logits(log_odds, flat.float())
    parts = []
    for low, high in ((6, 15), (15, 25), (25, 40), (40, 56)):
        share = (log_odds[(tilt >= low) & (tilt < high)] < bound).float().mean()
        parts.append(f"{low}-{high} deg {100 * share:.0f} %")
    return f"ce {loss:.3f}, leaning told: {', '.join(parts)}"


if __name__ == "__main__":
    train(parse_arguments(__doc__, "lean"))
