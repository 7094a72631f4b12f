"""Samples of whole scenes, with their labels; rendered once, stored in chunks.

One scene gives the rectified board (for the checkers' net), the board at die scale (for the dice
finder) and the whole picture scaled down (for the board finder), all from one camera.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from calibration.grid import Grid
from calibration.layout import USUAL_DIE_SIDE, Layout
from calibration.pose import Pose
from engine.arrays import Floats, Image, Rng
from vision.checkers.strips import strip_parallaxes
from vision.dice.candidates import FINDER_DIE_PIXELS
from vision.dice.views import DicePlane, dice_plane
from vision.training.render.photograph import random_camera
from vision.training.render.raycast import render, window_around
from vision.training.scenes.chunks import Chunks
from vision.training.scenes.scenes import random_scene

SCENES_PER_CHUNK: Final = 50
SCENE_KINDS: Final = {"crowded": 0.3, "bears_off": 0.1, "heads": 0.03}
"""Fractions of the scenes made with these arguments of `make_scene`; the others use none."""
SMALL_SIDE: Final = 320
"""Long side of the small picture, in pixels."""
FIELD_MARGIN: Final = 0.14
"""Field widths around the field that are rendered at full size."""
DIE_SIDE: Final = 14
"""Pixels of a usual die's side in a sample's plane."""
JPEG_OPTIONS: Final = [cv2.IMWRITE_JPEG_QUALITY, 96]


@dataclass(frozen=True, slots=True, eq=False)
class SceneSample:
    """One scene; pictures are JPEG files in bytes."""

    board: bytes
    """The rectified board by a pose with small errors, as found ones have."""
    layout: Layout
    field_size: tuple[int, int]
    """Size of the rectified field, in pixels."""
    lifts: Floats
    """(26, 2) shift due to one checker's thickness on each point 1..24 and on the bar's near and
    far half, in rectified pixels."""
    points: list[int]
    bar: tuple[int, int]
    plane: bytes
    """The board at die scale."""
    dice: Floats
    """(N, 5) x, y in the plane's pixels, value, tilt in degrees, side in those pixels."""
    cube: Floats
    """(0 or 1, 4) x, y, value, side in the plane's pixels."""
    small: bytes
    """The whole picture; empty if it was left out."""
    corners: Floats
    """(4, 2) corners of the field in the small picture, in the order of `Pose.corners`."""
    bar_ends: Floats
    """(2, 2) ends of the bar's center line in it."""
    tips: Floats
    """(24, 2) points' narrow ends in it."""
    covered: Floats
    """(26,) fraction of each strip that a hand hides."""
    tilt: float


def make_sample(seed: int, *, whole_picture: bool = True) -> SceneSample:
    """The sample for one seed, with or without the whole picture, which only the finder needs."""
    rng = np.random.default_rng(seed)
    while True:
        scene = random_scene(rng, SCENE_KINDS)
        pose, size = scene.pose, np.array(scene.pose.size)
        if ((pose.corners() > -0.06 * size) & (pose.corners() < 1.06 * size)).all():
            break
    reach = FIELD_MARGIN / pose.aspect
    corners = [(x, y) for x in (-FIELD_MARGIN, 1 + FIELD_MARGIN) for y in (-reach, 1 + reach)]
    both = [pose.project(np.array(corners), height) for height in (0.0, 0.06)]
    window = window_around(np.concatenate(both), pose.size)
    rays = 1 if pose.size[0] > 1000 else 2  # the larger one is averaged when rectified
    light = render(scene.world, pose, window, rays, seed * 2 + 1)
    camera = random_camera(rng, light)
    part = camera.taken(light, rng)
    whole = np.zeros((pose.size[1], pose.size[0], 3), np.uint8)
    whole[window[1] : window[3], window[0] : window[2]] = part
    scale = SMALL_SIDE / max(pose.size)
    small_pose = pose.resized((round(pose.size[0] * scale), round(pose.size[1] * scale)))
    small = b""
    if whole_picture:
        little = render(scene.world, small_pose, (0, 0, *small_pose.size), 4, seed * 2 + 2)
        small = _packed(camera.taken(little, rng, small_pose.size[0] / pose.size[0]))
    found, layout = perturb_fit(rng, pose, scene.layout)
    grid = Grid(found, layout)
    plane = dice_plane(found, DIE_SIDE, FIELD_MARGIN)
    dice = [
        (*_on_plane(pose, plane, die.top), die.value, die.tilt_deg, die.side * plane.scale)
        for die in scene.dice
    ]
    cubes = [
        (*_on_plane(pose, plane, cube.top), cube.value, cube.side * plane.scale)
        for cube in scene.cubes
    ]
    return SceneSample(
        board=_packed(grid.rectify(whole)), layout=layout, field_size=grid.field_size,
        lifts=strip_parallaxes(grid), points=scene.points, bar=scene.bar,
        plane=_packed(plane.rectify(whole)), dice=np.array(dice, float).reshape(-1, 5),
        cube=np.array(cubes, float).reshape(-1, 4), small=small, corners=small_pose.corners(),
        bar_ends=small_pose.project(np.array([(0.5, 0.0), (0.5, 1.0)])),
        tips=small_pose.project(np.array([scene.layout.tip(p) for p in range(1, 25)])),
        covered=scene.covered, tilt=pose.tilt,
    )  # fmt: skip


def decode(picture: bytes) -> Image:
    """(h, w, 3) BGR of a sample's picture."""
    return np.asarray(cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def finder_plane(plane: Image) -> tuple[Image, float]:
    """A sample's plane at the dice finder's scale, and the scale factor."""
    scale = FINDER_DIE_PIXELS / DIE_SIDE
    size = (round(plane.shape[1] * scale) // 16 * 16, round(plane.shape[0] * scale) // 16 * 16)
    move = np.array([(scale, 0, (scale - 1) / 2), (0, scale, (scale - 1) / 2)])
    return np.asarray(cv2.warpAffine(plane, move, size, flags=cv2.INTER_LINEAR), np.uint8), scale


def _packed(picture: Image) -> bytes:
    return bytes(cv2.imencode(".jpg", picture, JPEG_OPTIONS)[1])


def perturb_fit(rng: Rng, pose: Pose, layout: Layout) -> tuple[Pose, Layout]:
    """Pose and layout as a fit would give them: off by about a pixel, sometimes by several."""
    size = rng.choice([0.3, 1.0, 1.0, 2.5]) * 0.0025
    shift = np.array(pose.translation) + rng.normal(0, size, 3) * (1, 1, 2)
    spin = np.array(pose.rotation) + rng.normal(0, size * 0.7, 3)
    moved = replace(
        pose, translation=(float(shift[0]), float(shift[1]), float(shift[2])),
        rotation=(float(spin[0]), float(spin[1]), float(spin[2])),
        aspect=pose.aspect + float(rng.normal(0, size * 1.5)),
    )  # fmt: skip
    bar = float(np.clip(layout.bar + rng.normal(0, 0.003), 0.004, 0.12))
    return moved, replace(layout, bar=bar)


def _on_plane(pose: Pose, plane: DicePlane, top: tuple[float, float, float]) -> Floats:
    """(2,) pixel of the plane that shows a world place."""
    pixel = pose.project(np.array([(top[0], top[1] / pose.aspect)]), top[2])
    return np.asarray(plane.to_pixels(plane.pose.locate(pixel, USUAL_DIE_SIDE))[0])


CHUNKS: Final = Chunks(make_sample, SCENES_PER_CHUNK)
