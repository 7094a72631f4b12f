"""Crops of dice cut as if they were smaller or larger than they are, and how much they are so.

From ray-cast scenes as `die_crops.py` draws them, into a folder of their own.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Floats, Image
from vision.dice.views import crop_pixels, parallaxes
from vision.training.samples.chunks import Chunks
from vision.training.samples.die_crops import NAMES, PAIRS, photograph_crops
from vision.training.scenes.scenes import make_scene

CHUNK: Final = 100
FIRST_SEED: Final = 30_000_000
"""Apart from the seeds of `samples.py` and of the other crops."""
EACH: Final = 4
"""Crops of a die."""
RANGE: Final = 2.0
"""A die is cut out as if it were up to so many times as large, or as small, as it is."""
ASIDE: Final = 0.15
"""Die sides by which a crop lies beside its die (standard deviation)."""


def make_crops(seed: int) -> tuple[Image, Floats, Floats]:
    """(N, 48, 48, 3) crops of one scene's dice, their (N, 2) views and (N, 2) truth.

    Truth: the logarithm of how many times the side that was cut for the die's is, and its tilt.
    """
    rng = np.random.default_rng(FIRST_SEED + seed)
    scene = make_scene(rng, pairs=PAIRS)
    pose = scene.pose
    spots, truth, looks = [], [], []
    for die in scene.dice:
        x, y, height = die.top
        pixel = pose.project(np.array([(x, y / pose.aspect)]), height)
        for times in np.exp(rng.uniform(-np.log(RANGE), np.log(RANGE), EACH)):
            side = die.side / times
            place = pose.locate(pixel, side) + rng.normal(0, ASIDE * die.side, (1, 2))
            spots.append(crop_pixels(pose, place, side)[0])
            truth.append((np.log(times), die.tilt_deg))
            looks.append(parallaxes(pose, place, side)[0])
    return photograph_crops(scene, rng, seed, spots, looks, truth)


CHUNKS: Final = Chunks(make_crops, NAMES, CHUNK)

if __name__ == "__main__":
    CHUNKS.main(__doc__)
