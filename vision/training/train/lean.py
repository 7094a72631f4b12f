"""Trains the lean net: whether a die lies flat or leans on something.

It starts from the die net with that one output of its last layer, and is trained on the crops of
`lean_crops.py`.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from torch import Tensor, nn
from torch.nn import functional as fn

from vision.training.nets.die_net import FLAT_OUTPUT, PartNet
from vision.training.train import crop_training
from vision.training.train.crop_training import DRAWN, FLAT_DEG, CropTask


def loss_of(output: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy of lying flat."""
    return fn.binary_cross_entropy_with_logits(output[:, 0], (target[:, 1] < FLAT_DEG).float())


def figures(net: nn.Module, folder: Path) -> str:
    """Cross-entropy, and the recall of leaning dice at a false positive rate of 2 %."""
    output, target = crop_training.predict(net, crop_training.load_test_crops(folder, DRAWN))
    log_odds, tilt = output[:, 0], target[:, 1]
    flat = tilt < FLAT_DEG
    bound = log_odds[flat].quantile(0.02)
    parts = []
    for low, high in ((6, 15), (15, 25), (25, 40), (40, 56)):
        share = (log_odds[(tilt >= low) & (tilt < high)] < bound).float().mean()
        parts.append(f"{low}-{high} deg {100 * share:.0f} %")
    return f"ce {loss_of(output, target):.3f}, leaning found: {', '.join(parts)}"


LEAN_TASK: Final = CropTask(
    "lean", partial(PartNet.from_exported, FLAT_OUTPUT), crop_training.make_batch, loss_of, figures,
    1e-3, kinds=(DRAWN,), is_pretrained=True,
)  # fmt: skip

if __name__ == "__main__":
    crop_training.main(LEAN_TASK, __doc__)
