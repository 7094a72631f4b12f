"""The ray caster's loop over the pixels on a GPU of Nvidia, with a sequence of chances for each."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import cuda, float64, uint64

from engine.arrays import Floats32
from vision.training.render.raycast_kernels import sample, seed_of

BLOCK: Final = (16, 8)
"""Pixels of one block of threads."""


@cuda.jit(cache=True)
def _render(objects, starts, items, top, materials, noise, textures, field, box, table, table_z,
            lamps, room, turn, camera, lens, window, samples, seed, wanted, picture):  # fmt: skip
    i, j = cuda.grid(2)
    if j >= picture.shape[0] or i >= picture.shape[1] or not wanted[j, i]:
        return
    state = cuda.local.array(1, uint64)
    surface = cuda.local.array(6, float64)
    state[0] = seed_of((seed * picture.shape[0] + j) * picture.shape[1] + i)
    for _ in range(samples):
        blue, green, red = sample(
            objects, starts, items, top, materials, noise, textures, field, box, table, table_z,
            lamps, room, turn, camera, lens, window[0] + i, window[1] + j, state, surface,
        )  # fmt: skip
        picture[j, i, 0] += blue
        picture[j, i, 1] += green
        picture[j, i, 2] += red


def render_window(*arguments: Any) -> Floats32:
    """As the loop of this name in `raycast_kernels.py`, but for the chances."""
    wanted, samples = arguments[-1], arguments[-3]
    picture = cuda.to_device(np.zeros((*wanted.shape, 3), np.float32))
    given = [cuda.to_device(part) if isinstance(part, np.ndarray) else part for part in arguments]
    blocks = tuple(-(-size // side) for size, side in zip(wanted.shape[::-1], BLOCK, strict=True))
    _render[blocks, BLOCK](*given, picture)
    return np.asarray(picture.copy_to_host() / np.float32(samples))
