"""Parts of one photo of a scene, with the set's colors in it: cut, loaded and augmented.

The nets for trays, bar and stacks learn from them; `vision/checkers/strips.py` turns them into
their input.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Image, Ints, Rng
from vision.checkers.strips import strips_at
from vision.training.render import raycast as rc
from vision.training.render.photograph import random_camera
from vision.training.scenes.scenes import Scene

Crops = tuple[Image, Floats, Floats, Ints]
"""(N, h, w, 3) strips, (N, 2) lifts, (N, 2, 3) colors of light and dark and N counts."""

SCENES_PER_CHUNK: Final = 50
NAMES: Final = ("strips", "lifts", "colours", "counts")
REFERENCE_CHECKERS: Final = 4
"""Number of checkers per side whose color is measured."""
REFERENCE_RADIUS: Final = 2
"""Pixels around their centers."""
RENDER_MARGIN: Final = 8
"""Pixels around a part that are rendered too: as far as a lens and a codec smear."""
MAX_SHIFT: Final = 4
"""Maximum shift of strips, in pixels."""
COLOUR_SIGMA: Final = 5.0
"""Spread of the set's colors as measured on the field, of 255."""


def cut_parts(scene: Scene, at: Floats, rng: Rng, seed: int) -> tuple[Image, Floats]:
    """(N, h, w, 3) parts of one photo, and (2, 3) colors of light and dark in it.

    `at`: (N, h, w, 2) pixels of the photo that each part shows.
    """
    spots = reference_spots(scene)
    reach = np.arange(-REFERENCE_RADIUS, REFERENCE_RADIUS + 1)
    around = np.stack(np.meshgrid(reach, reach), axis=-1)
    known = [np.rint(pixel).astype(int) + around for side in spots for pixel in side]
    shown = np.concatenate([part.reshape(-1, 2) for part in (at, *known)])
    window = rc.window_around(shown, scene.pose.size, before=1, after=2)
    picture = _photographed(scene, window, (at, *known), rng, seed)
    colours = np.array([
        np.median(picture[pixels[..., 1] - window[1], pixels[..., 0] - window[0]], axis=(0, 1))
        for pixels in known
    ])  # fmt: skip
    sides = np.split(colours, [len(spots[0])])
    return strips_at(picture, at - window[:2]), np.stack([np.median(s, axis=0) for s in sides])


def reference_spots(scene: Scene) -> tuple[list[Floats], list[Floats]]:
    """Pixels of some checkers' upper faces, for light and dark."""
    objects, pose = scene.world.objects, scene.pose
    out: tuple[list[Floats], list[Floats]] = ([], [])
    far = np.array(pose.size) - 5
    for row in objects[objects[:, rc.TYPE] == rc.CYLINDER]:
        x, y, z = row[rc.CENTRE : rc.CENTRE + 3]
        for side, paint in enumerate(scene.paints):
            if row[rc.MATERIAL] == paint and 0 < x < 1 and len(out[side]) < REFERENCE_CHECKERS:
                pixel = pose.project(np.array([(x, y / pose.aspect)]), z + row[rc.HALF + 2])[0]
                if (pixel > 4).all() and (pixel < far).all():
                    out[side].append(pixel)
    return out


def _photographed(
    scene: Scene, window: rc.Window, parts: Sequence[Floats | Ints], rng: Rng, seed: int
) -> Image:
    """A photo of the scene within `window`, rendered around the `parts`, (..., 2) pixels each."""
    wanted = np.zeros((window[3] - window[1], window[2] - window[0]), np.uint8)
    for part in parts:
        x, y = np.rint(part.reshape(-1, 2) - window[:2]).astype(int).T
        wanted[y.clip(0, len(wanted) - 1), x.clip(0, wanted.shape[1] - 1)] = 1
    side = 2 * RENDER_MARGIN + 1
    is_drawn = cv2.dilate(wanted, np.ones((side, side), np.uint8)) > 0
    light = rc.render(scene.world, scene.pose, window, 1, seed, is_drawn)
    light[~is_drawn] = light[is_drawn].mean(axis=0)
    return random_camera(rng, light[is_drawn][None]).taken(light, rng)


def random_shift(strips: Image, rng: Rng) -> Image:
    """(N, h, w, 3) strips, all shifted by the same few pixels."""
    dx, dy = (int(way) for way in rng.integers(-MAX_SHIFT, MAX_SHIFT + 1, 2))
    move = np.array([(1, 0, dx), (0, 1, dy)], float)
    height, width = strips.shape[1:3]
    return np.stack([
        cv2.warpAffine(strip, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
        for strip in strips
    ]).astype(np.uint8)  # fmt: skip


def recolour(strips: Image, colours: Floats, rng: Rng) -> tuple[Image, Floats]:
    """The strips and their set's colors under another lamp and in other paints."""
    count = len(strips)
    order = np.argsort(rng.random((count, 3)), axis=1)
    gain = rng.uniform(0.75, 1.25, (count, 1, 3))
    bend = np.exp(rng.normal(0, 0.2, (count, 1, 1)))

    def changed(values: Floats) -> Floats:
        return np.asarray(255 * (np.clip(values * gain, 0, 255) / 255) ** bend)

    every = np.broadcast_to(np.arange(256.0)[None, :, None], (count, 256, 3))
    tables = changed(every).astype(np.uint8)[:, None]
    painted = np.stack([
        cv2.LUT(np.ascontiguousarray(strip[..., places]), table)
        for strip, places, table in zip(strips, order, tables, strict=True)
    ])  # fmt: skip
    known = changed(np.take_along_axis(colours, order[:, None], axis=2))
    return painted.astype(np.uint8), known + rng.normal(0, COLOUR_SIGMA, known.shape)
