"""Crops where the dice finder sees something, right or wrong: what the die net must tell apart.

Cut from the boards at a die's scale of the chunks of `samples.py`, around the finder's own marks.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from calibration.grid import CHECKER_THICKNESS
from engine.arrays import Floats, Image
from vision.board.heatmaps import sigmoid
from vision.dice.candidates import heatmap_peaks
from vision.dice.classify import CUBE_NUMBERS
from vision.dice.views import CROP_SIZE, DIE_PIXELS
from vision.nets import as_tensor, load_net
from vision.training.samples.die_crops import CUBE, NONE
from vision.training.samples.samples import (
    DIE_SIDE,
    SceneSample,
    decode,
    finder_plane,
    load_chunk,
)

NEAR: Final = 0.45
"""Die sides from a mark to the die that it marks."""
BESIDE: Final = 1.1
"""Die sides within which a mark that misses is neither the die nor something else."""
FAINT: Final = 0.08
"""Least heat of a mark that is learnt from: a little less than is looked at later."""
MOST: Final = 12
"""Crops of a scene."""


def make_crops(sample: SceneSample) -> tuple[Image, Floats, Floats]:
    """(N, 48, 48, 3) crops, their (N, 2) views and (N, 2) class and tilt, see `die_crops.py`."""
    plane = decode(sample.plane)
    small, scale = finder_plane(plane)
    pixels = heatmap_peaks(sigmoid(load_net("dice_finder")(as_tensor(small))[0]), FAINT)
    places = (pixels[:MOST] + 0.5) / scale - 0.5
    view = sample.lifts[:24].mean(axis=0) / sample.field_size[0] * DIE_PIXELS / CHECKER_THICKNESS
    crops, truth = [], []
    for place in places:
        label = _label(sample, place)
        if label is not None:
            crops.append(_cut(plane, place))
            truth.append(label)
    if not crops:
        return np.zeros((0, CROP_SIZE, CROP_SIZE, 3), np.uint8), np.zeros((0, 2)), np.zeros((0, 2))
    return np.stack(crops), np.tile(view, (len(crops), 1)), np.array(truth, float)


def _label(sample: SceneSample, place: Floats) -> tuple[float, float] | None:
    """Class and tilt of what a mark marks; None where it half meets a die or a cube."""
    dice, cube = sample.dice, sample.cube
    far = np.linalg.norm(dice[:, :2] - place, axis=1) / DIE_SIDE
    if len(dice) and far.min() < BESIDE:
        nearest = int(far.argmin())
        return (dice[nearest, 2], dice[nearest, 3]) if far[nearest] < NEAR else None
    if len(cube):
        away = float(np.linalg.norm(cube[0, :2] - place)) / cube[0, 3]
        if away < NEAR:
            return float(CUBE + CUBE_NUMBERS.index(int(cube[0, 2]))), 0.0
        if away < BESIDE:
            return None
    return float(NONE), 0.0


def _cut(plane: Image, place: Floats) -> Image:
    scale = DIE_PIXELS / DIE_SIDE
    shift = (CROP_SIZE - 1) / 2 - scale * place
    move = np.array([(scale, 0, shift[0]), (0, scale, shift[1])])
    return np.asarray(
        cv2.warpAffine(plane, move, (CROP_SIZE, CROP_SIZE), flags=cv2.INTER_LINEAR), np.uint8
    )


def make_chunk(index: int, scenes: Path, folder: Path) -> Path:
    """Writes the crops of one chunk of scenes."""
    cv2.setNumThreads(1)
    made = [make_crops(sample) for sample in load_chunk(scenes / f"{index:05}.pickle")]
    crops, view, truth = (np.concatenate([part[k] for part in made]) for k in range(3))
    path = folder / f"found_{index:05}.npz"
    np.savez(path, crops=crops, views=view, truth=truth)
    return path


def main() -> None:
    """Parse the command line and make chunks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", type=Path, help="the chunks of vision.training.samples.samples")
    parser.add_argument("folder", type=Path, help="the chunks of vision.training.samples.die_crops")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--chunks", type=int, default=60)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    count = args.chunks
    indices = range(args.first, args.first + count)
    with ProcessPoolExecutor(args.workers) as pool:
        for path in pool.map(make_chunk, indices, [args.scenes] * count, [args.folder] * count):
            print(path.name, flush=True)


if __name__ == "__main__":
    main()
