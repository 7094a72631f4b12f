"""Train the checkers' net on the chunks that `samples.py` makes, in the order in which it does.

Every new chunk is learnt together with a few earlier ones, so that training can begin before the
last scene is drawn; which ones follows from the seed alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Rng
from vision.checkers.strips import (
    NET_STRIP_LENGTH,
    NET_STRIP_WIDTH,
    STRIP_COUNT,
    cut_strips,
    recoloured,
)
from vision.training.nets.checker_net import ANSWERS, CheckerNet
from vision.training.samples.samples import SceneSample, load_chunk, unpacked
from vision.training.train.learning import TrainingRun, parser_of

Batch = tuple[Tensor, Tensor]

TESTED: Final = (0, 1)
"""Chunks that are never trained on."""
BOARDS: Final = 8
"""Boards of a batch."""
GIVEN: Final = 16
"""Strips of each that are learnt in a step; the bar's halves always."""
HUES: Final = 0.5
"""Share of the boards that are learnt in other colours."""
AGAIN: Final = 6
"""Earlier chunks that are learnt again with every new one."""
MOST: Final = 15
ENDS_ERR: Final = (0.0, 1.5, 3.5)
"""Pixels by which the found end of a board's points may err."""
FARTHEST: Final = 8
IS_FAR: Final = np.array([0] * 12 + [1] * 12 + [0, 1])
"""On which side of the board each strip lies."""


def strips_of(sample: SceneSample, rng: Rng | None) -> NDArray[np.float32]:
    """(26, 5, 168, 44) input of a sample; with a generator shifted and recoloured."""
    picture = unpacked(sample.board)
    shifts = None if rng is None else misplaced(rng)
    strips = cut_strips(picture, sample.layout, sample.field_size[0], sample.lifts, shifts)
    return strips if rng is None else recoloured(strips, rng, HUES)


def misplaced(rng: Rng) -> NDArray[np.int64]:
    """(26, 2) pixels by which strips are cut beside their places: a whole side of the board alike.

    A rail may hide where the points begin, so that a found field is a little too long or too
    short, up to a quarter of a checker.
    """
    shifts = rng.integers(-2, 3, (STRIP_COUNT, 2))
    sides = rng.normal(0, rng.choice(ENDS_ERR, p=(0.4, 0.3, 0.3)), 2)
    shifts[:, 1] += np.rint(sides).astype(np.int64)[IS_FAR]
    return np.clip(shifts, -FARTHEST, FARTHEST)


def answers_of(sample: SceneSample) -> NDArray[np.int64]:
    """(26,) classes of the points and, for the bar, of light's and of dark's checkers."""
    counts = [*sample.points, sample.bar[0], -sample.bar[1]]
    return np.clip(np.array(counts), -MOST, MOST) + MOST


def loss_of(logits: Tensor, classes: Tensor) -> Tensor:
    """Cross-entropy; on the bar of the likelier of the two ways round.

    `logits` (B, S, 31) and `classes` (B, S), the last two strips being the bar's halves.
    """
    chances = fn.log_softmax(logits, dim=-1)
    told = -chances.gather(2, classes[..., None])[..., 0]
    here = told[:, -2] + told[:, -1]
    swapped = -chances[:, -2].gather(1, classes[:, -1:]) - chances[:, -1].gather(
        1, classes[:, -2:-1])  # fmt: skip
    bar = -torch.logsumexp(torch.stack([-here, -swapped[:, 0]]), dim=0)
    return (told[:, :-2].sum() + bar.sum()) / told.numel()


def batches(folder: Path, learnt: range, passes: int, rng: Rng) -> Iterator[Batch]:
    """Batches of `passes` chunks, waiting for those that are not made yet; then from the first."""
    known: dict[int, list[SceneSample]] = {}
    fresh = [index for index in learnt if index not in TESTED]
    for turn in range(passes):
        path = folder / f"{fresh[turn % len(fresh)]:05}.pickle"
        while not path.exists():
            time.sleep(1)
        known[turn] = load_chunk(path)
        again = rng.choice(list(known), min(AGAIN, len(known)), replace=False)
        samples = [sample for key in (turn, *again) for sample in known[int(key)]]
        order = rng.permutation(len(samples))
        for first in range(0, len(order) - BOARDS + 1, BOARDS):
            yield _batch([samples[k] for k in order[first : first + BOARDS]], rng)


def _batch(samples: list[SceneSample], rng: Rng) -> Batch:
    strips, classes = [], []
    for sample in samples:
        answers = answers_of(sample)
        held = (answers[:24] != MOST) + 0.35  # empty points are many and easy
        kept = rng.choice(24, GIVEN - 2, replace=False, p=held / held.sum())
        kept = np.concatenate([kept, [24, 25]])
        strips.append(strips_of(sample, rng)[kept])
        classes.append(answers[kept])
    return torch.from_numpy(np.concatenate(strips)), torch.from_numpy(np.stack(classes))


def train(
    folder: Path,
    learnt: range,
    passes: int,
    out: Path,
    start: Path | None,
    *,
    in_bfloat16: bool = False,
) -> None:
    """Train on a stream of chunks, report on unseen ones, export."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    net = CheckerNet().to(memory_format=torch.channels_last)
    steps = sum(50 * (1 + min(AGAIN, k + 1)) // BOARDS + 1 for k in range(passes))
    learning = TrainingRun(net, steps, 3e-3, 2e-3, start, in_bfloat16=in_bfloat16)
    for step, (strips, classes) in enumerate(
        batches(folder, learnt, passes, np.random.default_rng(1)), 1
    ):
        learning.study()
        net.give(GIVEN)
        told = learning.answer(strips.contiguous(memory_format=torch.channels_last))
        learning.step(loss_of(told[:, :ANSWERS].reshape(-1, GIVEN, ANSWERS), classes))
        if step % 200 == 0:
            learning.report(f"{step}/{steps}", figures(net, folder))
            export(net, out)
    print(figures(net, folder), flush=True)
    export(net, out)


def figures(net: CheckerNet, folder: Path) -> str:
    """Points and boards right on the chunks that are kept back."""
    net.eval()
    net.give(STRIP_COUNT)
    right, boards, kinds = [], [], []
    with torch.no_grad():
        for index in TESTED:
            for sample in load_chunk(folder / f"{index:05}.pickle"):
                answers = answers_of(sample)
                logits = net(torch.from_numpy(strips_of(sample, None)))[:, :ANSWERS]
                told = logits.argmax(1).numpy()
                right.append(told[:24] == answers[:24])
                kinds.append(answers[:24])
                boards.append(right[-1].all())
    hit, kind = np.concatenate(right), np.abs(np.concatenate(kinds) - MOST)
    parts = [f"{low}-{high}: {100 * hit[(kind >= low) & (kind <= high)].mean():.1f}"
             for low, high in ((0, 0), (1, 3), (4, 5), (6, 15))]  # fmt: skip
    return f"points {100 * hit.mean():.2f} ({', '.join(parts)}) boards {100 * np.mean(boards):.0f}"


def export(net: CheckerNet, out: Path) -> None:
    """Write the net as ONNX."""
    net.eval()
    net.give(STRIP_COUNT)
    torch.onnx.export(
        net, (torch.zeros(STRIP_COUNT, 5, NET_STRIP_LENGTH, NET_STRIP_WIDTH),), str(out),
        input_names=["strips"], output_names=["counts"], opset_version=17, dynamo=False,
    )  # fmt: skip


def main() -> None:
    """Parse the command line and train."""
    parser = parser_of(__doc__, "checkers", 60)
    parser.add_argument("--passes", type=int, default=88, help="chunks learnt in all")
    args = parser.parse_args()
    learnt = range(args.first, args.first + args.chunks)
    train(args.folder, learnt, args.passes, args.out, args.start, in_bfloat16=args.bfloat16)


if __name__ == "__main__":
    main()
