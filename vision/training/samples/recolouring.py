"""Strips that know the set's colours, as they would be in another place, light and paint."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Image, Rng

MISPLACED: Final = 4
"""Pixels by which strips are shifted."""
OTHERWISE: Final = 5.0
"""Spread of the set's colours as they are measured on the field, of 255."""


def random_shift(strips: Image, rng: Rng) -> Image:
    """(N, h, w, 3) strips, all moved by the same few pixels."""
    dx, dy = (int(way) for way in rng.integers(-MISPLACED, MISPLACED + 1, 2))
    move = np.array([(1, 0, dx), (0, 1, dy)], float)
    height, width = strips.shape[1:3]
    return np.stack([
        cv2.warpAffine(strip, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
        for strip in strips
    ]).astype(np.uint8)  # fmt: skip


def recolour(strips: Image, colours: Floats, rng: Rng) -> tuple[Image, Floats]:
    """Under other lamps, in other paints; the set's colours with them, measured a little off."""
    count = len(strips)
    order = np.argsort(rng.random((count, 3)), axis=1)
    gain = rng.uniform(0.75, 1.25, (count, 1, 3))
    bend = np.exp(rng.normal(0, 0.2, (count, 1, 1)))

    def changed(values: Floats) -> Floats:
        """(N, n, 3) of N strips, which have changed places already."""
        return np.asarray(255 * (np.clip(values * gain, 0, 255) / 255) ** bend)

    every = np.broadcast_to(np.arange(256.0)[None, :, None], (count, 256, 3))
    tables = changed(every).astype(np.uint8)[:, None]
    painted = np.stack([
        cv2.LUT(np.ascontiguousarray(strip[..., places]), table)
        for strip, places, table in zip(strips, order, tables, strict=True)
    ])  # fmt: skip
    known = changed(np.take_along_axis(colours, order[:, None], axis=2))
    return painted.astype(np.uint8), known + rng.normal(0, OTHERWISE, known.shape)
