"""Crops of dice and their surroundings, cut as in `die_crops.py`, from path-traced scenes.

Glints and shadows are realistic there, on dice and on checkers that look like dice. Many dice of
two kinds lie close together in each scene, so that one small picture shows them all. Needs bpy,
which requires an older numpy than the project's: a separate environment (`models/README.md`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from vision.checkers.strips import strips_at
from vision.dice.views import crop_pixels, parallaxes
from vision.training.render import cycles
from vision.training.render import raycast as rc
from vision.training.render.photograph import random_camera
from vision.training.samples.die_crops import (
    BACKGROUND,
    NAMES,
    POSITION_SIGMA,
    Crops,
    apparent_place,
    in_picture,
    negative_places,
)
from vision.training.scenes.chunks import Chunks, make_files, numbered_parser
from vision.training.scenes.scenes import make_scene

FIRST_SEED: Final = 80_000_000
"""Disjoint from the seeds of all other samples."""
PAIRS: Final = 13
RAYS: Final = 24
NEGATIVE_ROUNDS: Final = 8
"""Attempts to choose other places: most are outside the rendered part."""
MAX_WINDOW_PIXELS: Final = 220_000
"""Maximum size of the part with the dice: larger ones take too long."""


def make_crops(seed: int) -> Crops:
    """The crops of one scene, labeled by class and tilt.

    The dice, and other places in the part of the picture around them.
    """
    rng = np.random.default_rng(FIRST_SEED + seed)
    while True:
        scene = make_scene(rng, pairs=PAIRS, close=True)
        pose = replace(scene.pose, radial=0.0)
        if not scene.dice:
            continue
        dice = np.array([apparent_place(pose, die.top) for die in scene.dice])
        dice += rng.normal(0, POSITION_SIGMA * USUAL_DIE_SIDE, dice.shape) / (1, pose.aspect)
        pixels = crop_pixels(pose, dice)
        inside = in_picture(pixels, pose)
        if not inside.any():
            continue
        window = rc.window_around(pixels[inside], pose.size, 1, 3)
        if (window[2] - window[0]) * (window[3] - window[1]) < MAX_WINDOW_PIXELS:
            break
    cubes = [apparent_place(pose, cube.top) for cube in scene.cubes]
    real = np.concatenate([dice, *np.reshape(cubes, (-1, 1, 2))])
    rounds = [negative_places(scene, rng, real) for _ in range(NEGATIVE_ROUNDS)]
    negatives = np.concatenate(rounds)
    around = crop_pixels(pose, negatives)
    shown = ((around > window[:2]) & (around < np.array(window[2:]) - 1)).all(axis=(1, 2, 3))
    light = cycles.render(scene.world, pose, window, RAYS, seed)
    photo = random_camera(rng, light).taken(light, rng)
    crops = strips_at(photo, np.concatenate([pixels[inside], around[shown]]) - window[:2])
    labels = np.array([(die.value, die.tilt_deg) for die in scene.dice], float)[inside]
    truth = np.concatenate([labels, np.full((int(shown.sum()), 2), float(BACKGROUND))])
    return crops, parallaxes(pose, np.concatenate([dice[inside], negatives[shown]])), truth


CHUNKS: Final = Chunks(make_crops, 40, NAMES)


def make_chunk(index: int, folder: Path) -> Path:
    """Write one chunk unless it exists."""
    path = folder / f"traced_{index:05}{CHUNKS.suffix}"
    CHUNKS.draw(path, range(index * CHUNKS.scenes, (index + 1) * CHUNKS.scenes))
    return path


if __name__ == "__main__":
    args = numbered_parser(__doc__, count=40, workers=1).parse_args()
    make_files(partial(make_chunk, folder=args.folder), args.first, args.count, args.workers)
