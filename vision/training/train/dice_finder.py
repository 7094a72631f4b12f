"""Trains the dice finder's net on the planes at die scale in the chunks of `samples.py`."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Image, Rng
from vision.board.heatmaps import STRIDE
from vision.training.nets.mark_net import MarkNet, make_heatmaps, marks_loss
from vision.training.samples.samples import SceneSample, decode, finder_plane
from vision.training.train.figures import Figures, mean, percent
from vision.training.train.marks import Samples, heatmaps, mark_task

TILE: Final = 192
"""Side of a training image in pixels."""
NEAR_DIE_SHARE: Final = 0.75
"""Fraction of tiles cut around a die or a cube."""
MIN_TEST_HEAT: Final = 0.25
"""Minimum heat that counts as a peak in the figures."""


def plane_of(sample: SceneSample) -> tuple[Image, list[Floats]]:
    """The plane at the net's scale, and the pixels of its dice and its cube."""
    picture, scale = finder_plane(decode(sample.plane))
    places = [(found[:, :2] + 0.5) * scale - 0.5 for found in (sample.dice, sample.cube)]
    return picture, places


def make_tile(sample: SceneSample, rng: Rng) -> tuple[Image, Floats32]:
    """A (192, 192, 3) part of a plane and its (2, 48, 48) targets, rotated and recolored."""
    picture, places = plane_of(sample)
    every = np.concatenate(places)
    size = np.array(picture.shape[1::-1])
    aim = rng.uniform(0, size)
    if len(every) and rng.random() < NEAR_DIE_SHARE:
        aim = every[rng.integers(len(every))] + rng.uniform(-70, 70, 2)
    angle = rng.integers(4) * np.pi / 2 + rng.normal(0, 0.1)
    turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    if rng.random() < 0.5:
        turn = turn @ np.diag([-1.0, 1.0])
    turn = turn * np.exp(rng.normal(0, 0.12))
    move = np.column_stack([turn, np.full(2, (TILE - 1) / 2) - turn @ aim])
    part = cv2.warpAffine(picture, move, (TILE, TILE), borderMode=cv2.BORDER_REPLICATE)
    target = make_heatmaps([found @ turn.T + move[:, 2] for found in places], (TILE, TILE), 2)
    gain = rng.uniform(0.7, 1.25) * rng.uniform(0.9, 1.1, 3)
    bright = part[..., rng.permutation(3)] * gain.astype(np.float32) + rng.uniform(-15, 15)
    noisy = bright + rng.uniform(0, 5) * rng.standard_normal(part.shape, np.float32)
    return np.clip(noisy, 0, 255).astype(np.uint8), target


def figures(net: MarkNet, samples: Samples) -> Figures:
    """Recall of dice and of cubes, and false peaks."""
    is_found: list[list[bool]] = [[], []]
    false_peaks = []
    for sample in samples:
        image, places = plane_of(sample)
        heat = heatmaps(net, image)
        size = image.shape[1::-1]
        for hits, layer, found in zip(is_found, heat, places, strict=True):
            for x, y in found[((found > 0) & (found < size)).all(axis=1)]:
                row, column = int(y // STRIDE), int(x // STRIDE)
                around = layer[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
                hits.append(bool(around.max(initial=0) > MIN_TEST_HEAT))
        is_peak = (heat[0] >= cv2.dilate(heat[0], np.ones((3, 3)))) & (heat[0] > MIN_TEST_HEAT)
        near = make_heatmaps(places, (size[0], size[1]), len(places))
        false_peaks.append(int((is_peak & (near[0] < 0.05)).sum()))
    dice, cubes = map(percent, is_found)
    return {"dice found %": dice, "cubes found %": cubes, "false a board": mean(false_peaks)}


TASK: Final = mark_task(
    "dice_finder", 2, make_tile, marks_loss, figures, wide=False, size=(TILE, TILE),
    has_any_size=True, batch=12,
)  # fmt: skip
