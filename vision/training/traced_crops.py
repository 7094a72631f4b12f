"""Crops of dice from path-traced scenes, as `die_crops.py` cuts them: real glints, real shadows.

Many dice lie close in each scene, of two kinds, so that one small picture shows them all. Needs
bpy, which wants a numpy older than the project's: an environment of its own (`models/README.md`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.die_crop import crop_pixels, views
from vision.die_rest import SIDE
from vision.training import cycles
from vision.training.chunks import Chunks
from vision.training.die_crops import JITTER, NAMES, seen_at, window_of
from vision.training.photograph import some_camera
from vision.training.scenes import make_scene

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

CHUNK: Final = 40
FIRST_SEED: Final = 20_000_000
"""Apart from the seeds of `samples.py` and `die_crops.py`."""
PAIRS: Final = 13
RAYS: Final = 24
LARGEST: Final = 220_000
"""Pixels of the part that shows the dice: larger ones take too long."""


def crops_of(seed: int) -> tuple[Image, Floats, Floats]:
    """(N, 48, 48, 3) crops of one scene's dice, (N, 2) views, (N, 2) value and tilt."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    while True:
        scene = make_scene(rng, pairs=PAIRS, close=True)
        pose = replace(scene.pose, radial=0.0)
        if not scene.dice:
            continue
        places = np.array([seen_at(pose, die.top) for die in scene.dice])
        places += rng.normal(0, JITTER * SIDE, places.shape) / (1, pose.aspect)
        at = crop_pixels(pose, places)
        inside = ((at > 2) & (at < np.array(pose.size) - 3)).all(axis=(1, 2, 3))
        window = window_of(at[inside]) if inside.any() else (0, 0, 0, 0)
        if 0 < (window[2] - window[0]) * (window[3] - window[1]) < LARGEST:
            break
    light = cycles.render(scene.world, pose, window, RAYS, seed)
    taken = some_camera(rng, light).taken(light, rng)
    flat = (at[inside] - window[:2]).astype(np.float32).reshape(-1, at.shape[2], 2)
    cut = cv2.remap(taken, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR,
                    borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    truth = np.array([(die.value, die.tilt_deg) for die in scene.dice], float)
    crops = cut.reshape(-1, at.shape[1], at.shape[2], 3).astype(np.uint8)
    return crops, views(pose, places[inside]), truth[inside]


CHUNKS: Final = Chunks(crops_of, NAMES, CHUNK, "traced_")

if __name__ == "__main__":
    CHUNKS.main(__doc__, workers=1)
