"""Train the dice finder's net on the planes at a die's scale in the chunks of `samples.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.arrays import Floats, Image, Rng
from vision.training.nets.mark_net import MarkNet, export, make_heatmaps, marks_loss, to_tensor
from vision.training.samples.samples import SceneSample, decode, finder_plane, load_chunk
from vision.training.train.learning import TrainingRun, training_parser

TEST_CHUNKS: Final = (0, 1)
BATCH: Final = 12
TILE: Final = 192
"""Side of a training image in pixels."""
NEAR_DIE: Final = 0.75
"""Share of the tiles that are cut around a die or a cube."""


def plane_of(sample: SceneSample) -> tuple[Image, list[Floats]]:
    """The plane at the net's scale, and the pixels of its dice and of its cube."""
    picture, scale = finder_plane(decode(sample.plane))
    places = [(found[:, :2] + 0.5) * scale - 0.5 for found in (sample.dice, sample.cube)]
    return picture, places


def make_tile(sample: SceneSample, rng: Rng) -> tuple[Image, NDArray[np.float32]]:
    """A (192, 192, 3) part of a plane and its (2, 48, 48) targets, turned and recoloured."""
    picture, places = plane_of(sample)
    every = np.concatenate(places)
    size = np.array(picture.shape[1::-1])
    aim = rng.uniform(0, size)
    if len(every) and rng.random() < NEAR_DIE:
        aim = every[rng.integers(len(every))] + rng.uniform(-70, 70, 2)
    angle = rng.integers(4) * np.pi / 2 + rng.normal(0, 0.1)
    turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    if rng.random() < 0.5:
        turn = turn @ np.diag([-1.0, 1.0])
    turn = turn * np.exp(rng.normal(0, 0.12))
    move = np.column_stack([turn, np.full(2, (TILE - 1) / 2) - turn @ aim])
    part = cv2.warpAffine(picture, move, (TILE, TILE), borderMode=cv2.BORDER_REPLICATE)
    target = make_heatmaps([found @ turn.T + move[:, 2] for found in places], (TILE, TILE), 2)
    bright = part[..., rng.permutation(3)] * rng.uniform(0.7, 1.25) * rng.uniform(0.9, 1.1, 3)
    noisy = bright + rng.uniform(-15, 15) + rng.normal(0, rng.uniform(0, 5), part.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), target


def train(
    folder: Path,
    learnt: range,
    epochs: int,
    out: Path,
    start: Path | None,
    *,
    in_bfloat16: bool = False,
) -> None:
    """Train on the chunks, test on others, export."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(5)
    samples = [s for k in learnt if k not in TEST_CHUNKS
               for s in load_chunk(folder / f"{k:05}.pickle")]  # fmt: skip
    net = MarkNet(2, wide=False).to(memory_format=torch.channels_last)
    steps = epochs * (len(samples) // BATCH)
    learning = TrainingRun(net, steps, 4e-3, 1e-3, start, in_bfloat16=in_bfloat16)

    def batch_loss(indices: NDArray[np.int64]) -> Tensor:
        images, targets = zip(*(make_tile(samples[k], rng) for k in indices), strict=True)
        logits = learning.predict(to_tensor(np.stack(images)))
        target = torch.from_numpy(np.stack(targets))
        return marks_loss(logits, target)

    def test() -> str:
        export(net, (TILE, TILE), out, any_size=True)
        return figures(net, folder)

    learning.run_epochs(epochs, len(samples), BATCH, batch_loss, test, rng)


def figures(net: MarkNet, folder: Path) -> str:
    """Dice and cubes with a peak at their place, and stray peaks, on the test chunks."""
    net.eval()
    seen: list[list[bool]] = [[], []]
    stray = []
    with torch.no_grad():
        for index in TEST_CHUNKS:
            for sample in load_chunk(folder / f"{index:05}.pickle"):
                picture, places = plane_of(sample)
                heat = net(to_tensor(picture[None]))[0].sigmoid().numpy()
                near = make_heatmaps(places, (picture.shape[1], picture.shape[0]), 2)
                for kind in (0, 1):
                    inside = [p for p in places[kind]
                              if (p > 0).all() and (p < picture.shape[1::-1]).all()]  # fmt: skip
                    for x, y in inside:
                        row, column = int(y // 4), int(x // 4)
                        around = heat[kind, max(0, row - 1) : row + 2, max(0, column - 1) :
                                      column + 2]  # fmt: skip
                        seen[kind].append(bool(around.max(initial=0) > 0.25))
                peak = (heat[0] >= cv2.dilate(heat[0], np.ones((3, 3)))) & (heat[0] > 0.25)
                stray.append(int((peak & (near[0] < 0.05)).sum()))
    return (f"dice {100 * np.mean(seen[0]):.1f} % cubes {100 * np.mean(seen[1]):.1f} % "
            f"stray {np.mean(stray):.2f} a board")  # fmt: skip


def main() -> None:
    """Parse the command line and train."""
    parser = training_parser(__doc__, "dice_finder", 60)
    parser.add_argument("--epochs", type=int, default=8)
    args = parser.parse_args()
    learnt = range(args.first, args.first + args.chunks)
    train(args.folder, learnt, args.epochs, args.out, args.start, in_bfloat16=args.bfloat16)


if __name__ == "__main__":
    main()
