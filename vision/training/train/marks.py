"""The training of the keypoint nets: the board finder and the dice finder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from torch import Tensor

from engine.arrays import Floats32, Image, Ints, Rng
from vision.training.nets.mark_net import MarkNet, to_tensor
from vision.training.samples.samples import SceneSample, load_chunk
from vision.training.train import learning

TEST_CHUNKS: Final = 2
"""Number of initial chunks, which are used only for testing."""


@dataclass(frozen=True, slots=True)
class MarkTask:
    """How one of these nets is trained."""

    name: str
    """Name of the net's file."""
    kinds: int
    wide: bool
    """As in `MarkNet`."""
    size: tuple[int, int]
    """Width and height of a training image, in pixels."""
    has_any_size: bool
    """Whether the exported net takes images of any size, in multiples of 16."""
    batch: int
    epochs: int
    seed: int
    make_example: Callable[[SceneSample, Rng], tuple[Image, Floats32]]
    """Image and target heatmaps of a sample, augmented."""
    loss: Callable[[Tensor, Tensor], Tensor]
    """Loss of the logits, given the targets."""
    figures: Callable[[MarkNet, Path], str]
    """Figures of a net on the test chunks in a folder, as text."""


def train(task: MarkTask, options: learning.TrainingOptions) -> None:
    """Train on the chunks; after each epoch export and report on the test chunks."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(task.seed)
    samples = [sample for index in options.chunks for sample in chunk(options.folder, index)]
    net = MarkNet(task.kinds, wide=task.wide).to(memory_format=torch.channels_last)
    steps = options.epochs * (len(samples) // task.batch)
    run = learning.TrainingRun(
        net, steps, 4e-3, 1e-3, options.start, in_bfloat16=options.in_bfloat16
    )

    def batch_loss(indices: Ints) -> Tensor:
        examples = (task.make_example(samples[index], rng) for index in indices)
        images, targets = zip(*examples, strict=True)
        logits = run.predict(to_tensor(np.stack(images)))
        return task.loss(logits, torch.from_numpy(np.stack(targets)))

    def test() -> str:
        export(task, net, options.out)
        return task.figures(net, options.folder)

    run.run_epochs(options.epochs, len(samples), task.batch, batch_loss, test, rng)


def chunk(folder: Path, index: int) -> list[SceneSample]:
    """The samples of one chunk."""
    return load_chunk(folder / f"{index:05}.pickle")


def test_samples(folder: Path) -> Iterator[SceneSample]:
    """The samples of the test chunks."""
    for index in range(TEST_CHUNKS):
        yield from chunk(folder, index)


def heatmaps(net: MarkNet, image: Image) -> Floats32:
    """(kinds, h/4, w/4) heatmaps, 0..1, of an (h, w, 3) image, by a net in training."""
    net.eval()
    with torch.no_grad():
        heat: Floats32 = net(to_tensor(image[None]))[0].sigmoid().numpy()
    return heat


def export(task: MarkTask, net: MarkNet, out: Path) -> None:
    """Write the net as ONNX."""
    axes = {"picture": {2: "h", 3: "w"}, "marks": {2: "ch", 3: "cw"}}
    shape = (1, 3, task.size[1], task.size[0])
    learning.export_onnx(net, shape, ("picture", "marks"), out, axes if task.has_any_size else None)


def main(task: MarkTask, description: str | None) -> None:
    """Parse the command line and train."""
    parser = learning.training_parser(description, task.name, 60)
    parser.add_argument("--epochs", type=int, default=task.epochs)
    args = parser.parse_args()
    train(task, learning.TrainingOptions.of(args, args.epochs, TEST_CHUNKS))
