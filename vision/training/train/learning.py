"""What the training of all our nets has in common: steps, schedule, going on with a net."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from vision.nets import MODELS
from vision.training.nets.from_onnx import freeze_statistics, start_from

GENTLE: Final = 0.25
"""Share of the usual step where training goes on with a net."""
STEEPEST: Final = 5.0
"""Largest norm of a step's gradient."""


@dataclass(slots=True)
class TrainingRun:
    """One net on its way through `steps` steps of AdamW with one cycle (Smith 2018)."""

    net: nn.Module
    steps: int
    fastest: float
    """Step at the cycle's top, from nothing."""
    decay: float
    start: Path | None = None
    """An exported net that is gone on with, gently."""
    frozen: bool = False
    """Whether the net came of an exported one in another way, and its statistics are to stay."""
    in_bfloat16: bool = False
    """Whether it is asked in that precision, which halves the time on some processors."""
    total: float = 0.0
    taken: int = 0
    began: float = field(default_factory=time.monotonic)
    optimiser: torch.optim.Optimizer = field(init=False)
    schedule: torch.optim.lr_scheduler.OneCycleLR = field(init=False)

    def __post_init__(self) -> None:
        if self.start is not None:
            start_from(self.net, self.start)
        fastest = self.fastest * (1.0 if self.start is None else GENTLE)
        self.optimiser = torch.optim.AdamW(self.net.parameters(), fastest, weight_decay=self.decay)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, fastest, self.steps, pct_start=0.15
        )

    def study(self) -> None:
        """Into the state in which steps are taken, after the net was tested."""
        self.net.train()
        if self.start is not None or self.frozen:
            freeze_statistics(self.net)

    def answer(self, given: Tensor) -> Tensor:
        """What the net answers while it learns."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bfloat16):
            told: Tensor = self.net(given)
        return told.float()

    def step(self, loss: Tensor) -> None:
        """One step down the loss of a batch."""
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), STEEPEST)
        self.optimiser.step()
        self.schedule.step()
        self.total += float(loss.detach())
        self.taken += 1

    def take_rounds(
        self,
        rounds: int,
        count: int,
        batch: int,
        loss_of: Callable[[NDArray[np.int64]], Tensor],
        tested: Callable[[], str],
    ) -> None:
        """Go through so many examples in another order each time, and report what was `tested`.

        loss_of: of the examples with these numbers.
        """
        rng = np.random.default_rng(3)
        for number in range(rounds):
            self.study()
            order = rng.permutation(count)
            for first in range(0, count - batch + 1, batch):
                self.step(loss_of(order[first : first + batch]))
            self.report(f"epoch {number}", tested())

    def report(self, stage: str, figures: str) -> None:
        """Print the mean loss since the last report, the figures and the time."""
        mean = self.total / max(1, self.taken)
        spent = time.monotonic() - self.began
        print(f"{stage}: loss {mean:.4f}, {figures}, {spent:.0f} s", flush=True)
        self.total, self.taken = 0.0, 0


def parser_of(what: str | None, net: str, chunks: int) -> argparse.ArgumentParser:
    """The command line of a net's training."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("folder", type=Path, help="the chunks to learn from")
    parser.add_argument("--start", type=Path, help="go on with this exported net, gently")
    parser.add_argument("--first", type=int, default=0, help="first chunk to learn from")
    parser.add_argument("--chunks", type=int, default=chunks)
    parser.add_argument("--out", type=Path, default=MODELS / f"{net}.onnx")
    parser.add_argument(
        "--bfloat16", action="store_true", help="twice as fast on a processor with AMX"
    )
    return parser


def export_any_number(net: nn.Module, shape: tuple[int, ...], given: str, out: Path) -> None:
    """Write the net as ONNX for any number of inputs of `shape`, which it calls `given`."""
    net.eval()
    torch.onnx.export(
        net, (torch.zeros(1, *shape),), str(out), input_names=[given], output_names=["told"],
        dynamic_axes={given: {0: "n"}, "told": {0: "n"}}, opset_version=17, dynamo=False,
    )  # fmt: skip
