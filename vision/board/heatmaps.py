"""Heatmaps of keypoints by a net: their peaks, with subcell accuracy."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32

STRIDE: Final = 4
"""Pixels of the net's input per cell, in each direction."""


def sigmoid(logits: Floats32) -> Floats32:
    """0..1 for logits of any shape."""
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


def peaks(layer: Floats32, min_heat: float) -> list[tuple[float, Floats]]:
    """The heat of each peak above `min_heat` and its (2,) pixel, hottest first."""
    highest = cv2.dilate(layer, np.ones((3, 3), np.uint8))
    cells = np.argwhere((layer >= highest) & (layer > min_heat))
    found = [(float(layer[row, column]), _refined(layer, row, column)) for row, column in cells]
    return sorted(found, key=lambda pair: -pair[0])


def peaks_and_shoulders(layer: Floats32, min_heat: float) -> list[tuple[float, Floats]]:
    """The same, with cells two from a peak that only its slope keeps from being peaks.

    A die's upper face may be such a shoulder of its side, if the side is hotter.
    """
    cells = np.argwhere(layer > min_heat)
    warm = layer[cells[:, 0], cells[:, 1]]
    free = np.ones_like(layer, bool)
    found: list[tuple[float, Floats]] = []
    for index in np.argsort(-warm, kind="stable"):
        row, column = cells[index]
        if free[row, column]:
            free[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2] = False
            found.append((float(warm[index]), _refined(layer, row, column)))
    return found


def _refined(layer: Floats32, row: int, column: int) -> Floats:
    """(2,) pixel (x, y) of a peak: the center of mass of the cells around it."""
    top, left = max(0, row - 1), max(0, column - 1)
    part = layer[top : row + 2, left : column + 2].astype(np.float64) ** 2
    y, x = np.mgrid[top : top + part.shape[0], left : left + part.shape[1]]
    middle = np.array([(part * x).sum(), (part * y).sum()]) / part.sum()
    return np.asarray(middle * STRIDE + (STRIDE - 1) / 2)


def sample(field: Floats32, pixels: Floats) -> Floats:
    """(...) values of an (H, W) field at (..., 2) pixels, bilinear; 0 outside the field."""
    x, y = pixels[..., 0].astype(np.float32), pixels[..., 1].astype(np.float32)
    return np.asarray(
        cv2.remap(field, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.float64
    )
