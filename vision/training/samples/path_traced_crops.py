"""Crops of dice and of what lies among them from path-traced scenes, as `die_crops.py` cuts them.

Glints and shadows are as real ones there, on dice and on checkers that pass for dice. Many dice lie
close in each scene, of two kinds, so that one small picture shows them all. Needs bpy, which wants
a numpy older than the project's: an environment of its own (`models/README.md`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from engine.arrays import Floats, Image
from vision.dice.views import crop_pixels, parallaxes
from vision.training.render import cycles
from vision.training.render.photograph import random_camera
from vision.training.samples.chunks import Chunks
from vision.training.samples.die_crops import JITTER, NAMES, NONE, other_places, seen_at, window_of
from vision.training.scenes.scenes import make_scene

CHUNK: Final = 40
FIRST_SEED: Final = 20_000_000
"""Apart from the seeds of `samples.py` and `die_crops.py`."""
PAIRS: Final = 13
RAYS: Final = 24
TRIES: Final = 8
"""Times that other places are sought: most lie outside of the part that is drawn."""
LARGEST: Final = 220_000
"""Pixels of the part that shows the dice: larger ones take too long."""


def make_crops(seed: int) -> tuple[Image, Floats, Floats]:
    """(N, 48, 48, 3) crops of one scene, their (N, 2) views and (N, 2) class and tilt.

    The dice, and such other places as the part of the picture that holds those shows too.
    """
    rng = np.random.default_rng(FIRST_SEED + seed)
    while True:
        scene = make_scene(rng, pairs=PAIRS, close=True)
        pose = replace(scene.pose, radial=0.0)
        if not scene.dice:
            continue
        dice = np.array([seen_at(pose, die.top) for die in scene.dice])
        dice += rng.normal(0, JITTER * USUAL_DIE_SIDE, dice.shape) / (1, pose.aspect)
        at = crop_pixels(pose, dice)
        inside = ((at > 2) & (at < np.array(pose.size) - 3)).all(axis=(1, 2, 3))
        window = window_of(at[inside]) if inside.any() else (0, 0, 0, 0)
        if 0 < (window[2] - window[0]) * (window[3] - window[1]) < LARGEST:
            break
    cubes = [] if scene.cube is None else [seen_at(pose, scene.cube.top)]
    real = np.concatenate([dice, *np.reshape(cubes, (-1, 1, 2))])
    others = np.concatenate([other_places(scene, rng, real) for _ in range(TRIES)])
    shown = crop_pixels(pose, others)
    among = ((shown > window[:2]) & (shown < np.array(window[2:]) - 1)).all(axis=(1, 2, 3))
    at = np.concatenate([at[inside], shown[among]])
    light = cycles.render(scene.world, pose, window, RAYS, seed)
    taken = random_camera(rng, light).taken(light, rng)
    flat = (at - window[:2]).astype(np.float32).reshape(-1, at.shape[2], 2)
    cut = cv2.remap(taken, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR,
                    borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    crops = cut.reshape(-1, at.shape[1], at.shape[2], 3).astype(np.uint8)
    told = np.array([(die.value, die.tilt_deg) for die in scene.dice], float)[inside]
    truth = np.concatenate([told, np.full((int(among.sum()), 2), float(NONE))])
    return crops, parallaxes(pose, np.concatenate([dice[inside], others[among]])), truth


CHUNKS: Final = Chunks(make_crops, NAMES, CHUNK, "traced_")

if __name__ == "__main__":
    CHUNKS.main(__doc__, workers=1)
