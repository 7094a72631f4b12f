"""Crops of dice, doubling cubes and other things, cut from ray-cast scenes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats, Image, Mask, Rng
from vision.checkers.strips import strips_at
from vision.dice.classify import CUBE_CLASSES, CUBE_NUMBERS
from vision.dice.views import CROP_SIZE, crop_pixels, parallaxes
from vision.training.render import raycast as rc
from vision.training.render.photograph import random_camera
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import Scene, make_scene

NAMES: Final = ("crops", "views", "truth")
FIRST_SEED: Final = 10_000_000
"""Disjoint from the seeds of `samples.py`."""
BACKGROUND, FIRST_CUBE = 0, CUBE_CLASSES.start
"""Classes of what is neither die nor cube, and of a cube showing 2."""
POSITION_SIGMA: Final = 0.09
"""Standard deviation of a crop's offset from its die, in die sides, as for found ones."""
PAIRS: Final = 4
TIPPED_SHARE: Final = 0.4
"""Fraction of the scenes in which half of the dice lean or lie flat against something."""
MIN_NEGATIVE_DISTANCE: Final = 0.9
"""Minimum distance between a die and a crop of something else, in die sides."""
NEGATIVES: Final = 6
"""Crops of something else per scene."""

Crops = tuple[Image, Floats, Floats]
"""(N, 48, 48, 3) crops, their (N, 2) parallaxes, and (N, 2) labels."""
NO_CROPS: Final[Crops] = (
    np.zeros((0, CROP_SIZE, CROP_SIZE, 3), np.uint8),
    np.zeros((0, 2)),
    np.zeros((0, 2)),
)


def make_crops(seed: int) -> Crops:
    """The crops of one scene, labeled by class and tilt.

    Classes: 0 neither, 1..6 the faces, 7..12 cubes showing 2, 4, 8, 16, 32, 64.
    """
    rng = np.random.default_rng(FIRST_SEED + seed)
    scene = make_scene(rng, pairs=PAIRS, tipped=rng.random() < TIPPED_SHARE)
    places, truth = _places(scene, rng)
    pixels, views = crop_pixels(scene.pose, places), parallaxes(scene.pose, places)
    return photograph_crops(scene, rng, seed, pixels, views, truth)


def photograph_crops(
    scene: Scene, rng: Rng, seed: int, pixels: Floats, views: Floats, truth: Floats
) -> Crops:
    """The crops that are completely in the picture, given (N, 48, 48, 2) camera pixels of each."""
    is_whole = in_picture(pixels, scene.pose)
    if not is_whole.any():
        return NO_CROPS
    windows = [rc.window_around(crop, scene.pose.size, 1, 3) for crop in pixels[is_whole]]
    lights = [rc.render(scene.world, scene.pose, window, 2, seed) for window in windows]
    metered = np.concatenate([light.reshape(1, -1, 3) for light in lights], axis=1)
    camera = random_camera(rng, metered)
    crops = [
        strips_at(camera.taken(light, rng), crop[None] - window[:2])
        for crop, light, window in zip(pixels[is_whole], lights, windows, strict=True)
    ]
    return np.concatenate(crops), views[is_whole], truth[is_whole]


def photograph_dice(
    scene: Scene, rng: Rng, seed: int, cuts: Sequence[tuple[Floats, float, tuple[float, float]]]
) -> Crops:
    """The crops around (1, 2) places, each for dice of a given side, with their labels."""
    if not cuts:
        return NO_CROPS
    pixels = [crop_pixels(scene.pose, place, side) for place, side, _ in cuts]
    views = [parallaxes(scene.pose, place, side) for place, side, _ in cuts]
    truth = np.array([label for *_, label in cuts], float)
    return photograph_crops(scene, rng, seed, np.concatenate(pixels), np.concatenate(views), truth)


def in_picture(pixels: Floats, pose: Pose) -> Mask:
    """(N,) which of the crops with (N, 48, 48, 2) pixels are completely in the camera's picture."""
    edge = np.array(pose.size) - 3
    return np.asarray(((pixels > 2) & (pixels < edge)).all(axis=(1, 2, 3)))


def _places(scene: Scene, rng: Rng) -> tuple[Floats, Floats]:
    """(N, 2) field coordinates at a die's height to cut around, and the class and tilt of each."""
    pose = scene.pose
    places, truth = [], []
    for die in scene.dice:
        places.append(apparent_place(pose, die.top))
        truth.append((die.value, die.tilt_deg))
    for cube in scene.cubes:
        places.append(apparent_place(pose, cube.top))
        truth.append((FIRST_CUBE + CUBE_NUMBERS.index(cube.value), 0.0))
    others = negative_places(scene, rng, np.array(places).reshape(-1, 2))
    places += [*others]
    truth += [(BACKGROUND, 0.0)] * len(others)
    offsets = rng.normal(0, POSITION_SIGMA * USUAL_DIE_SIDE, (len(places), 2)) / (1, pose.aspect)
    return np.array(places) + offsets, np.array(truth, float)


def apparent_place(pose: Pose, top: tuple[float, float, float]) -> Floats:
    """(2,) field coordinates at a usual die's height that appear where a world place does."""
    pixel = pose.project(np.array([(top[0], top[1] / pose.aspect)]), top[2])
    return np.asarray(pose.locate(pixel, USUAL_DIE_SIDE)[0])


def negative_places(scene: Scene, rng: Rng, real: Floats) -> Floats:
    """(N, 2) places away from the (M, 2) `real` ones: on checkers, beside dice, anywhere.

    `real`: where the scene's dice and then its cubes appear.
    """
    pose = scene.pose
    objects = scene.world.objects
    checkers = objects[objects[:, rc.TYPE] == rc.CYLINDER]
    chosen = []
    for _ in range(NEGATIVES):
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
        elif kind < 0.65 and scene.lures:
            at = np.array(scene.lures[rng.integers(len(scene.lures))])
        elif kind < 0.8:
            boxes = objects[objects[:, rc.TYPE] == rc.BOX]
            box = boxes[rng.integers(len(boxes))]
            turn = box[rc.TURN : rc.TURN + 9].reshape(3, 3)
            aside = rng.uniform(-0.8, 0.8, 3) * (1, 1, 0) + (0, 0, 1)
            at = box[rc.CENTRE : rc.CENTRE + 3] + turn.T @ (aside * box[rc.HALF : rc.HALF + 3])
        else:
            at = np.array([rng.uniform(-0.1, 1.1), pose.aspect * rng.uniform(-0.1, 1.1), 0.0])
        chosen.append(apparent_place(pose, (float(at[0]), float(at[1]), float(at[2]))))
    places = np.array(chosen)
    far = np.linalg.norm((places[:, None] - real) * (1, pose.aspect), axis=2)
    sides = [die.side for die in scene.dice]
    sides += [cube.side for cube in scene.cubes]
    far /= np.maximum(USUAL_DIE_SIDE, sides)
    return np.asarray(places[far.min(axis=1, initial=9.0) > MIN_NEGATIVE_DISTANCE])


CHUNKS: Final = Chunks(make_crops, 100, NAMES)
