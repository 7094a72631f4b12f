"""Parts of one photo of a scene with the set's colours in it: written, and loaded to learn from.

What the nets of the trays, of the bar and of stacks learn from;
`vision/checkers/coloured_strips.py` is how they see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from engine.arrays import Floats, Image, Rng
from vision.training.render import raycast as rc
from vision.training.render.photograph import random_camera
from vision.training.scenes.scenes import Scene

Window = tuple[int, int, int, int]
"""Pixels left, top, right and bottom."""

Crops = tuple[Image, Floats, Floats, NDArray[np.int64]]
"""(N, h, w, 3) strips, (N, 2) lifts, (N, 2, 3) colours of light and dark and N counts."""

CHUNK: Final = 50
"""Scenes of a chunk."""
NAMES: Final = ("strips", "lifts", "colours", "counts")
KNOWN_BY: Final = 4
"""Checkers a side whose colour is looked at."""
KNOWN_PX: Final = 2
"""Pixels around their middles."""
MARGIN: Final = 8
"""Pixels around what is cut out that are drawn too: as far as a lens and a codec smear."""


def load_crops(paths: list[Path]) -> Crops:
    """The crops of some chunks, one after the other."""
    parts = [np.load(path) for path in paths]
    strips, lifts, colours, counts = (
        np.concatenate([part[name] for part in parts]) for name in NAMES
    )
    return strips, lifts, colours, counts


def cut_parts(scene: Scene, at: Floats, rng: Rng, seed: int) -> tuple[Image, Floats]:
    """(N, h, w, 3) parts of one photo and (2, 3) colours that light and dark have in it.

    `at`: (N, h, w, 2) pixels of the photo that each part shows.
    """
    spots = reference_spots(scene)
    reach = np.arange(-KNOWN_PX, KNOWN_PX + 1)
    around = np.stack(np.meshgrid(reach, reach), axis=-1)
    known = [np.rint(pixel).astype(int) + around for side in spots for pixel in side]
    window = _window(np.concatenate([part.reshape(-1, 2) for part in (at, *known)]), scene.pose)
    picture = _photographed(scene, window, (at, *known), rng, seed)
    parts = np.zeros((*at.shape[:3], 3), np.uint8)
    for part, pixels in zip(parts, at, strict=True):
        local = (pixels - window[:2]).astype(np.float32)
        cv2.remap(picture, local[..., 0], local[..., 1], cv2.INTER_LINEAR, part,
                  borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    seen = np.array([
        np.median(picture[pixels[..., 1] - window[1], pixels[..., 0] - window[0]], axis=(0, 1))
        for pixels in known
    ])  # fmt: skip
    sides = seen[: len(spots[0])], seen[len(spots[0]) :]
    return parts, np.stack([np.median(side, axis=0) for side in sides])


def reference_spots(scene: Scene) -> tuple[list[Floats], list[Floats]]:
    """Pixels of some checkers' upper faces, light's and dark's."""
    objects, pose = scene.world.objects, scene.pose
    out: tuple[list[Floats], list[Floats]] = ([], [])
    far = np.array(pose.size) - 5
    for row in objects[objects[:, rc.TYPE] == rc.CYLINDER]:
        x, y, z = row[rc.CENTRE : rc.CENTRE + 3]
        for side, paint in enumerate(scene.paints):
            if row[rc.MATERIAL] == paint and 0 < x < 1 and len(out[side]) < KNOWN_BY:
                pixel = pose.project(np.array([(x, y / pose.aspect)]), z + row[rc.HALF + 2])[0]
                if (pixel > 4).all() and (pixel < far).all():
                    out[side].append(pixel)
    return out


def _photographed(
    scene: Scene,
    window: Window,
    parts: Sequence[Floats | NDArray[np.int64]],
    rng: Rng,
    seed: int,
) -> Image:
    """A photo of the scene within `window`, true where some of the `parts` show it.

    parts: (..., 2) pixels of the photo each.
    """
    wanted = np.zeros((window[3] - window[1], window[2] - window[0]), np.uint8)
    for part in parts:
        x, y = np.rint(part.reshape(-1, 2) - window[:2]).astype(int).T
        wanted[y.clip(0, len(wanted) - 1), x.clip(0, wanted.shape[1] - 1)] = 1
    drawn = cv2.dilate(wanted, np.ones((2 * MARGIN + 1, 2 * MARGIN + 1), np.uint8)) > 0
    light = rc.render(scene.world, scene.pose, window, 1, seed, drawn)
    light[~drawn] = light[drawn].mean(axis=0)
    return random_camera(rng, light[drawn][None]).taken(light, rng)


def _window(pixels: Floats, pose: Pose) -> Window:
    low = np.floor(pixels.min(axis=0)).astype(int) - 1
    high = np.ceil(pixels.max(axis=0)).astype(int) + 2
    low, high = np.maximum(low, 0), np.minimum(high, pose.size)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])
