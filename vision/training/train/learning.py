"""How every net is trained: AdamW with one cycle (Smith 2018) over chunks, with checkpoints.

The training goes in rounds. Each takes the next chunk, waiting until it is drawn, and mixes it with
earlier ones, so that learning begins long before the last scene is drawn. Each round and each step
has a generator of its own, seeded by the net's name and its number: so a checkpoint of weights,
their mean, optimizer, schedule and step is all that a later process needs to end in the same net.

From halfway on a net may choose what it learns (active learning): of chunks that are drawn for this
it takes the third of which its half-trained self is least sure, and mixes them with whole ones.

The net that is written is the moving mean of the weights (Polyak 1992), which is better than they
are until the last steps. Its figures on the kept-back examples are printed as it learns.
"""

from __future__ import annotations

import copy
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Generic, TypeVar
from zlib import crc32

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from engine.arrays import Floats32, Ints, Rng
from vision.training.scenes.chunks import whole_file
from vision.training.train.figures import Figures

REPLAYED: Final = 6
"""Number of earlier chunks mixed with every new one."""
MAX_GRADIENT_NORM: Final = 5.0
THREADS: Final = 1
"""Fixed, because sums depend on it in their last bits; with two, each waits for the other while
scenes are drawn beside them."""
REPORT_S: Final = 20.0
MEAN_STEPS: Final = 1000
"""Steps over which the moving mean of the weights reaches."""
JUDGED: Final = 6
"""Number of times that the figures are printed."""
LEAST_SURE: Final = 1 / 3
"""Fraction that is learned of the examples among which a half-trained net chooses."""
SCALING_EXAMPLES: Final = 512
"""Maximum number by which a net is scaled in 8 bits."""
REPLAYED_WHOLE: Final = 3
"""Number of whole chunks that are mixed with every chosen third."""
DEVICE: Final = "cuda" if torch.cuda.is_available() else "cpu"

Examples = TypeVar("Examples")
Batch = tuple[Tensor, Tensor]
"""The net's input and the targets."""


@dataclass(frozen=True, slots=True)
class Task(Generic[Examples]):
    """What one net learns."""

    name: str
    """Name of the net's file."""
    make_net: Callable[[], nn.Module]
    """The net to train, with random weights."""
    batch: int
    """Examples per step."""
    make_batch: Callable[[Examples, Ints, Rng], Batch]
    """The batch of the examples with these indices, augmented."""
    loss: Callable[[Tensor, Tensor], Tensor]
    """Loss of the net's output, given the targets."""
    figures: Callable[[nn.Module, Examples], Figures]
    """The figures of a net on kept-back examples."""
    export: Callable[[nn.Module, Path], None]
    """Writes the net as ONNX."""
    learning_rate: float
    """The maximum of the cycle."""
    decay: float = 1e-2
    prepare: Callable[[Examples], Examples] = lambda examples: examples
    """Chooses among the examples of a chunk."""
    order: Callable[[Examples, Rng], Ints] | None = None
    """The examples to learn in one round, in random order; all by default."""
    offset: Callable[[Examples], Tensor] | None = None
    """Added to the outputs in training, given the kept-back examples."""
    doubt: Callable[[Tensor], Tensor] | None = None
    """How unsure each example's outputs are; for stages that choose what they learn."""
    take_over: Callable[[nn.Module, dict[str, Any]], None] | None = None
    """Gives the net the weights of an earlier stage's."""
    inputs: Callable[[Examples, Rng], Iterator[Floats32]] | None = None
    """What the exported net is given, by which it is scaled in 8 bits; by default the batch of each
    example."""


@dataclass(frozen=True, slots=True)
class Plan(Generic[Examples]):
    """How long a net is trained, with what, and where that is recorded."""

    chunks: Sequence[Callable[[], Examples]]
    """The chunks to learn from; each call waits until that one is drawn."""
    kept: Callable[[], Examples]
    """The examples that are kept back."""
    choices: Sequence[Callable[[], Examples]]
    """The chunks of which only the least sure third is learned, from halfway on; or none."""
    rounds: int
    steps: int
    settings: str
    """What a checkpoint must agree with."""
    checkpoint: Path
    save_every_s: float
    in_bfloat16: bool
    threads: int
    """That prepare batches."""
    start: dict[str, Any] | None
    """The weights of the stage from which the net begins."""

    @property
    def steps_per_round(self) -> int:
        """The number of steps of every round but the last."""
        return -(-self.steps // self.rounds)

    @property
    def halfway(self) -> int:
        """The step from which the net chooses what it learns; the last one if it does not."""
        if not self.choices:
            return self.steps
        return min(self.steps, self.rounds // 2 * self.steps_per_round)


def joined(parts: Sequence[Any]) -> Any:
    """The examples of several chunks: a list of samples, or arrays."""
    if isinstance(parts[0], list):
        return [sample for part in parts for sample in part]
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def taken(examples: Any, indices: Ints) -> Any:
    """The examples with these indices."""
    if isinstance(examples, list):
        return [examples[index] for index in indices]
    return tuple(array[indices] for array in examples)


def size_of(examples: Any) -> int:
    """The number of examples."""
    return len(examples if isinstance(examples, list) else examples[0])


def scaling_inputs(task: Task[Examples], examples: Examples) -> Iterator[Floats32]:
    """Inputs of the exported net, by which it is scaled in 8 bits."""
    rng = np.random.default_rng((crc32(task.name.encode()), 3))
    if task.inputs is not None:
        yield from task.inputs(examples, rng)
        return
    for index in rng.permutation(size_of(examples))[:SCALING_EXAMPLES]:
        batch, _ = task.make_batch(examples, np.array([index]), rng)
        yield batch.contiguous().numpy()


def least_sure(task: Task[Examples], net: nn.Module, offset: Tensor, examples: Examples) -> Ints:
    """The indices of the third of which the net is least sure, each augmented once, in order.

    What is so chosen depends on the pictures alone: a choice by the loss, which depends on what is
    true, would teach that the unlikely is likely.
    """
    if task.doubt is None:
        raise ValueError(f"{task.name}: it is not known how to tell what the net is unsure of")
    every = np.arange(size_of(examples))
    doubts = list[Tensor]()
    with torch.no_grad():
        for number, some in enumerate(np.array_split(every, -(-len(every) // task.batch))):
            rng = np.random.default_rng((crc32(task.name.encode()), 2, number))
            batch, _ = task.make_batch(examples, some, rng)
            doubts.append(task.doubt(net(batch.to(DEVICE)).float() + offset))
    order = np.argsort(-torch.cat(doubts).cpu().numpy(), kind="stable")
    return np.sort(order[: max(1, round(len(every) * LEAST_SURE))])


def batches(
    task: Task[Examples],
    plan: Plan[Examples],
    steps: range,
    choice: Callable[[int], Examples] | None = None,
) -> Iterator[Callable[[], Batch]]:
    """What makes the batch of each of these steps, waiting for chunks that are not drawn yet.

    choice: the least sure examples of a chunk of `plan.choices`, for steps from `plan.halfway` on.
    """
    length = plan.steps_per_round
    for turn in range(steps.start // length, -(-steps.stop // length)):
        rng = np.random.default_rng((crc32(task.name.encode()), 0, turn))
        examples = joined(_mixed(plan, turn, rng, choice))
        every = rng.permutation(size_of(examples)) if task.order is None else task.order(
            examples, rng)  # fmt: skip
        if not len(every):
            raise ValueError(f"{task.name}: nothing to learn from; draw more scenes")
        order = np.resize(every, length * task.batch)
        for step in range(max(steps.start, turn * length), min(steps.stop, (turn + 1) * length)):
            at = (step - turn * length) * task.batch
            rng = np.random.default_rng((crc32(task.name.encode()), 1, step))
            yield partial(task.make_batch, examples, order[at : at + task.batch], rng)


def _mixed(
    plan: Plan[Examples], turn: int, rng: Rng, choice: Callable[[int], Examples] | None
) -> list[Examples]:
    """The examples of a round: the next chunk, or what is chosen of it, and earlier ones."""
    if choice is None:
        return [plan.chunks[index]() for index in _with_earlier(turn, len(plan.chunks), rng)]
    whole = rng.choice(len(plan.chunks), min(REPLAYED_WHOLE, len(plan.chunks)), replace=False)
    first = plan.halfway // plan.steps_per_round
    chosen = _with_earlier(turn - first, len(plan.choices), rng)
    return [*(plan.chunks[index]() for index in whole), *(choice(index) for index in chosen)]


def _with_earlier(turn: int, count: int, rng: Rng) -> list[int]:
    """The newest of so many chunks, which are taken in turn, and earlier ones, by index."""
    earlier = min(turn, count)
    replayed = rng.choice(earlier, min(REPLAYED, earlier), replace=False)
    return [*dict.fromkeys((turn % count, *replayed.tolist()))]


def prepared(source: Iterator[Callable[[], Batch]], threads: int) -> Iterator[Batch]:
    """The batches in order; the next ones are made while the net is trained on one."""
    with ThreadPoolExecutor(1) as chooser, ThreadPoolExecutor(threads) as pool:

        def ask() -> Future[Future[Batch] | None]:
            return chooser.submit(
                lambda: None if (make := next(source, None)) is None else pool.submit(make)
            )

        pending = deque(ask() for _ in range(threads))
        while (ready := pending.popleft().result()) is not None:
            pending.append(ask())
            yield ready.result()


def has_bfloat16() -> bool:
    """Whether the device multiplies in that precision, which halves the time there."""
    return DEVICE == "cuda" or any(
        torch.cpu.get_capabilities().get(name) for name in ("avx512_bf16", "amx_bf16")
    )


class Run(Generic[Examples]):
    """The training of one net: its weights, optimizer, schedule and step."""

    def __init__(self, task: Task[Examples], plan: Plan[Examples]) -> None:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # as the next line asks
        torch.use_deterministic_algorithms(True, warn_only=DEVICE == "cuda")
        torch.set_num_threads(THREADS)
        cv2.setNumThreads(1)
        torch.manual_seed(crc32(task.name.encode()))
        self.task, self.plan, self.step = task, plan, 0
        self.offset = torch.zeros(())
        self.half_trained: nn.Module | None = None
        self.net = task.make_net()
        if task.take_over is not None and plan.start is not None:
            task.take_over(self.net, plan.start)
        self.net = self.net.to(DEVICE, memory_format=torch.channels_last)
        self.optimiser = torch.optim.AdamW(
            self.net.parameters(), task.learning_rate, weight_decay=task.decay
        )
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimiser, task.learning_rate, plan.steps, pct_start=0.15
        )
        self.mean = AveragedModel(self.net, multi_avg_fn=_move, use_buffers=True)
        self.parts = {
            "net": self.net, "mean": self.mean, "optimiser": self.optimiser,
            "schedule": self.schedule,
        }  # fmt: skip
        self._resume()

    def _resume(self) -> None:
        """Go on from the checkpoint if there is one of these settings."""
        if not self.plan.checkpoint.exists():
            return
        saved = read(self.plan.checkpoint)
        if saved["settings"] != self.plan.settings:
            print(f"{self.task.name}: its settings changed, so it begins anew", flush=True)
            return
        for name, part in self.parts.items():
            part.load_state_dict(saved[name])
        self.step = saved["step"]
        if "half_trained" in saved:
            self.half_trained = copy.deepcopy(self.mean.module).eval()
            self.half_trained.load_state_dict(saved["half_trained"])
        print(f"{self.task.name}: goes on from step {self.step}", flush=True)

    def save(self) -> None:
        """Write a checkpoint, whole or not at all."""
        states = {name: part.state_dict() for name, part in self.parts.items()}
        if self.half_trained is not None:
            states["half_trained"] = self.half_trained.state_dict()
        write(self.plan.checkpoint, states | {"settings": self.plan.settings, "step": self.step})

    def train(self) -> None:
        """Take all the steps that are left."""
        task, plan = self.task, self.plan
        if task.offset is not None:
            self.offset = task.offset(plan.kept()).to(DEVICE)
        if self.step < plan.halfway:
            self._train(batches(task, plan, range(self.step, plan.halfway)))
        if self.step < plan.steps:
            if self.half_trained is None:
                self.half_trained = copy.deepcopy(self.mean.module).eval()
            chosen = cache(partial(self._choice, self.half_trained))
            self._train(batches(task, plan, range(self.step, plan.steps), chosen))

    def _choice(self, half_trained: nn.Module, index: int) -> Examples:
        """The examples of a chunk of which the half-trained net is least sure."""
        examples = self.plan.choices[index]()
        return taken(examples, least_sure(self.task, half_trained, self.offset, examples))

    def _train(self, source: Iterator[Callable[[], Batch]]) -> None:
        """Take a step for each of these batches."""
        task, plan = self.task, self.plan
        begun = saved = reported = time.monotonic()
        first, losses = self.step, list[Tensor]()
        self.net.train()
        for batch, target in prepared(source, plan.threads):
            torch.manual_seed(crc32(f"{task.name} {self.step}".encode()))  # of what drops out
            with torch.autocast(DEVICE, torch.bfloat16, enabled=plan.in_bfloat16):
                output: Tensor = self.net(batch.to(DEVICE))
            losses.append(
                self._take_step(task.loss(output.float() + self.offset, target.to(DEVICE)))
            )
            now = time.monotonic()
            if now - reported > REPORT_S or self.step == plan.steps:
                left = (now - begun) / (self.step - first) * (plan.steps - self.step)
                loss = torch.stack(losses).mean()
                print(f"{task.name}: step {self.step} of {plan.steps}, loss {loss:.4f}, "
                      f"{left / 60:.0f} min left", flush=True)  # fmt: skip
                reported, losses = now, []
            if now - saved > plan.save_every_s:
                self.save()
                saved = now
            if self.step * JUDGED // plan.steps > (self.step - 1) * JUDGED // plan.steps:
                print(f"{task.name}: step {self.step}: {_in_words(self.judged())}", flush=True)

    def judged(self) -> Figures:
        """The figures of the mean net on the kept-back examples."""
        net = copy.deepcopy(self.mean.module).cpu().eval()
        with torch.no_grad():
            return self.task.figures(net, self.plan.kept())

    def _take_step(self, loss: Tensor) -> Tensor:
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), MAX_GRADIENT_NORM)
        self.optimiser.step()
        self.schedule.step()
        self.mean.update_parameters(self.net)
        self.step += 1
        return loss.detach()


def learn(task: Task[Examples], plan: Plan[Examples], weights: Path, out: Path) -> Figures:
    """Train a net, or go on; write its weights and ONNX file, and return its figures."""
    run = Run(task, plan)
    run.train()
    run.save()
    net = run.mean.module.cpu().eval()
    write(weights, net.state_dict())
    task.export(net, out)
    return run.judged()


def _move(
    means: tuple[Tensor, ...] | list[Tensor],
    new: tuple[Tensor, ...] | list[Tensor],
    count: Tensor | int,
) -> None:
    """Move the means to other values: at first, to those of the last tenth of the steps."""
    share = max(1 / MEAN_STEPS, 10 / (10 + int(count)))
    if means[0].is_floating_point():
        torch._foreach_lerp_(means, new, share)
    else:
        torch._foreach_copy_(means, new)


def _in_words(figures: Figures) -> str:
    return ", ".join(
        f"{name} {'-' if value is None else format(value, '.3g')}"
        for name, value in figures.items()
    )


def write(path: Path, state: dict[str, Any]) -> None:
    """Save tensors to a file that is complete or does not exist."""
    with whole_file(path) as beside:
        torch.save(state, beside)


def read(path: Path) -> dict[str, Any]:
    """The tensors that `write` saved."""
    state: dict[str, Any] = torch.load(path, map_location="cpu")
    return state


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
