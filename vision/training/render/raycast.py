"""A small ray caster for board scenes: cylinders, rounded boxes and capsules over two planes.

World units are field widths, Z up, as in `calibration/pose.py`; the felt is Z = 0. Light comes
from a few round lamps (soft shadows, one ray per sample) and from all around (one ray per sample
finds what is hidden from it). Objects are in a flat grid that rays traverse (Amanatides, Woo 1987).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import cuda

from calibration.pose import Pose
from engine.arrays import Floats, Floats32, Ints, Mask
from vision.training.render import raycast_cuda, raycast_kernels
from vision.training.render.raycast_kernels import (
    CELL,
    CELLS,
    LOW,
    fill_cells,
    trace,
)

CYLINDER, BOX, CAPSULE = 0.0, 1.0, 2.0
PLAIN, CHECKER, DIE, CUBE = 0.0, 1.0, 2.0, 3.0
Window = tuple[int, int, int, int]
"""The pixels left <= x < right and top <= y < bottom of a picture."""
Bounds = tuple[float, float, float, float]
"""X0, Y0, X1, Y1 in the world, in field widths."""

# Columns of an object, then of a material.
TYPE, CENTRE, HALF, TURN, MATERIAL, SHIFT, GAIN, BOUND = 0, 1, 4, 7, 16, 17, 19, 20
OBJECT_COLUMNS: Final = 21
FACE_PX: Final = 96
"""Side of a face's texture, in pixels."""
KIND, FIRST, SECOND, NOISE, SCALE, AMOUNT, GLOSS, SHINE, TEXTURE, BEVEL, FELT_GLOSS, BEND = (
    0, 1, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15)  # fmt: skip
MATERIAL_COLUMNS: Final = 16

MIN_CUDA_RAYS: Final = 100_000
"""Below that, a GPU takes longer to get the world than a core to render it."""


@dataclass(frozen=True, slots=True, eq=False)
class RenderWorld:
    """Everything in a scene."""

    objects: Floats
    """(N, 21): type, center 3, half sizes 3, rotation 9 (world to own axes, row by row), material,
    shift of the texture 2, lightness, bounding radius. What of a box lies beyond it is cut off."""
    materials: Floats
    """(M, 16): kind, two linear colors, noise (index, repeats per width, amount), gloss, shininess,
    first texture, bevel, gloss of the board's inside (only for the table), the power with which a
    box's bevel bends: 1 for a straight edge, 3 with a bevel of half a side for a pillow."""
    noise: Floats32
    """(K, 256, 256) 0..1, tiling."""
    textures: Floats32
    """(T, 96, 96, 3) linear colors of faces."""
    field: Floats32
    """(h, w, 3) linear colors of the board's inside, row 0 at the largest Y."""
    field_box: Bounds
    """Bounds of the board's inside."""
    table: Floats
    """(16,) the table's material."""
    table_z: float
    lamps: Floats
    """(L, 7): position 3, radius, linear color 3 at one field width."""
    room: Floats
    """(3,) light from all around."""


def render(
    world: RenderWorld,
    pose: Pose,
    window: Window,
    samples: int,
    seed: int,
    wanted: Mask | None = None,
) -> Floats32:
    """(h, w, 3) linear BGR of the picture's pixels in `window`, from a GPU where there is one.

    `wanted`: (h, w) mask of those drawn; the others stay black. None for all.
    """
    if wanted is None:
        wanted = np.ones((window[3] - window[1], window[2] - window[0]), np.bool_)
    starts, items, top = _grid(world.objects)
    lens = np.array([pose.focal, pose.radial, *pose.center])
    on_gpu = cuda.is_available() and samples * np.count_nonzero(wanted) > MIN_CUDA_RAYS
    return (raycast_cuda if on_gpu else raycast_kernels).render_window(
        world.objects, starts, items, top, world.materials, world.noise, world.textures,
        world.field, np.array(world.field_box), world.table, world.table_z, world.lamps,
        world.room, pose.matrix, pose.eye, lens, np.array(window), samples, seed, wanted,
    )  # fmt: skip


def window_around(pixels: Floats, size: tuple[int, int], before: int = 0, after: int = 0) -> Window:
    """The window around (..., 2) pixels, with a margin, within a picture of `size`."""
    low = np.floor(pixels.reshape(-1, 2).min(axis=0)).astype(int) - before
    high = np.ceil(pixels.reshape(-1, 2).max(axis=0)).astype(int) + after
    (left, top), (right, bottom) = np.maximum(low, 0), np.minimum(high, size)
    return int(left), int(top), int(right), int(bottom)


def are_visible(world: RenderWorld, pose: Pose, places: Floats, near: float) -> Mask:
    """(N,) whether nothing hides (N, 3) places from the camera except what is `near` to them."""
    starts, items, top = _grid(world.objects)
    ex, ey, ez = pose.eye
    visible = []
    for ray in places - pose.eye:
        distance = float(np.linalg.norm(ray))
        x, y, z = ray / distance
        hit = trace(world.objects, starts, items, top, ex, ey, ez, x, y, z, distance - near, True)
        visible.append(hit[0] < 0)
    return np.array(visible, bool)


def _grid(objects: Floats) -> tuple[Ints, Ints, float]:
    """Where each cell's objects begin, their indices, and the height above which there are none."""
    turn = np.abs(objects[:, TURN : TURN + 9].reshape(-1, 3, 3))
    half = objects[:, HALF : HALF + 3].copy()
    capsule = objects[:, TYPE] == CAPSULE
    half[capsule, 2] += half[capsule, 0]
    reach = np.einsum("nij,ni->nj", turn, half)[:, :2]  # extent of the upright bounding boxes
    low, high = objects[:, CENTRE : CENTRE + 2] - reach, objects[:, CENTRE : CENTRE + 2] + reach
    first = np.clip(np.floor((low - LOW) / CELL).astype(int), 0, CELLS - 1)
    last = np.clip(np.floor((high - LOW) / CELL).astype(int), -1, CELLS - 1)
    starts, items = fill_cells(first, last)
    top = float((objects[:, CENTRE + 2] + objects[:, BOUND]).max(initial=0.05))
    return starts, items, top
