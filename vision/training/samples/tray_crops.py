"""Strips of trays, full, empty or not there, cut from ray-cast scenes in which both bear off."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.position import CHECKERS
from vision.checkers.trays import (
    MIN_VISIBLE_TRAY,
    TRAY_CORNERS,
    shares_in_picture,
    tray_parallaxes,
    tray_pixels,
)
from vision.training.samples.chunks import Chunks
from vision.training.samples.coloured_crops import CHUNK, NAMES, Crops, cut_parts, reference_spots
from vision.training.samples.samples import perturb_fit
from vision.training.scenes.scenes import Scene, make_scene

FIRST_SEED: Final = 20_000_000
"""Apart from the seeds of `samples.py` and `die_crops.py`."""
AS_PLAYED: Final = 0.15
"""Share of the scenes in whose trays lies what the position says; the others' are full."""
EMPTY: Final = 0.3
"""Share of the scenes without a checker in a tray that are kept."""


def make_crops(seed: int) -> Crops:
    """(N, 256, 96, 3) strips of one scene, (N, 2) lifts, (N, 2, 3) colours and (N, 2) truths.

    A truth is the signed count and whether there is a tray.
    """
    rng = np.random.default_rng(FIRST_SEED + seed)
    while True:
        scene = make_scene(rng, bears_off=True, full_trays=rng.random() > AS_PLAYED)
        light, dark = reference_spots(scene)
        if light and dark and (scene.off or rng.random() < EMPTY):
            break
    found, _ = perturb_fit(rng, scene.pose, scene.layout)
    kept = np.flatnonzero(shares_in_picture(found) > MIN_VISIBLE_TRAY)
    strips, colours = cut_parts(scene, tray_pixels(found)[kept], rng, seed)
    return strips, tray_parallaxes(found)[kept], np.repeat(colours[None], len(kept), axis=0), (
        _truths(scene)[kept]
    )  # fmt: skip


def _truths(scene: Scene) -> NDArray[np.int64]:
    """(4, 2) signed checkers in each strip, of two colours the more numerous; is there a tray."""
    out = np.zeros((len(TRAY_CORNERS), 2), np.int64)
    for x, y, side in scene.off:
        out[TRAY_CORNERS.index((int(x > 0.5), int(y > scene.pose.aspect / 2))), side] += 1
    out = np.minimum(out, CHECKERS)  # heaps may reach in from the other end
    counts = np.where(out[:, 0] >= out[:, 1], out[:, 0], -out[:, 1])
    return np.column_stack([counts, [scene.trays[right] for right, _ in TRAY_CORNERS]])


CHUNKS: Final = Chunks(make_crops, NAMES, CHUNK, "trays_")

if __name__ == "__main__":
    CHUNKS.main(__doc__)
