"""Blends an exported net with one fine-tuned from it: a weighted mean of their weights.

Fine-tuning forgets a little of what was learned before; a net in between is better than either
(Wortsman 2022).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from torch import nn

from vision.dice.classify import FACE_CLASSES
from vision.training.nets.checker_net import CheckerNet
from vision.training.nets.die_net import DieNet, PartNet
from vision.training.nets.from_onnx import start_from
from vision.training.train import checkers as train_checkers
from vision.training.train import counting, crop_training
from vision.training.train import stacks as train_stacks

NETS: Final[dict[str, tuple[Callable[[], nn.Module], Callable[[Any, Path], None]]]] = {
    "checkers": (CheckerNet, train_checkers.export),
    "die": (DieNet, crop_training.export),
    "faces": (lambda: PartNet(DieNet(), FACE_CLASSES), crop_training.export),
    "stacks": (train_stacks.STACKS.net, partial(counting.export, train_stacks.STACKS)),
}


def blend(kind: str, old: Path, new: Path, share: float) -> nn.Module:
    """The net whose weights are `share` of the way from the old exported net to the new one."""
    make, _ = NETS[kind]
    one, two, net = make(), make(), make()
    start_from(one, old)
    start_from(two, new)
    weights = two.state_dict()
    net.load_state_dict({
        name: weight.lerp(weights[name], share) if weight.is_floating_point() else weight
        for name, weight in one.state_dict().items()
    })  # fmt: skip
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(NETS))
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the new net")
    args = parser.parse_args()
    _, write = NETS[args.kind]
    write(blend(args.kind, args.old, args.new, args.share), args.out)
