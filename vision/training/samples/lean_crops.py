"""Crops of dice cut around their middles at their own size, half of them leaning on something.

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
FIRST_SEED: Final = 40_000_000
"""Apart from the seeds of `samples.py` and of the other crops."""
ASIDE: Final = 0.06
"""Die sides by which a crop lies beside its die (standard deviation)."""
AMISS: Final = 0.07
"""Of the logarithm of the size for which it is cut (standard deviation)."""


def make_crops(seed: int) -> tuple[Image, Floats, Floats]:
    """(N, 48, 48, 3) crops of one scene's dice, their (N, 2) views, (N, 2) value and tilt."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    scene = make_scene(rng, pairs=PAIRS, tipped=True)
    pose = scene.pose
    spots, truth, looks = [], [], []
    for die in scene.dice:
        x, y, height = die.top
        side = die.side * float(np.exp(rng.normal(0, AMISS)))
        pixel = pose.project(np.array([(x, y / pose.aspect)]), height)
        place = pose.locate(pixel, side) + rng.normal(0, ASIDE * side, (1, 2))
        spots.append(crop_pixels(pose, place, side)[0])
        truth.append((die.value, die.tilt_deg))
        looks.append(parallaxes(pose, place, side)[0])
    return photograph_crops(scene, rng, seed, spots, looks, truth)


CHUNKS: Final = Chunks(make_crops, NAMES, CHUNK)

if __name__ == "__main__":
    CHUNKS.main(__doc__)
