"""Strips of trays, full, empty or missing, from ray-cast scenes in which both sides bear off."""

from __future__ import annotations

from typing import Final

import numpy as np

from engine.arrays import Ints
from engine.position import CHECKERS
from vision.checkers.trays import (
    MIN_VISIBLE_TRAY,
    TRAY_CORNERS,
    shares_in_picture,
    tray_parallaxes,
    tray_pixels,
)
from vision.training.samples.coloured_crops import (
    NAMES,
    SCENES_PER_CHUNK,
    Crops,
    cut_parts,
    reference_spots,
)
from vision.training.samples.samples import perturb_fit
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import Scene, make_scene

FIRST_SEED: Final = 20_000_000
"""Disjoint from the seeds of all other samples."""
AS_PLAYED_SHARE: Final = 0.15
"""Fraction of the scenes whose trays hold what the position's sides have borne off; the others' are
full."""
KEPT_EMPTY_SHARE: Final = 0.3
"""Fraction kept of the scenes without a checker in a tray."""


def make_crops(seed: int) -> Crops:
    """(N, 256, 96, 3) strips of one scene, (N, 2) lifts, (N, 2, 3) colors and (N, 2) truths.

    A truth is the signed count and whether there is a tray.
    """
    rng = np.random.default_rng(FIRST_SEED + seed)
    while True:
        scene = make_scene(rng, bears_off=True, full_trays=rng.random() > AS_PLAYED_SHARE)
        light, dark = reference_spots(scene)
        if light and dark and (scene.off or rng.random() < KEPT_EMPTY_SHARE):
            break
    found, _ = perturb_fit(rng, scene.pose, scene.layout)
    kept = np.flatnonzero(shares_in_picture(found) > MIN_VISIBLE_TRAY)
    strips, colours = cut_parts(scene, tray_pixels(found)[kept], rng, seed)
    every_colours = np.repeat(colours[None], len(kept), axis=0)
    return strips, tray_parallaxes(found)[kept], every_colours, _truths(scene)[kept]


def _truths(scene: Scene) -> Ints:
    """(4, 2) signed checkers in each strip, of the more numerous color; is there a tray."""
    out = np.zeros((len(TRAY_CORNERS), 2), np.int64)
    for x, y, side in scene.off:
        out[TRAY_CORNERS.index((int(x > 0.5), int(y > scene.pose.aspect / 2))), side] += 1
    out = np.minimum(out, CHECKERS)  # heaps may extend in from the other end
    counts = np.where(out[:, 0] >= out[:, 1], out[:, 0], -out[:, 1])
    return np.column_stack([counts, [scene.trays[right] for right, _ in TRAY_CORNERS]])


CHUNKS: Final = Chunks(make_crops, SCENES_PER_CHUNK, NAMES)
