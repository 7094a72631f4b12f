"""Trains the checkers' net on the chunks of `samples.py`, in order.

Every new chunk is mixed with a few earlier ones, chosen by the seed alone, so that training can
begin before the last scene is rendered.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Floats32, Ints, Rng
from engine.evidence.observation import COUNTS
from engine.position import CHECKERS
from vision.checkers.strips import (
    NET_STRIP_LENGTH,
    NET_STRIP_WIDTH,
    STRIP_COUNT,
    cut_strips,
    recoloured,
)
from vision.training.nets.checker_net import CheckerNet
from vision.training.samples.samples import SceneSample, decode, load_chunk
from vision.training.train import learning
from vision.training.train.marks import TEST_CHUNKS, test_samples

Batch = tuple[Tensor, Tensor]

BOARDS: Final = 8
"""Number of boards in a batch."""
STRIPS_LEARNT: Final = 16
"""Number of strips per board in a batch, always including the bar's halves."""
RECOLOURED_SHARE: Final = 0.5
"""Fraction of boards that are recolored."""
REPLAYED: Final = 6
"""Number of earlier chunks mixed with every new one."""
END_ERRORS: Final = (0.0, 1.5, 3.5)
"""Standard deviations, in pixels, of the error in the located end of a board's points."""
MAX_SHIFT: Final = 8
IS_FAR: Final = np.array([0] * 12 + [1] * 12 + [0, 1])
"""Whether each strip is on the far side of the board."""


def make_strips(sample: SceneSample, rng: Rng | None) -> Floats32:
    """(26, 5, 168, 44) input from a sample; shifted and recolored if a generator is given."""
    picture = decode(sample.board)
    shifts = None if rng is None else random_shifts(rng)
    strips = cut_strips(picture, sample.layout, sample.field_size[0], sample.lifts, shifts)
    return strips if rng is None else recoloured(strips, rng, RECOLOURED_SHARE)


def random_shifts(rng: Rng) -> Ints:
    """(26, 2) pixels by which strips are shifted, lengthwise by the same amount on each side.

    A rail may hide where the points begin, so that the located field is too long or too short by up
    to a quarter of a checker.
    """
    shifts = rng.integers(-2, 3, (STRIP_COUNT, 2))
    sides = rng.normal(0, rng.choice(END_ERRORS, p=(0.4, 0.3, 0.3)), 2)
    shifts[:, 1] += np.rint(sides).astype(np.int64)[IS_FAR]
    return np.clip(shifts, -MAX_SHIFT, MAX_SHIFT)


def classes_of(sample: SceneSample) -> Ints:
    """(26,) classes of the points and, for the bar, of light's and of dark's checkers."""
    counts = [*sample.points, sample.bar[0], -sample.bar[1]]
    return np.clip(np.array(counts), -CHECKERS, CHECKERS) + CHECKERS


def loss_of(logits: Tensor, classes: Tensor) -> Tensor:
    """Cross-entropy; the bar's two counts may be in either of its halves.

    `logits` (B, S, 31) and `classes` (B, S), with the bar's halves as the last two strips.
    """
    log_p = fn.log_softmax(logits, dim=-1)
    loss = -log_p.gather(2, classes[..., None])[..., 0]
    as_given = loss[:, -2] + loss[:, -1]
    swapped = -log_p[:, -2].gather(1, classes[:, -1:]) - log_p[:, -1].gather(
        1, classes[:, -2:-1])  # fmt: skip
    bar = -torch.logsumexp(torch.stack([-as_given, -swapped[:, 0]]), dim=0)
    return (loss[:, :-2].sum() + bar.sum()) / loss.numel()


def batches(folder: Path, learnt: range, passes: int, rng: Rng) -> Iterator[Batch]:
    """Batches of `passes` chunks in a cycle, waiting for those not written yet."""
    loaded: dict[int, list[SceneSample]] = {}
    for turn in range(passes):
        path = folder / f"{learnt[turn % len(learnt)]:05}.pickle"
        while not path.exists():
            time.sleep(1)
        loaded[turn] = load_chunk(path)
        replayed = rng.choice(list(loaded), min(REPLAYED, len(loaded)), replace=False)
        samples = [sample for key in (turn, *replayed) for sample in loaded[int(key)]]
        order = rng.permutation(len(samples))
        for first in range(0, len(order) - BOARDS + 1, BOARDS):
            yield _batch([samples[k] for k in order[first : first + BOARDS]], rng)


def _batch(samples: list[SceneSample], rng: Rng) -> Batch:
    strips, classes = [], []
    for sample in samples:
        labels = classes_of(sample)
        weights = (labels[:24] != CHECKERS) + 0.35  # empty points are many and easy
        kept = rng.choice(24, STRIPS_LEARNT - 2, replace=False, p=weights / weights.sum())
        kept = np.concatenate([kept, [24, 25]])
        strips.append(make_strips(sample, rng)[kept])
        classes.append(labels[kept])
    return torch.from_numpy(np.concatenate(strips)), torch.from_numpy(np.stack(classes))


def train(options: learning.TrainingOptions) -> None:
    """Train on a stream of chunks, test on others, export."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    net = CheckerNet().to(memory_format=torch.channels_last)
    passes = options.epochs
    steps = sum(50 * (1 + min(REPLAYED, k + 1)) // BOARDS + 1 for k in range(passes))
    run = learning.TrainingRun(
        net, steps, 3e-3, 2e-3, options.start, in_bfloat16=options.in_bfloat16
    )
    stream = batches(options.folder, options.chunks, passes, np.random.default_rng(1))
    for step, (strips, classes) in enumerate(stream, 1):
        run.set_training()
        net.set_strips(STRIPS_LEARNT)
        output = run.predict(strips.contiguous(memory_format=torch.channels_last))
        run.step(loss_of(output[:, :COUNTS].reshape(-1, STRIPS_LEARNT, COUNTS), classes))
        if step % 200 == 0:
            run.report(f"{step}/{steps}", figures(net, options.folder))
            export(net, options.out)
    print(figures(net, options.folder), flush=True)
    export(net, options.out)


def figures(net: CheckerNet, folder: Path) -> str:
    """The accuracy of points and of whole boards on the test chunks."""
    net.eval()
    net.set_strips(STRIP_COUNT)
    samples = list(test_samples(folder))
    labels = np.stack([classes_of(sample)[:24] for sample in samples])
    with torch.no_grad():
        predicted = np.stack([
            net(torch.from_numpy(make_strips(sample, None)))[:24, :COUNTS].argmax(1).numpy()
            for sample in samples
        ])  # fmt: skip
    is_right, count = predicted == labels, np.abs(labels - CHECKERS)
    parts = [
        f"{low}-{high}: {100 * is_right[(count >= low) & (count <= high)].mean():.1f}"
        for low, high in ((0, 0), (1, 3), (4, 5), (6, 15))
    ]
    boards = 100 * is_right.all(axis=1).mean()
    return f"points {100 * is_right.mean():.2f} ({', '.join(parts)}) boards {boards:.0f}"


def export(net: CheckerNet, out: Path) -> None:
    """Write the net as ONNX."""
    net.set_strips(STRIP_COUNT)
    shape = (STRIP_COUNT, 5, NET_STRIP_LENGTH, NET_STRIP_WIDTH)
    learning.export_onnx(net, shape, ("strips", "counts"), out)


if __name__ == "__main__":
    parser = learning.training_parser(__doc__, "checkers", 60)
    parser.add_argument("--passes", type=int, default=88, help="chunks learnt in all")
    args = parser.parse_args()
    train(learning.TrainingOptions.of(args, args.passes, TEST_CHUNKS))
