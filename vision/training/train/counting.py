"""The training of the nets that count checkers in colored strips: trays, bar and stacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from engine.arrays import Ints, Rng
from vision.checkers.strips import INPUT_CHANNELS, coloured_input
from vision.training.samples.coloured_crops import Crops, load_crops, random_shift, recolour
from vision.training.train import learning

BATCH: Final = 32
THREADS: Final = 2


def shuffled(counts: Ints, rng: Rng) -> Ints:
    """All crops, in random order."""
    return rng.permutation(len(counts))


@dataclass(frozen=True, slots=True)
class CountingTask:
    """How one of these nets is trained."""

    name: str
    """Name of the net's file."""
    size: tuple[int, int]
    """Length and width of a strip, in pixels."""
    net: Callable[[], nn.Module]
    chunk_path: Callable[[Path, int], Path]
    augment: Callable[[Crops, Rng], Crops]
    """The crops mirrored at random, or with the sides exchanged."""
    classes: Callable[[Ints], Ints]
    """The net's target classes for the crops' counts."""
    loss: Callable[[Tensor, Tensor], Tensor]
    """Loss of the logits, given the classes."""
    figures: Callable[[Tensor, Ints], str]
    """Figures from the logits and the counts of the test crops, as text."""
    test_chunks: int
    """Number of initial chunks, which are used only for testing."""
    chunks: int
    epochs: int
    epoch_order: Callable[[Ints, Rng], Ints] = shuffled
    """The crops of one epoch, in order."""
    learning_rate: float = 3e-3
    offset: Callable[[Ints], Tensor] | None = None
    """Added to the logits in training, given the crops' counts: the log-ratio of each class's
    frequency there to that in play (logit adjustment, Menon 2021)."""
    keeps_statistics: bool = False
    """As in `learning.TrainingRun`: whether `net` has the weights of an exported net."""


def train(task: CountingTask, options: learning.TrainingOptions) -> None:
    """Train; after each epoch report on the test chunks and export."""
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    cv2.setNumThreads(1)
    crops, test = (
        load_crops([task.chunk_path(options.folder, index) for index in indices])
        for indices in (options.chunks, range(task.test_chunks))
    )
    rng = np.random.default_rng(3)
    net = task.net().to(memory_format=torch.channels_last)
    order = task.epoch_order(crops[3], rng)
    offset = torch.zeros(()) if task.offset is None else task.offset(crops[3])
    print(f"{len(order)} strips, {len(test[0])} kept back", flush=True)
    run = learning.TrainingRun(
        net, options.epochs * (len(order) // BATCH), task.learning_rate, 1e-2, options.start,
        task.keeps_statistics, options.in_bfloat16,
    )  # fmt: skip
    for epoch in range(options.epochs):
        run.set_training()
        for batch, counts in _batches(task, crops, order, rng):
            logits = run.predict(batch) + offset
            run.step(task.loss(logits, torch.from_numpy(task.classes(counts).copy())))
        run.report(f"epoch {epoch}", task.figures(_predict(task, net, test), test[3]))
        export(task, net, options.out)
        order = task.epoch_order(crops[3], rng)


def export(task: CountingTask, net: nn.Module, out: Path) -> None:
    """Write the net as ONNX, for any number of strips."""
    learning.export_batched(net, (INPUT_CHANNELS, *task.size), "strips", out)


def main(task: CountingTask, description: str | None) -> None:
    """Parse the command line and train."""
    parser = learning.training_parser(description, task.name, task.chunks)
    parser.add_argument("--epochs", type=int, default=task.epochs)
    args = parser.parse_args()
    train(task, learning.TrainingOptions.of(args, args.epochs, task.test_chunks))


def _batches(
    task: CountingTask, crops: Crops, order: Ints, rng: Rng
) -> Iterator[tuple[Tensor, Ints]]:
    """The batches of one epoch; each is prepared while the net is trained on the previous one."""
    parts = [order[at : at + BATCH] for at in range(0, len(order) - BATCH + 1, BATCH)]
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(_batch, task, crops, parts[0], rng)
        for part in parts[1:]:
            ready, pending = pending, pool.submit(_batch, task, crops, part, rng)
            yield ready.result()
        yield pending.result()


def _batch(task: CountingTask, crops: Crops, indices: Ints, rng: Rng | None) -> tuple[Tensor, Ints]:
    all_strips, all_lifts, all_colours, all_counts = crops
    strips, lifts = all_strips[indices], all_lifts[indices]
    colours, counts = all_colours[indices], all_counts[indices]
    if rng is not None:
        strips, colours = recolour(strips, colours, rng)
        strips, lifts, colours, counts = task.augment(
            (random_shift(strips, rng), lifts, colours, counts), rng
        )
    batch = torch.from_numpy(coloured_input(np.ascontiguousarray(strips), colours, lifts))
    return batch.contiguous(memory_format=torch.channels_last), counts


def _predict(task: CountingTask, net: nn.Module, test: Crops) -> Tensor:
    net.eval()
    parts = np.array_split(np.arange(len(test[0])), max(1, len(test[0]) // BATCH))
    with torch.no_grad():
        return torch.cat([net(_batch(task, test, indices, None)[0]) for indices in parts])
