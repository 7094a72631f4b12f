"""Crops around the numbers that are printed on the points of some boards, which no cube shows.

From ray-cast scenes drawn as in `die_crops.py`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from vision.dice.views import crop_pixels, parallaxes
from vision.training.samples.die_crops import (
    BACKGROUND,
    NAMES,
    POSITION_SIGMA,
    Crops,
    photograph_crops,
)
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.painting import number_place
from vision.training.scenes.scenes import make_scene

FIRST_SEED: Final = 120_000_000
"""Disjoint from the seeds of all other samples."""
NUMBERS: Final = 4
"""Crops per scene, on the points and as many beyond their tips: on any board, some are bare."""


def make_crops(seed: int) -> Crops:
    """The crops of one scene, labeled as in `die_crops.py`."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    scene = make_scene(rng, numbered=True)
    pose = scene.pose
    on_felt = np.array([
        number_place(scene.layout, int(point), beyond=beyond)
        for beyond in (False, True)
        for point in rng.choice(np.arange(1, 25), NUMBERS, replace=False)
    ])  # fmt: skip
    places = pose.locate(pose.project(on_felt, 0.0), USUAL_DIE_SIDE)
    places += rng.normal(0, POSITION_SIGMA * USUAL_DIE_SIDE, places.shape) / (1, pose.aspect)
    truth = np.tile((BACKGROUND, 0.0), (len(places), 1))
    return photograph_crops(
        scene, rng, seed, crop_pixels(pose, places), parallaxes(pose, places), truth
    )


CHUNKS: Final = Chunks(make_crops, 100, NAMES)
