"""Crops around the upper faces of doubling cubes, cut at any angle.

From ray-cast scenes with several cubes each, drawn as in `die_crops.py`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Rng
from vision.dice.classify import CUBE_NUMBERS
from vision.dice.views import crop_pixels, parallaxes
from vision.training.samples.die_crops import (
    FIRST_CUBE,
    NAMES,
    NO_CROPS,
    Crops,
    apparent_place,
    photograph_crops,
)
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import make_scene

FIRST_SEED: Final = 110_000_000
"""Disjoint from the seeds of all other samples."""
CUBES: Final = 6
"""Cubes per scene at most."""
POSITION_SIGMA: Final = 0.08
"""Standard deviation of a crop's offset from its cube, in the cube's sides, ..."""
FAR_SHARE, FAR_SIGMA = 0.2, 0.2
"""... and of those that are further off, as some of the finder's peaks are."""
TURN_SIGMA: Final = 0.1
"""Standard deviation of the angle by which a crop is turned, in radians, ..."""
ANY_TURN_SHARE: Final = 0.4
"""... and the fraction of those that are turned by any angle."""


def make_crops(seed: int) -> Crops:
    """The crops of one scene, labeled as in `die_crops.py`."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    scene = make_scene(rng, cubes=CUBES)
    pose = scene.pose
    if not scene.cubes:
        return NO_CROPS
    pixels, views = [], []
    for cube in scene.cubes:
        sigma = cube.side * (FAR_SIGMA if rng.random() < FAR_SHARE else POSITION_SIGMA)
        place = apparent_place(pose, cube.top) + rng.normal(0, sigma, 2) / (1, pose.aspect)
        turn = _turn(rng)
        pixels.append(crop_pixels(pose, place[None], turn=turn))
        views.append(parallaxes(pose, place[None], turn=turn))
    truth = [(FIRST_CUBE + CUBE_NUMBERS.index(cube.value), 0) for cube in scene.cubes]
    return photograph_crops(
        scene, rng, seed, np.concatenate(pixels), np.concatenate(views), np.array(truth, float)
    )


def _turn(rng: Rng) -> float:
    is_any = rng.random() < ANY_TURN_SHARE
    return float(rng.uniform(0, 2 * np.pi) if is_any else rng.normal(0, TURN_SIGMA))


CHUNKS: Final = Chunks(make_crops, 100, NAMES)
