"""The training of the nets that count checkers in colored strips: trays, bar and stacks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from engine.arrays import Ints, Rng
from vision.checkers.strips import INPUT_CHANNELS, coloured_input
from vision.training.samples.coloured_crops import Crops, random_shift, recolour
from vision.training.train.figures import Figures
from vision.training.train.learning import Batch, Task, export_batched

BATCH: Final = 32


def counting_task(
    name: str,
    size: tuple[int, int],
    make_net: Callable[[], nn.Module],
    augment: Callable[[Crops, Rng], Crops],
    classes: Callable[[Ints], Ints],
    loss: Callable[[Tensor, Tensor], Tensor],
    figures: Callable[[Tensor, Ints], Figures],
    *,
    learning_rate: float = 3e-3,
    order: Callable[[Crops, Rng], Ints] | None = None,
    offset: Callable[[Crops], Tensor] | None = None,
    doubt: Callable[[Tensor], Tensor] | None = None,
    take_over: Callable[[nn.Module, dict[str, Tensor]], None] | None = None,
) -> Task[Crops]:
    """One of these nets.

    size: length and width of a strip in pixels. augment: the crops mirrored at random, or with the
    sides exchanged. classes: the targets for the crops' counts. figures: from the outputs for the
    kept-back crops, and their counts. offset: the log-ratio of each class's frequency in training
    to that in play (logit adjustment, Menon 2021). order, doubt, take_over: as in `Task`.
    """

    def make_batch(crops: Crops, indices: Ints, rng: Rng) -> Batch:
        strips, lifts, colours, counts = chosen(crops, indices)
        strips, colours = recolour(strips, colours, rng)
        made = augment((random_shift(strips, rng), lifts, colours, counts), rng)
        return as_tensor(made), torch.from_numpy(classes(made[3]).copy())

    def test(net: nn.Module, crops: Crops) -> Figures:
        parts = np.array_split(np.arange(len(crops[0])), -(-len(crops[0]) // BATCH))
        outputs = [net(as_tensor(chosen(crops, some))) for some in parts]
        return figures(torch.cat(outputs), crops[3])

    def export(net: nn.Module, out: Path) -> None:
        export_batched(net, (INPUT_CHANNELS, *size), "strips", out)

    return Task(
        name, make_net, BATCH, make_batch, loss, test, export, learning_rate, order=order,
        offset=offset, doubt=doubt, take_over=take_over,
    )  # fmt: skip


def chosen(crops: Crops, indices: Ints) -> Crops:
    """The crops with these indices."""
    strips, lifts, colours, counts = crops
    return strips[indices], lifts[indices], colours[indices], counts[indices]


def as_tensor(crops: Crops) -> Tensor:
    """The nets' (N, 7, length, width) input."""
    strips, lifts, colours, _ = crops
    batch = torch.from_numpy(coloured_input(np.ascontiguousarray(strips), colours, lifts))
    return batch.contiguous(memory_format=torch.channels_last)
