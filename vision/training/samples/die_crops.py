"""Crops of dice, of doubling cubes and of what is neither, cut from ray-cast scenes."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Image, Rng
from vision.dice.views import CROP_SIZE, crop_pixels, parallaxes
from vision.training.render import raycast as rc
from vision.training.render.photograph import random_camera
from vision.training.samples.chunks import Chunks
from vision.training.scenes.scenes import Scene, make_scene

CHUNK: Final = 100
NAMES: Final = ("crops", "views", "truth")
FIRST_SEED: Final = 10_000_000
"""Apart from the seeds of `samples.py`."""
NONE: Final = 0
CUBE: Final = 7
CUBE_NUMBERS: Final = (2, 4, 8, 16, 32, 64)
JITTER: Final = 0.09
"""Die sides by which a crop lies beside its die (standard deviation), as found ones do."""
PAIRS: Final = 4
TIPPED_SCENES: Final = 0.4
"""Share of the scenes in which half of the dice lean or lie flat against something."""
CLEAR: Final = 0.9
"""Die sides between a die and what is cut out as none."""
OTHERS: Final = 6
"""Crops of something else a scene."""


def make_crops(seed: int) -> tuple[Image, Floats, Floats]:
    """(N, 48, 48, 3) crops of one scene, their (N, 2) views and (N, 2) class and tilt.

    Classes: 0 neither, 1..6 the faces, 7..12 cubes that show 2, 4, 8, 16, 32, 64.
    """
    rng = np.random.default_rng(FIRST_SEED + seed)
    scene = make_scene(rng, pairs=PAIRS, tipped=rng.random() < TIPPED_SCENES)
    places, truth = _spots(scene, rng)
    spots = crop_pixels(scene.pose, places)
    return photograph_crops(
        scene, rng, seed, list(spots), list(parallaxes(scene.pose, places)), list(truth)
    )


def photograph_crops(
    scene: Scene,
    rng: Rng,
    seed: int,
    spots: list[Floats],
    looks: list[Floats],
    truth: list[Any],
) -> tuple[Image, Floats, Floats]:
    """(N, 48, 48, 3) crops, (N, 2) views and (N, 2) truth of those that the picture shows whole.

    spots: the (48, 48, 2) camera pixels of each crop.
    """
    edge = np.array(scene.pose.size) - 3
    whole = [n for n, at in enumerate(spots) if ((at > 2) & (at < edge)).all()]
    if not whole:
        return np.zeros((0, CROP_SIZE, CROP_SIZE, 3), np.uint8), np.zeros((0, 2)), np.zeros((0, 2))
    windows = [window_of(spots[n]) for n in whole]
    lights = [rc.render(scene.world, scene.pose, window, 2, seed) for window in windows]
    camera = random_camera(
        rng, np.concatenate([light.reshape(1, -1, 3) for light in lights], axis=1)
    )
    crops = []
    for n, light, window in zip(whole, lights, windows, strict=True):
        local = (spots[n] - window[:2]).astype(np.float32)
        crops.append(cv2.remap(camera.taken(light, rng), local[..., 0], local[..., 1],
                               cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))  # fmt: skip
    told = np.array([truth[n] for n in whole], float)
    return np.stack(crops).astype(np.uint8), np.array([looks[n] for n in whole]), told


def window_of(pixels: Floats) -> tuple[int, int, int, int]:
    """The part of the picture, as `raycast.render` takes it, that holds (..., 2) pixels."""
    low = np.floor(pixels.reshape(-1, 2).min(axis=0)).astype(int) - 1
    high = np.ceil(pixels.reshape(-1, 2).max(axis=0)).astype(int) + 3
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _spots(scene: Scene, rng: Rng) -> tuple[Floats, Floats]:
    """(N, 2) field places at a die's height to cut around, and class and tilt of each."""
    pose = scene.pose
    places, truth = [], []
    for die in scene.dice:
        places.append(seen_at(pose, die.top))
        truth.append((die.value, die.tilt_deg))
    if scene.cube is not None:
        places.append(seen_at(pose, scene.cube.top))
        truth.append((CUBE + CUBE_NUMBERS.index(scene.cube.value), 0.0))
    others = other_places(scene, rng, np.array(places).reshape(-1, 2))
    places += [*others]
    truth += [(NONE, 0.0)] * len(others)
    jitter = rng.normal(0, JITTER * USUAL_DIE_SIDE, (len(places), 2)) / (1, pose.aspect)
    return np.array(places) + jitter, np.array(truth, float)


def seen_at(pose: Pose, top: tuple[float, float, float]) -> Floats:
    """(2,) field place, at a usual die's height, at which a place of the world is seen."""
    pixel = pose.project(np.array([(top[0], top[1] / pose.aspect)]), top[2])
    return np.asarray(pose.locate(pixel, USUAL_DIE_SIDE)[0])


def other_places(scene: Scene, rng: Rng, real: Floats) -> Floats:
    """(N, 2) places where no die is: middles and rims of checkers, beside dice, anywhere.

    real: (M, 2) places of the dice and the cube.
    """
    pose = scene.pose
    objects = scene.world.objects
    checkers = objects[objects[:, rc.TYPE] == rc.CYLINDER]
    chosen = []
    for _ in range(OTHERS):
        kind = rng.random()
        if kind < 0.35 and len(checkers):
            checker = checkers[rng.integers(len(checkers))]
            aside = rng.normal(0, 0.3, 2) * checker[4] * (rng.random() < 0.5)
            at = checker[1:4] + np.array([aside[0], aside[1], checker[6]])
        elif kind < 0.5 and scene.dice:
            die = scene.dice[rng.integers(len(scene.dice))]
            way = rng.uniform(0, 2 * np.pi)
            at = np.array(die.top) + np.array([np.cos(way), np.sin(way), 0]) * die.side * (
                rng.uniform(1.0, 1.6))  # fmt: skip
        elif kind < 0.8:
            boxes = objects[objects[:, rc.TYPE] == rc.BOX]
            box = boxes[rng.integers(len(boxes))]
            turn = box[rc.TURN : rc.TURN + 9].reshape(3, 3)
            aside = rng.uniform(-0.8, 0.8, 3) * (1, 1, 0) + (0, 0, 1)
            at = box[rc.CENTRE : rc.CENTRE + 3] + turn.T @ (aside * box[rc.HALF : rc.HALF + 3])
        else:
            at = np.array([rng.uniform(-0.1, 1.1), pose.aspect * rng.uniform(-0.1, 1.1), 0.0])
        chosen.append(seen_at(pose, (float(at[0]), float(at[1]), float(at[2]))))
    places = np.array(chosen)
    far = np.linalg.norm((places[:, None] - real) * (1, pose.aspect), axis=2)
    return np.asarray(places[far.min(axis=1, initial=9.0) > CLEAR * USUAL_DIE_SIDE])


CHUNKS: Final = Chunks(make_crops, NAMES, CHUNK)

if __name__ == "__main__":
    CHUNKS.main(__doc__)
