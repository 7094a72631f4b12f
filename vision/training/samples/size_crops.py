"""Crops of dice, cut as if they were smaller or larger than they are.

From ray-cast scenes as drawn by `die_crops.py`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vision.training.samples.die_crops import NAMES, PAIRS, Crops, photograph_dice
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import make_scene

FIRST_SEED: Final = 30_000_000
"""Disjoint from the seeds of `samples.py` and of the other crops."""
CROPS_PER_DIE: Final = 4
MAX_SIZE_RATIO: Final = 2.0
"""Maximum ratio of the side for which a die is cut to its own side, and vice versa."""
POSITION_SIGMA: Final = 0.15
"""Standard deviation of a crop's offset from its die, in die sides."""


def make_crops(seed: int) -> Crops:
    """The crops of one scene's dice, labeled by log size ratio and tilt."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    scene = make_scene(rng, pairs=PAIRS)
    pose = scene.pose
    cuts = []
    bound = np.log(MAX_SIZE_RATIO)
    for die in scene.dice:
        x, y, height = die.top
        pixel = pose.project(np.array([(x, y / pose.aspect)]), height)
        for ratio in np.exp(rng.uniform(-bound, bound, CROPS_PER_DIE)):
            side = die.side / ratio
            place = pose.locate(pixel, side) + rng.normal(0, POSITION_SIGMA * die.side, (1, 2))
            cuts.append((place, side, (np.log(ratio), die.tilt_deg)))
    return photograph_dice(scene, rng, seed, cuts)


CHUNKS: Final = Chunks(make_crops, 100, NAMES)
