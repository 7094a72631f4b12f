"""The light on the board relative to a reference, as a smooth field.

Lamps, clouds, a camera's auto-exposure, bands of mains flicker and soft shadows all multiply the
picture by something smooth. Its logarithm is fitted with a few cosines to the ratio of the two
pictures, block by block and robustly: hands and moved checkers are not smooth, and are left as they
are.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Mask
from vision.steady.robust import median, robust_scale, root_weights, solved

BLOCK: Final = 8
"""Side in pixels of the blocks whose means are compared."""
ALONG, DOWN = 5, 7
"""Number of cosines of the field along the rows and down the columns: mains flicker comes in bands
along the rows of most sensors."""
DARK: Final = 2.0
"""Gray levels added to both pictures, so that noise in the dark is not taken for light."""
STIFF: Final = 0.02
"""How much the fit prefers slow waves to fast ones."""
PASSES: Final = 5
NEGLIGIBLE: Final = 1e-3
"""Step of the logarithm below which the iterations end."""
FLOOR: Final = 0.004
"""Minimum robust scale of the logarithm: 0.4 % of light."""
COVERED: Final = 0.5
"""Fraction of a block that must be on the board for it to be compared."""


class LightField:
    """Fits the light of pictures relative to one reference."""

    def __init__(self, reference: Floats32, region: Mask) -> None:
        """`reference`: (h, w) gray picture; `region`: (h, w) mask of what is compared."""
        self._size = reference.shape[1], reference.shape[0]
        self._blocks = self._size[0] // BLOCK, self._size[1] // BLOCK
        cover = _reduced(region.astype(np.float32), self._blocks)
        self._used = cover.ravel() > COVERED
        self._cosines = _cosines(*self._blocks)
        self._compared = self._cosines[self._used]
        self._rows = np.ascontiguousarray(self._compared.T)
        order = np.add.outer(np.arange(DOWN), np.arange(ALONG)).ravel()
        self._stiffness = np.diag(STIFF * order.astype(float) ** 2 + 1e-3)
        self._wanted = self._logarithms(reference)
        self._newest: Floats | None = None

    def gain(self, picture: Floats32) -> Floats32:
        """(h, w) how many times brighter an (h, w) picture's light is than the reference's."""
        ratio = self._logarithms(picture) - self._wanted
        fit = self._begun(ratio)
        for _ in range(PASSES):
            off = ratio - self._compared @ fit
            roots = root_weights(off, robust_scale(off, FLOOR))
            weighted = self._rows * roots
            last = fit
            normal = weighted @ weighted.T + self._stiffness
            fit = solved(normal, weighted @ (roots * ratio))
            if np.abs(fit - last).max() < NEGLIGIBLE:
                break
        self._newest = fit
        columns, rows = self._blocks
        field = np.exp(self._cosines @ fit).reshape(rows, columns).astype(np.float32)
        return np.asarray(cv2.resize(field, self._size, interpolation=cv2.INTER_LINEAR), np.float32)

    def _begun(self, ratio: Floats) -> Floats:
        """The newest fit, if it explains most of the picture better than uniform light does.

        A fit from scratch may take a different patch for the smooth part each time.
        """
        even = np.zeros(ALONG * DOWN)
        even[0] = median(ratio)
        if self._newest is None:
            return even
        begun = self._newest.copy()
        begun[0] += median(ratio - self._compared @ begun)
        spreads = [median(np.abs(ratio - self._compared @ fit)) for fit in (begun, even)]
        return begun if spreads[0] <= spreads[1] else even

    def _logarithms(self, picture: Floats32) -> Floats:
        """(N,) logarithms of the means of the compared blocks."""
        blocks = _reduced(picture, self._blocks).ravel()
        return np.log(blocks[self._used].astype(np.float64) + DARK)


def _reduced(picture: Floats32, size: tuple[int, int]) -> Floats32:
    width, height = size[0] * BLOCK, size[1] * BLOCK
    whole = picture[:height, :width]
    return np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), np.float32)


@cache
def _cosines(columns: int, rows: int) -> Floats:
    """(rows * columns, DOWN * ALONG) products of cosines, slowest first."""
    x, y = (np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows
    along = np.cos(np.pi * np.outer(x, np.arange(ALONG)))
    down = np.cos(np.pi * np.outer(y, np.arange(DOWN)))
    products: Floats = np.einsum("xi,yj->yxji", along, down)
    return products.reshape(rows * columns, DOWN * ALONG)
