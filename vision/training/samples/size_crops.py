"""Crops of dice cut as if they were smaller or larger than they are.

From ray-cast scenes as `die_crops.py` draws them, into a folder of their own.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vision.training.samples.die_crops import NAMES, PAIRS, Crops, photograph_dice
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import make_scene

FIRST_SEED: Final = 30_000_000
"""Apart from the seeds of `samples.py` and of the other crops."""
CROPS_PER_DIE: Final = 4
MAX_SIZE_RATIO: Final = 2.0
"""Of the side that a die is cut for to its own, and the reverse."""
POSITION_SIGMA: Final = 0.15
"""Die sides by which a crop lies beside its die."""


def make_crops(seed: int) -> Crops:
    """The crops of one scene's dice, labelled by log size ratio and tilt."""
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


CHUNKS: Final = Chunks(make_crops, NAMES, 100)

if __name__ == "__main__":
    CHUNKS.main(__doc__)
