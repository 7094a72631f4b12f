"""Crops of dice, cut around their centers at their own size; half of the dice lean on something.

From ray-cast scenes as drawn by `die_crops.py`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vision.training.samples.die_crops import NAMES, PAIRS, Crops, photograph_dice
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import make_scene

FIRST_SEED: Final = 70_000_000
"""Disjoint from the seeds of `samples.py` and of the other crops."""
POSITION_SIGMA: Final = 0.06
"""Standard deviation of a crop's offset from its die, in die sides."""
LOG_SIZE_SIGMA: Final = 0.07
"""Standard deviation of the log size for which it is cut."""


def make_crops(seed: int) -> Crops:
    """The crops of one scene's dice, labeled by value and tilt."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    scene = make_scene(rng, pairs=PAIRS, tipped=True)
    pose = scene.pose
    cuts = []
    for die in scene.dice:
        x, y, height = die.top
        side = die.side * float(np.exp(rng.normal(0, LOG_SIZE_SIGMA)))
        pixel = pose.project(np.array([(x, y / pose.aspect)]), height)
        place = pose.locate(pixel, side) + rng.normal(0, POSITION_SIGMA * side, (1, 2))
        cuts.append((place, side, (die.value, die.tilt_deg)))
    return photograph_dice(scene, rng, seed, cuts)


CHUNKS: Final = Chunks(make_crops, 100, NAMES)
