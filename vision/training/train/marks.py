"""The training of the keypoint nets: the board finder and the dice finder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engine.arrays import Floats32, Image, Ints, Rng
from vision.training.nets.mark_net import MarkNet, to_tensor
from vision.training.samples.samples import SceneSample
from vision.training.train.figures import Figures
from vision.training.train.learning import Batch, Task, export_onnx

Samples = list[SceneSample]


def mark_task(
    name: str,
    kinds: int,
    make_example: Callable[[SceneSample, Rng], tuple[Image, Floats32]],
    loss: Callable[[Tensor, Tensor], Tensor],
    figures: Callable[[MarkNet, Samples], Figures],
    *,
    wide: bool,
    size: tuple[int, int],
    has_any_size: bool,
    batch: int,
) -> Task[Samples]:
    """One of these nets.

    kinds, wide: as in `MarkNet`. make_example: image and target heatmaps of a sample, augmented.
    size: width and height of a training image in pixels. has_any_size: whether the exported net
    takes images of any size, in multiples of 16.
    """

    def make_batch(samples: Samples, indices: Ints, rng: Rng) -> Batch:
        images, targets = zip(
            *(make_example(samples[index], rng) for index in indices), strict=True
        )
        return to_tensor(np.stack(images)), torch.from_numpy(np.stack(targets))

    def export(net: MarkNet, out: Path) -> None:
        axes = {"picture": {2: "h", 3: "w"}, "marks": {2: "ch", 3: "cw"}}
        shape = (1, 3, size[1], size[0])
        export_onnx(net, shape, ("picture", "marks"), out, axes if has_any_size else None)

    return Task(
        name, partial(MarkNet, kinds, wide=wide), batch, make_batch, loss, figures, export,
        learning_rate=4e-3, decay=1e-3,
    )  # fmt: skip


def heatmaps(net: MarkNet, image: Image) -> Floats32:
    """(kinds, h/4, w/4) heatmaps, 0..1, of an (h, w, 3) image."""
    heat: Floats32 = net(to_tensor(image[None]))[0].sigmoid().numpy()
    return heat
