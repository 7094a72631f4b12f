"""Train the dice net on synthetic scenes: `python -m vision.training.train_dice`.

Needs the `training` extra. Seeds are fixed; scenes are made once and augmented by quarter
turns, mirror images and colour. Figures of the shipped file are in models/README.md.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as fn

from vision.training.dice_net import DiceNet
from vision.training.dice_scenes import SIZE, DieTruth, make_scene

STRIDE: Final = 4
CELLS: Final = SIZE // STRIDE
NEAR: Final = 3.2  # pixels from a die's centre within which a cell must name the die
MAYBE: Final = 6.5  # ... beyond which it must not
FLAT_DEG: Final = 5.0
IGNORED: Final = -1
SPARE: Final = 8  # cells cut off a scene at random: every epoch sees other parts
CHUNK: Final = 500


def scenes(seed: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """CHUNK scenes: (n, 96, 96, 3) pictures and (n, 4, 24, 24) class, dx, dy, flat targets."""
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    made = [make_scene(rng) for _ in range(CHUNK)]
    pictures = np.stack([picture for picture, _ in made])
    return pictures, np.stack([targets(dice) for _, dice in made])


def targets(dice: list[DieTruth]) -> NDArray[np.float32]:
    """(4, 24, 24): face or 0 or IGNORED, offset x, offset y, 1 flat / 0 cocked / IGNORED."""
    middle = np.arange(CELLS) * STRIDE + (STRIDE - 1) / 2
    x, y = np.meshgrid(middle, middle)
    target = np.zeros((4, CELLS, CELLS), np.float32)
    target[3] = IGNORED
    for die in dice:
        dx, dy = die.center[0] - x, die.center[1] - y
        far = np.hypot(dx, dy)
        target[0][(far < MAYBE) & (target[0] == 0)] = IGNORED
        near = far < NEAR
        target[:, near] = np.stack([np.full_like(dx, die.value), dx, dy, _flat(die, dx)])[:, near]
    return target


def _flat(die: DieTruth, like: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.full_like(like, 1.0 if die.tilt_deg < FLAT_DEG else 0.0)


def loss_of(answer: Tensor, target: Tensor) -> Tensor:
    """Focal cross-entropy of the classes, L1 of the offsets, cross-entropy of flatness."""
    classes = target[:, 0].long()
    entropy = fn.cross_entropy(answer[:, :7], classes, ignore_index=IGNORED, reduction="none")
    known = classes != IGNORED
    focus = 1 - torch.exp(-entropy)  # most cells are plainly empty: the others decide
    weight = torch.where(classes > 0, 2.0, 1.0) * known
    loss = (entropy * focus * weight).sum() / (classes > 0).sum().clamp(min=1)
    dies = classes > 0
    if dies.any():
        off = (answer[:, 7:9] - target[:, 1:3]).abs().sum(1)[dies].mean()
        flat = fn.binary_cross_entropy_with_logits(answer[:, 9][dies], target[:, 3][dies])
        loss = loss + 0.1 * off + 0.5 * flat
    return loss


def augmented(
    pictures: Tensor, target: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """The batch turned, mirrored and recoloured; offsets turn along."""
    if torch.rand((), generator=generator) < 0.5:
        pictures, target = pictures.flip(3), target.flip(3).clone()
        target[:, 1] *= -1
    if torch.rand((), generator=generator) < 0.5:
        pictures, target = pictures.flip(2), target.flip(2).clone()
        target[:, 2] *= -1
    if torch.rand((), generator=generator) < 0.5:
        pictures, target = pictures.transpose(2, 3), target.transpose(2, 3)
        target = target[:, [0, 2, 1, 3]]
    count = len(pictures)
    top, left = (int(torch.randint(0, SPARE + 1, (), generator=generator)) for _ in range(2))
    target = target[:, :, top : top + CELLS - SPARE, left : left + CELLS - SPARE]
    end = (CELLS - SPARE) * STRIDE
    pictures = pictures[:, :, STRIDE * top :, STRIDE * left :][:, :, :end, :end]
    gain = 1 + 0.25 * (torch.rand(count, 3, 1, 1, generator=generator) - 0.5)
    shift = 0.12 * (torch.rand(count, 3, 1, 1, generator=generator) - 0.5)
    order = torch.randperm(3, generator=generator)
    return (pictures[:, order] * gain + shift), target


def as_input(pictures: NDArray[np.uint8]) -> Tensor:
    """(N, 3, H, W) floats of (N, H, W, 3) pictures."""
    return torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255 - 0.5


def train(chunks: int, epochs: int, workers: int, out: Path) -> None:
    """Make the scenes, train, report on unseen ones, export."""
    torch.manual_seed(0)
    began = time.monotonic()
    with ProcessPoolExecutor(workers) as pool:
        made = list(pool.map(scenes, range(chunks + 1)))
    torch.set_num_threads(
        1
    )  # the layers are too small to share: two threads take four times as long
    print(f"{(chunks + 1) * CHUNK} scenes in {time.monotonic() - began:.0f} s", flush=True)
    test = made.pop()
    pictures = np.concatenate([p for p, _ in made])
    target = torch.from_numpy(np.concatenate([t for _, t in made]))
    net = DiceNet().to(memory_format=torch.channels_last)
    generator = torch.Generator().manual_seed(1)
    batches = len(pictures) // 32
    optimiser = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, epochs * batches)
    for epoch in range(epochs):
        net.train()
        order = torch.randperm(len(pictures), generator=generator)
        total = 0.0
        for batch in order[: batches * 32].split(32):
            picked = as_input(pictures[batch.numpy()])
            picture, wanted = augmented(picked, target[batch], generator)
            picture = picture.contiguous(memory_format=torch.channels_last)
            loss = loss_of(net(picture), wanted)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        print(f"epoch {epoch}: loss {total / batches:.3f}, {figures(net, test)}, "
              f"{time.monotonic() - began:.0f} s", flush=True)  # fmt: skip
        export(net, out)


def figures(net: DiceNet, test: tuple[NDArray[np.uint8], NDArray[np.float32]]) -> str:
    """Right faces and flatness at the cells of unseen dice, and false dice a scene."""
    net.eval()
    with torch.no_grad():
        answer = net(as_input(test[0]))
    target = torch.from_numpy(test[1])
    chance = answer[:, :7].softmax(1)
    dies, empty = target[:, 0] > 0, target[:, 0] == 0
    right = (answer[:, 1:7].argmax(1) + 1 == target[:, 0])[dies].float().mean()
    found = (chance[:, 0][dies] < 0.5).float().mean()
    flat = ((answer[:, 9] > 0) == (target[:, 3] > 0.5))[dies].float().mean()
    false = (chance[:, 0][empty] < 0.5).sum() / len(answer)
    return f"found {found:.3f} face {right:.3f} flat {flat:.3f} false cells/scene {false:.3f}"


def export(net: DiceNet, out: Path) -> None:
    """Write the net as ONNX, any height and width."""
    net.eval()
    example = torch.zeros(1, 3, SIZE, SIZE)
    torch.onnx.export(
        net, (example,), str(out), input_names=["picture"], output_names=["cells"],
        dynamic_axes={"picture": {2: "h", 3: "w"}, "cells": {2: "ch", 3: "cw"}},
        opset_version=17, dynamo=False,
    )  # fmt: skip


def main() -> None:
    """Parse the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=50, help=f"chunks of {CHUNK} scenes")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "models/dice.onnx")
    args = parser.parse_args()
    train(args.chunks, args.epochs, args.workers, args.out)


if __name__ == "__main__":
    main()
