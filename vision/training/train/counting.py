"""How the nets that count checkers in coloured strips are trained: trays, bar and stacks alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.arrays import Ints, Rng
from vision.checkers.coloured_strips import INPUT_CHANNELS, coloured_input
from vision.training.samples.coloured_crops import Crops, load_crops
from vision.training.samples.recolouring import recoloured, shifted
from vision.training.train.learning import TrainingRun, export_any_number, parser_of

BATCH: Final = 32
THREADS: Final = 2


def everything(counts: Ints, rng: Rng) -> NDArray[np.intp]:
    """All crops in a new order."""
    return rng.permutation(len(counts))


@dataclass(frozen=True, slots=True)
class CountingTask:
    """What sets one of these nets apart from the others."""

    name: str
    """Of the net's file."""
    size: tuple[int, int]
    """Length and width of a strip."""
    net: Callable[[], nn.Module]
    chunk_path: Callable[[Path, int], Path]
    seen_otherwise: Callable[[Crops, Rng], Crops]
    """The same crops mirrored, or with the sides' names exchanged: as likely, and as true."""
    classes: Callable[[Ints], Ints]
    """What is asked of the net, of the crops' counts."""
    loss: Callable[[Tensor, Tensor], Tensor]
    """Of what was told and the classes."""
    figures: Callable[[Tensor, Ints], str]
    """Of what was told and the counts: how well strips that were kept back are counted."""
    tested: int
    """How many first chunks are never trained on."""
    chunks: int
    epochs: int
    round_of: Callable[[Ints, Rng], NDArray[np.intp]] = everything
    """The crops that one round learns from, in their order."""
    fastest: float = 3e-3
    offset: Callable[[Ints], Tensor] | None = None
    """Added to what is told while the net learns from crops with these counts: how much oftener
    each class comes than it does to the reader (logit adjustment, Menon 2021)."""
    frozen: bool = False
    """As for `TrainingRun`: whether `net` makes one that came of an exported one."""


def train(
    what: CountingTask,
    folder: Path,
    chunks: range,
    epochs: int,
    out: Path,
    start: Path | None,
    *,
    in_bfloat16: bool = False,
) -> None:
    """Train, report on unseen strips after each round, export."""
    torch.manual_seed(0)
    torch.set_num_threads(THREADS)
    cv2.setNumThreads(1)
    made = load_crops([what.chunk_path(folder, index) for index in chunks])
    test = load_crops([what.chunk_path(folder, index) for index in range(what.tested)])
    rng = np.random.default_rng(3)
    net = what.net().to(memory_format=torch.channels_last)
    order = what.round_of(made[3], rng)
    offset = torch.zeros(()) if what.offset is None else what.offset(made[3])
    print(f"{len(order)} strips, {len(test[0])} kept back", flush=True)
    steps = epochs * (len(order) // BATCH)
    learning = TrainingRun(net, steps, what.fastest, 1e-2, start, what.frozen, in_bfloat16)
    for epoch in range(epochs):
        learning.study()
        for given, counts in _batches(what, made, order, rng):
            told = learning.answer(given) + offset
            learning.step(what.loss(told, torch.from_numpy(what.classes(counts).copy())))
        learning.report(f"epoch {epoch}", what.figures(_told(what, net, test), test[3]))
        export(what, net, out)
        order = what.round_of(made[3], rng)


def export(what: CountingTask, net: nn.Module, out: Path) -> None:
    """Write the net as ONNX, any number of strips."""
    export_any_number(net, (INPUT_CHANNELS, *what.size), "strips", out)


def main(what: CountingTask, about: str | None) -> None:
    """Parse the command line and train."""
    parser = parser_of(about, what.name, what.chunks)
    parser.add_argument("--epochs", type=int, default=what.epochs)
    args = parser.parse_args()
    chunks = range(max(args.first, what.tested), args.first + args.chunks)
    train(what, args.folder, chunks, args.epochs, args.out, args.start, in_bfloat16=args.bfloat16)


def _batches(
    what: CountingTask, made: Crops, order: NDArray[np.intp], rng: Rng
) -> Iterator[tuple[Tensor, Ints]]:
    """What one round learns from; the next batch is made while the net learns from the last."""
    parts = [order[at : at + BATCH] for at in range(0, len(order) - BATCH + 1, BATCH)]
    with ThreadPoolExecutor(1) as pool:
        made_next = pool.submit(_batch, what, made, parts[0], rng)
        for after in parts[1:]:
            ready, made_next = made_next, pool.submit(_batch, what, made, after, rng)
            yield ready.result()
        yield made_next.result()


def _batch(
    what: CountingTask, made: Crops, picked: NDArray[np.intp], rng: Rng | None
) -> tuple[Tensor, Ints]:
    """(N, 7, length, width) input and the counts; with a generator seen otherwise."""
    strips, lifts, colours, counts = made
    crops = strips[picked], lifts[picked], colours[picked], counts[picked]
    if rng is not None:
        painted, known = recoloured(crops[0], crops[2], rng)
        crops = what.seen_otherwise((shifted(painted, rng), crops[1], known, crops[3]), rng)
    given = torch.from_numpy(coloured_input(np.ascontiguousarray(crops[0]), crops[2], crops[1]))
    return given.contiguous(memory_format=torch.channels_last), crops[3]


def _told(what: CountingTask, net: nn.Module, test: Crops) -> Tensor:
    """What the net answers to crops as they are."""
    net.eval()
    parts = np.array_split(np.arange(len(test[0])), max(1, len(test[0]) // BATCH))
    with torch.no_grad():
        return torch.cat([net(_batch(what, test, picked, None)[0]) for picked in parts])
