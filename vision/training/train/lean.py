"""Trains the lean net: whether a die lies flat or leans on something.

It starts from the die net with that one output of its last layer, and is trained on the crops of
`lean_crops.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.nets.die_net import FLAT_OUTPUT, PartNet
from vision.training.train import crop_training
from vision.training.train.crop_training import FLAT_DEG, Crops, crop_task
from vision.training.train.figures import Figures, percent, quantile


def loss_of(output: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of lying flat."""
    return fn.binary_cross_entropy_with_logits(output[:, 0], (target[:, 1] < FLAT_DEG).float())


def figures(net: nn.Module, crops: Crops) -> Figures:
    """Cross-entropy, and the recall of leaning dice at a false positive rate of 2 %."""
    output, target = crop_training.predict(net, crops)
    log_odds, tilt = output[:, 0], target[:, 1]
    flat = tilt < FLAT_DEG
    bound = quantile(log_odds[flat], 0.02) or 0.0
    found = {
        f"found at {low}-{high} deg %": percent(log_odds[(tilt >= low) & (tilt < high)] < bound)
        for low, high in ((6, 15), (15, 25), (25, 40), (40, 56))
    }
    return {"cross-entropy": float(loss_of(output, target))} | found


TASK: Final = crop_task(
    "lean", partial(PartNet, FLAT_OUTPUT), crop_training.make_batch, loss_of, figures, 1e-3,
    from_die=True,
)  # fmt: skip
