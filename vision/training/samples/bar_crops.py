"""Strips of bars, empty and with checkers of one color or both, cut from ray-cast scenes."""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.grid import Grid
from engine.arrays import Rng
from vision.checkers.bar import bar_parallax, bar_pixels
from vision.training.samples.coloured_crops import (
    NAMES,
    SCENES_PER_CHUNK,
    Crops,
    cut_parts,
    reference_spots,
)
from vision.training.samples.samples import perturb_fit
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import Scene, make_scene, seen_anew

FIRST_SEED: Final = 40_000_000
"""Disjoint from the seeds of all other samples."""
KEPT_EMPTY_SHARE: Final = 0.3
"""Fraction kept of the scenes with an empty bar; about three in ten bars hold checkers."""
VIEWS: Final = 3
"""Photos of one scene, each under other lamps and by another camera."""


def make_crops(seed: int) -> Crops:
    """(N, 384, 48, 3) strips of one scene, (N, 2) lifts, (N, 2, 3) colors and (N, 2) counts."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    while True:
        scene = make_scene(rng)
        is_kept = any(scene.bar) or rng.random() < KEPT_EMPTY_SHARE
        if is_kept and all(reference_spots(scene)):
            break
    views = list[Crops]()
    while len(views) < VIEWS:
        if all(reference_spots(scene)):
            views.append(_crops(scene, rng, seed * VIEWS + len(views)))
        scene = seen_anew(scene, rng)
    strips, lifts, colours, counts = (np.concatenate(parts) for parts in zip(*views, strict=True))
    return strips, lifts, colours, counts


def _crops(scene: Scene, rng: Rng, seed: int) -> Crops:
    """The strip of one view."""
    grid = Grid(*perturb_fit(rng, scene.pose, scene.layout))
    places = bar_pixels(grid)
    pixels = grid.pose.project(grid.to_field(places.reshape(-1, 2).astype(float)), grid.height)
    strips, colours = cut_parts(scene, pixels.reshape(1, *places.shape), rng, seed)
    return strips, bar_parallax(grid)[None], colours[None], np.array([scene.bar], np.int64)


CHUNKS: Final = Chunks(make_crops, SCENES_PER_CHUNK, NAMES)
