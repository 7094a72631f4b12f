"""Strips of trays, full and empty, cut from ray-cast scenes in which both sides bear off."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from vision.training import raycast as rc
from vision.training.chunks import make_chunks, write_chunk
from vision.training.photograph import some_camera
from vision.training.samples import mistaken
from vision.training.scenes import Scene, make_scene
from vision.tray_strips import CORNERS, shares_in_picture, tray_lifts, tray_pixels

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
Chance = np.random.Generator
Window = tuple[int, int, int, int]

CHUNK: Final = 50
NAMES: Final = ("strips", "lifts", "colours", "counts")
FIRST_SEED: Final = 20_000_000
"""Apart from the seeds of `samples.py` and `die_crops.py`."""
EMPTY: Final = 0.1
"""Share of the scenes without a checker in a tray that are kept."""
SEEN: Final = 0.8
"""Share of a strip that is in the picture at least."""
KNOWN_BY: Final = 4
"""Checkers a side whose colour is looked at."""

Crops = tuple[Image, Floats, Floats, NDArray[np.int64]]


def crops_of(seed: int) -> Crops:
    """(N, 176, 64, 3) strips of one scene, (N, 2) lifts, (N, 2, 3) colours and (N,) counts."""
    rng = np.random.default_rng(FIRST_SEED + seed)
    while True:
        scene = make_scene(rng, bears_off=True)
        light, dark = _references(scene)
        if light and dark and (scene.off or rng.random() < EMPTY):
            break
    found, _ = mistaken(rng, scene.pose, scene.layout)
    kept = np.flatnonzero(shares_in_picture(found) > SEEN)
    at = tray_pixels(found)[kept]
    windows = [_window(pixels, scene.pose) for pixels in at]
    spots = [_window(np.stack([pixel - 2, pixel + 2]), scene.pose) for pixel in light + dark]
    taken = _photographed(scene, windows + spots, rng, seed)
    strips = np.zeros((*at.shape[:3], 3), np.uint8)
    for strip, pixels, window, picture in zip(strips, at, windows, taken, strict=False):
        local = (pixels - window[:2]).astype(np.float32)
        cv2.remap(picture, local[..., 0], local[..., 1], cv2.INTER_LINEAR, strip,
                  borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    seen = np.array([np.median(part, axis=(0, 1)) for part in taken[len(windows) :]])
    sides = seen[: len(light)], seen[len(light) :]
    colours = np.stack([np.median(side, axis=0) for side in sides])
    return strips, tray_lifts(found)[kept], np.repeat(colours[None], len(kept), axis=0), (
        _counts(scene)[kept]
    )  # fmt: skip


def _photographed(scene: Scene, windows: list[Window], rng: Chance, seed: int) -> list[Image]:
    """Parts of one photo of the scene."""
    lights = [rc.render(scene.world, scene.pose, window, 1, seed) for window in windows]
    camera = some_camera(rng, np.concatenate([one.reshape(1, -1, 3) for one in lights], axis=1))
    return [camera.taken(light, rng) for light in lights]


def _references(scene: Scene) -> tuple[list[Floats], list[Floats]]:
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


def _counts(scene: Scene) -> NDArray[np.int64]:
    """(4,) signed checkers in each strip; of two colours the more numerous."""
    out = np.zeros((len(CORNERS), 2), np.int64)
    for x, y, side in scene.off:
        out[CORNERS.index((int(x > 0.5), int(y > scene.pose.aspect / 2))), side] += 1
    return np.where(out[:, 0] >= out[:, 1], out[:, 0], -out[:, 1])


def _window(pixels: Floats, pose: Pose) -> Window:
    low = np.floor(pixels.reshape(-1, 2).min(axis=0)).astype(int) - 1
    high = np.ceil(pixels.reshape(-1, 2).max(axis=0)).astype(int) + 2
    low, high = np.maximum(low, 0), np.minimum(high, pose.size)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def make_chunk(index: int, folder: Path) -> Path:
    """Writes the strips of one chunk unless they are there."""
    seeds = range(index * CHUNK, (index + 1) * CHUNK)
    return write_chunk(folder / f"trays_{index:05}.npz", NAMES, crops_of, seeds)


if __name__ == "__main__":
    make_chunks(__doc__, make_chunk, CHUNK)
