"""Points with their checkers, cut at large scale from ray-cast scenes, most of them crowded."""

from __future__ import annotations

from itertools import compress
from typing import Final

import numpy as np

from calibration.grid import Grid
from engine.arrays import Floats, Rng
from vision.checkers.stacks import MIN_VISIBLE_POINT, stack_parallaxes, stack_pixels
from vision.checkers.strips import visible_shares
from vision.training.samples.coloured_crops import (
    NAMES,
    SCENES_PER_CHUNK,
    Crops,
    cut_parts,
    reference_spots,
)
from vision.training.samples.samples import perturb_fit
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import Scene, random_scene

FIRST_SEED: Final = 60_000_000
"""Disjoint from the seeds of all other samples."""
SCENE_KINDS: Final = {"crowded": 0.55, "bears_off": 0.2, "heads": 0.07}
"""Fractions of the scenes made with these arguments of `make_scene`; the others use none."""
KEPT_SHARES: Final = (0.25, 0.7, 0.7, 0.9)
"""Fractions kept of the points with 0..3 checkers; all others are kept."""


def make_crops(seed: int) -> Crops:
    """(N, 312, 64, 3) strips of one scene, (N, 2) lifts, (N, 2, 3) colors and (N,) counts.

    The first color is that of the counted checkers, the second the other side's.
    """
    rng = np.random.default_rng(FIRST_SEED + seed)
    while True:
        scene = random_scene(rng, SCENE_KINDS)
        grid = Grid(*perturb_fit(rng, scene.pose, scene.layout))
        light, dark = reference_spots(scene)
        points, at = _chosen(rng, scene, grid)
        if light and dark and len(points):
            break
    strips, colours = cut_parts(scene, at, rng, seed)
    signed = np.array([scene.points[point - 1] for point in points])
    sides = np.where(signed == 0, rng.integers(0, 2, len(signed)), signed < 0)
    own_first = np.stack([colours[[side, 1 - side]] for side in sides])
    return strips, stack_parallaxes(grid, points), own_first, np.abs(signed)


def _chosen(rng: Rng, scene: Scene, grid: Grid) -> tuple[list[int], Floats]:
    """Points completely in the picture, all tall ones and most of the others, and their pixels."""
    rare = rng.random(24)
    points = [
        index + 1
        for index, count in enumerate(scene.points)
        if abs(count) >= len(KEPT_SHARES) or rare[index] < KEPT_SHARES[abs(count)]
    ]
    at = stack_pixels(grid, points)
    is_inside = visible_shares(at, scene.pose.size) > MIN_VISIBLE_POINT
    return list(compress(points, is_inside)), at[is_inside]


CHUNKS: Final = Chunks(make_crops, SCENES_PER_CHUNK, NAMES)
