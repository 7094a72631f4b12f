"""What the training of all nets has in common: options, optimizer, schedule, export."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import torch
from torch import Tensor, nn

from engine.arrays import Ints, Rng
from vision.nets import MODELS
from vision.training.nets.from_onnx import freeze_statistics, start_from

FINE_TUNING_FACTOR: Final = 0.25
"""Factor on the learning rate when training starts from a trained net."""
MAX_GRADIENT_NORM: Final = 5.0


class TrainingOptions(NamedTuple):
    """The options common to the training of all nets."""

    folder: Path
    chunks: range
    epochs: int
    out: Path
    start: Path | None
    in_bfloat16: bool

    @classmethod
    def of(cls, args: argparse.Namespace, epochs: int, test_chunks: int) -> TrainingOptions:
        """The options on a command line of `training_parser`, without the initial test chunks."""
        chunks = range(max(args.first, test_chunks), args.first + args.chunks)
        return cls(args.folder, chunks, epochs, args.out, args.start, args.bfloat16)


@dataclass(slots=True)
class TrainingRun:
    """Training of a net for `steps` steps of AdamW with one cycle (Smith 2018)."""

    net: nn.Module
    steps: int
    learning_rate: float
    """The maximum of the cycle, if there is no `start`."""
    decay: float
    start: Path | None = None
    """An exported net to fine-tune."""
    keeps_statistics: bool = False
    """Whether the net already has the weights of an exported one, and keeps its statistics."""
    in_bfloat16: bool = False
    """Whether to compute in that precision, which halves the time on some processors."""
    loss_sum: float = 0.0
    steps_taken: int = 0
    """Since the last report."""
    started: float = field(default_factory=time.monotonic)
    optimiser: torch.optim.Optimizer = field(init=False)
    schedule: torch.optim.lr_scheduler.OneCycleLR = field(init=False)

    def __post_init__(self) -> None:
        if self.start is not None:
            start_from(self.net, self.start)
        learning_rate = self.learning_rate * (1.0 if self.start is None else FINE_TUNING_FACTOR)
        self.optimiser = torch.optim.AdamW(
            self.net.parameters(), learning_rate, weight_decay=self.decay
        )
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, learning_rate, self.steps, pct_start=0.15
        )

    def set_training(self) -> None:
        """Put the net into training mode after testing."""
        self.net.train()
        if self.start is not None or self.keeps_statistics:
            freeze_statistics(self.net)

    def predict(self, batch: Tensor) -> Tensor:
        """The net's output, on which to base a step."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bfloat16):
            output: Tensor = self.net(batch)
        return output.float()

    def step(self, loss: Tensor) -> None:
        """Take one step for the loss of a batch."""
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), MAX_GRADIENT_NORM)
        self.optimiser.step()
        self.schedule.step()
        self.loss_sum += float(loss.detach())
        self.steps_taken += 1

    def run_epochs(
        self,
        epochs: int,
        count: int,
        batch: int,
        loss_of: Callable[[Ints], Tensor],
        test: Callable[[], str],
        rng: Rng,
    ) -> None:
        """Train on `count` examples, shuffled for each epoch, and report the figures of `test`.

        loss_of: the loss of the examples with these indices.
        """
        for epoch in range(epochs):
            self.set_training()
            order = rng.permutation(count)
            for first in range(0, count - batch + 1, batch):
                self.step(loss_of(order[first : first + batch]))
            self.report(f"epoch {epoch}", test())

    def report(self, stage: str, figures: str) -> None:
        """Print the mean loss since the last report, the figures and the time."""
        mean = self.loss_sum / max(1, self.steps_taken)
        seconds = time.monotonic() - self.started
        print(f"{stage}: loss {mean:.4f}, {figures}, {seconds:.0f} s", flush=True)
        self.loss_sum, self.steps_taken = 0.0, 0


def training_parser(description: str | None, net: str, chunks: int) -> argparse.ArgumentParser:
    """The options common to the training of all nets."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("folder", type=Path, help="the chunks to learn from")
    parser.add_argument("--start", type=Path, help="fine-tune this exported net")
    parser.add_argument("--first", type=int, default=0, help="first chunk to learn from")
    parser.add_argument("--chunks", type=int, default=chunks)
    parser.add_argument("--out", type=Path, default=MODELS / f"{net}.onnx")
    parser.add_argument(
        "--bfloat16", action="store_true", help="twice as fast on a processor with AMX"
    )
    return parser


def export_onnx(
    net: nn.Module, shape: tuple[int, ...], names: tuple[str, str], out: Path,
    axes: dict[str, dict[int, str]] | None = None,
) -> None:  # fmt: skip
    """Write the net as ONNX; `shape`: of its input; `names`: of its input and output.

    `axes`: the axes of either whose size may vary.
    """
    net.eval()
    torch.onnx.export(
        net, (torch.zeros(*shape),), str(out), input_names=[names[0]], output_names=[names[1]],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )  # fmt: skip


def export_batched(net: nn.Module, shape: tuple[int, ...], name: str, out: Path) -> None:
    """Write the net as ONNX for batches of any size; `name` and `shape` are of its input."""
    axes = {key: {0: "n"} for key in (name, "outputs")}
    export_onnx(net, (1, *shape), (name, "outputs"), out, axes)
