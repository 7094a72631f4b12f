"""Train the board finder's net on the small images in the chunks of `samples.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as fn

from engine.arrays import Floats, Image, Rng
from vision.board.heatmaps import STRIDE
from vision.board.keypoints import NET_INPUT_SIZE
from vision.training.nets.mark_net import MarkNet, export, make_heatmaps, marks_loss, to_tensor
from vision.training.samples.samples import SceneSample, decode, load_chunk
from vision.training.train.learning import TrainingRun, training_parser

TEST_CHUNKS: Final = (0, 1)
BATCH: Final = 16
FILLED: Final = 0.2
"""Share of images that the field fills from edge to edge."""
PALE: Final = 0.08
"""Share of images in which everything but the board is white, as on a shop's page."""
EMPTY: Final = 0.06
"""Share of images whose board is painted over, so that there is none."""


def make_example(sample: SceneSample, rng: Rng | None) -> tuple[Image, NDArray[np.float32]]:
    """(192, 320, 3) image and (4, 48, 80) targets; with a generator moved and recoloured."""
    picture = decode(sample.small)
    move = _placement(picture.shape[1], picture.shape[0], rng)
    if rng is not None and rng.random() < FILLED:
        move = _filled(move, sample.corners, rng)
    edge = cv2.BORDER_REFLECT if rng is not None and rng.random() < 0.5 else cv2.BORDER_CONSTANT
    colour = (0, 0, 0) if rng is None else tuple(float(c) for c in rng.integers(0, 255, 3))
    moved = cv2.warpAffine(picture, move, NET_INPUT_SIZE, flags=cv2.INTER_AREA, borderMode=edge,
                            borderValue=colour)  # fmt: skip
    canvas = np.asarray(moved, np.uint8)
    marks = [_moved(places, move) for places in (sample.corners, sample.bar_ends, sample.tips)]
    target = _targets(marks)
    if rng is None:
        return canvas, target
    if rng.random() < PALE:
        canvas = _cut_out(canvas, marks[0], rng)
    if rng.random() < EMPTY:
        return _painted_over(canvas, marks[0], rng), np.zeros_like(target)
    return _recoloured(canvas, rng), target


def _placement(width: int, height: int, rng: Rng | None) -> Floats:
    """(2, 3) affine map of an image into the canvas: fitted, or turned, scaled and mirrored."""
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    scale = min(NET_INPUT_SIZE[0] / width, NET_INPUT_SIZE[1] / height)
    turn = np.eye(2)
    aim = (np.array(NET_INPUT_SIZE) - 1) / 2
    if rng is not None:
        angle = rng.normal(0, 0.15) + rng.integers(4) * np.pi / 2 * (rng.random() < 0.5)
        turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
        if rng.random() < 0.5:
            turn = turn @ np.diag([-1.0, 1.0])
        scale *= np.exp(rng.normal(-0.05, 0.2))
        aim = aim + rng.normal(0, 12, 2)
    matrix = turn * scale
    return np.column_stack([matrix, aim - matrix @ middle])


def _filled(move: Floats, corners: Floats, rng: Rng) -> Floats:
    """The map enlarged until the field reaches the canvas's edges, its frame cut off."""
    at = _moved(corners, move)
    low, high = at.min(axis=0), at.max(axis=0)
    scale = float((np.array(NET_INPUT_SIZE) / (high - low)).min()) * rng.uniform(0.9, 1.03)
    shift = np.array(NET_INPUT_SIZE) / 2 - scale * (low + high) / 2 + rng.normal(0, 3, 2)
    return np.column_stack([move[:, :2] * scale, move[:, 2] * scale + shift])


def _moved(places: Floats, move: Floats) -> Floats:
    return np.asarray(places @ move[:, :2].T + move[:, 2])


def _targets(marks: list[Floats]) -> NDArray[np.float32]:
    target = make_heatmaps(marks, NET_INPUT_SIZE, 4)
    outline = np.rint((marks[0] - (STRIDE - 1) / 2) / STRIDE * 16).astype(np.int32)
    mask = np.zeros(target.shape[1:], np.uint8)
    cv2.fillPoly(mask, [outline], 1, cv2.LINE_8, 4)
    target[3] = mask
    return target


def _cut_out(canvas: Image, corners: Floats, rng: Rng) -> Image:
    """The board with some frame on a pale plain background."""
    mask = np.zeros(canvas.shape[:2], np.uint8)
    grown = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * rng.uniform(1.05, 1.25)
    cv2.fillPoly(mask, [np.rint(grown).astype(np.int32)], 1)
    pale = np.full_like(canvas, rng.integers(225, 256, 3).tolist())
    return np.where(mask[..., None] > 0, canvas, pale)


def _painted_over(canvas: Image, corners: Floats, rng: Rng) -> Image:
    out = canvas.copy()
    grown = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * 1.5
    cv2.fillPoly(out, [np.rint(grown).astype(np.int32)], rng.integers(0, 255, 3).tolist())
    return _recoloured(out, rng)


def _recoloured(canvas: Image, rng: Rng) -> Image:
    picture = np.ascontiguousarray(canvas[..., rng.permutation(3)], np.float32)
    if rng.random() < 0.1:
        picture[:] = picture.mean(axis=2, keepdims=True)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):  # occlusions
        at, size = rng.uniform((0, 0), NET_INPUT_SIZE), rng.uniform(8, 50, 2)
        box = cv2.boxPoints((at.tolist(), size.tolist(), float(rng.uniform(0, 180))))
        cv2.fillPoly(picture, [np.rint(box).astype(np.int32)], rng.uniform(0, 255, 3).tolist())
    bright = picture * rng.uniform(0.6, 1.3) * rng.uniform(0.85, 1.15, 3) + rng.uniform(-20, 20)
    if rng.random() < 0.3:
        bright = np.asarray(cv2.GaussianBlur(bright, (0, 0), rng.uniform(0.4, 1.2)))
    return np.clip(bright + rng.normal(0, rng.uniform(0, 6), bright.shape), 0, 255).astype(
        np.uint8)  # fmt: skip


def loss_of(logits: Tensor, target: Tensor) -> Tensor:
    """The loss of the marks, and cross-entropy of the inside."""
    inside = fn.binary_cross_entropy_with_logits(logits[:, 3], target[:, 3])
    return marks_loss(logits[:, :3], target[:, :3]) + inside


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
    rng = np.random.default_rng(2)
    samples = [
        s for k in learnt if k not in TEST_CHUNKS for s in load_chunk(folder / f"{k:05}.pickle")
    ]
    net = MarkNet(4, wide=True).to(memory_format=torch.channels_last)
    steps = epochs * (len(samples) // BATCH)
    learning = TrainingRun(net, steps, 4e-3, 1e-3, start, in_bfloat16=in_bfloat16)

    def batch_loss(indices: NDArray[np.int64]) -> Tensor:
        images, targets = zip(*(make_example(samples[k], rng) for k in indices), strict=True)
        logits = learning.predict(to_tensor(np.stack(images)))
        target = torch.from_numpy(np.stack(targets))
        return loss_of(logits, target)

    def test() -> str:
        export(net, NET_INPUT_SIZE, out, any_size=False)
        return figures(net, folder)

    learning.run_epochs(epochs, len(samples), BATCH, batch_loss, test, rng)


def figures(net: MarkNet, folder: Path) -> str:
    """The recall of marks and the error of the inside on the test chunks."""
    net.eval()
    found, wrong = [], []
    with torch.no_grad():
        for index in TEST_CHUNKS:
            for sample in load_chunk(folder / f"{index:05}.pickle"):
                picture, target = make_example(sample, None)
                heat = net(to_tensor(picture[None]))[0].sigmoid().numpy()
                for channel in (0, 1):
                    for y, x in np.argwhere(target[channel] > 0.8):
                        around = heat[channel, max(0, y - 2) : y + 3, max(0, x - 2) : x + 3]
                        found.append(around.max() > 0.3)
                wrong.append((heat[3] > 0.5) != (target[3] > 0.5))
    return f"marks seen {100 * np.mean(found):.1f} % inside wrong {100 * np.mean(wrong):.2f} %"


def main() -> None:
    """Parse the command line and train."""
    parser = training_parser(__doc__, "finder", 60)
    parser.add_argument("--epochs", type=int, default=9)
    args = parser.parse_args()
    learnt = range(args.first, args.first + args.chunks)
    train(args.folder, learnt, args.epochs, args.out, args.start, in_bfloat16=args.bfloat16)


if __name__ == "__main__":
    main()
