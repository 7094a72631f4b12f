"""How the picture has moved since a reference, to a twentieth of a pixel.

Inverse compositional Gauss-Newton (Baker and Matthews, "Lucas-Kanade 20 years on", 2004) over the
board's strongest edges, spread over the board: its gradients and normal equations belong to the
reference and are computed once. Robust weights exclude what is no longer there: hands, moved
checkers, reflections. Local means are subtracted first and the remainder is divided by them, so
that light hardly matters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Mask
from vision.steady.robust import robust_scale, solved, weights

POINTS: Final = 900
"""Number of edge pixels compared."""
MIN_POINTS: Final = 20
"""Fewer determine no motion: the reference is a blur, or a palm over the lens."""
CELL: Final = 8
"""Side in pixels of the squares from each of which the strongest edge is taken, so that they
spread."""
WEAKEST: Final = 3.0
"""Gray levels per pixel of the weakest edge that is used."""
LOCAL: Final = 7
"""Side, in pixels of the coarse picture, of the square whose mean is subtracted."""
STEPS: Final = 12
NEGLIGIBLE: Final = 0.02
"""Step in pixels after which the search ends: the next would be several times smaller."""
FLOOR: Final = 0.3
"""Minimum robust scale, in gray levels."""
FITTING: Final = 3.0
"""Robust scales within which a pixel shows the same as the reference."""
COARSE: Final = 4
"""Downscaling factor of the picture from which local means are taken, and in which a large motion
is found first."""
FOLLOWED: Final = 0.5
"""Fraction of the pixels that must fit for a motion to be believed ..."""
ALIKE: Final = 0.5
"""... and the correlation of all of them with the reference: it survives noise, but not a wrong
place."""
DARK: Final = 10.0
"""Gray levels added to local means, so that noise in the dark is not taken for contrast."""


@dataclass(frozen=True, slots=True, eq=False)
class PictureMotion:
    """A similarity from the reference's pixels to the picture's."""

    matrix: Floats
    """(2, 3) affine matrix, in pixels of the working picture."""
    share: float
    """Fraction of the compared pixels that show the same as the reference."""

    def applied(self, pixels: Floats) -> Floats:
        """(N, 2) pixels of the reference, moved to where the picture has them."""
        return pixels @ self.matrix[:, :2].T + self.matrix[:, 2]


class Registration:
    """Finds the motion of pictures relative to one reference."""

    def __init__(self, reference: Floats32, region: Mask) -> None:
        """`reference`: (h, w) gray working picture; `region`: (h, w) mask of the board."""
        height, width = reference.shape
        self._middle, self._unit = np.array([width / 2, height / 2]), width / 2
        mean = _local_means(reference)
        flat = _flattened(reference, mean)
        down = cv2.Scharr(flat, cv2.CV_32F, 0, 1) / 32
        along = cv2.Scharr(flat, cv2.CV_32F, 1, 0) / 32
        x, y = _strongest_edges(np.hypot(along, down) * region)
        self._mean = _sampled(mean, x.astype(np.float32), y.astype(np.float32), COARSE)
        self._wanted = reference[y, x] - self._mean
        self._pixels = np.stack([x, y], 1).astype(np.float64)
        self._offsets = u, v = ((self._pixels - self._middle) / self._unit).T
        gx, gy = along[y, x], down[y, x]
        self._slopes = np.stack([gx, gy, gy * u - gx * v, gx * u + gy * v], 1).astype(np.float64)
        self._coarse = _reduced(flat * region)
        self._newest = np.zeros(4)

    def motion(self, picture: Floats32) -> PictureMotion | None:
        """The motion of an (h, w) gray picture; None if too little of the board can be followed."""
        if self._wanted.size < MIN_POINTS:
            return None
        mean = _local_means(picture)
        found, share = self._refined(picture, mean, self._newest)
        if share < FOLLOWED:
            found, share = self._refined(picture, mean, self._leapt(_flattened(picture, mean)))
        if share < FOLLOWED:
            return None
        self._newest = found
        return PictureMotion(self._matrix(found), share)

    def _refined(self, picture: Floats32, mean: Floats32, begin: Floats) -> tuple[Floats, float]:
        """The best-fitting parameters near `begin`, and the fraction of pixels that fit."""
        at = begin
        for _ in range(STEPS):
            x, y = self._moved(at)
            light = _sampled(mean, x, y, COARSE)
            contrast = (self._mean + DARK) / (light + DARK)
            seen = np.asarray((_sampled(picture, x, y) - light) * contrast, np.float32)
            off = seen - self._wanted
            scale = robust_scale(off, FLOOR)
            weighted = self._slopes * weights(off, scale)[:, None]
            step = solved(
                weighted.T @ self._slopes + 1e-3 * np.eye(4), weighted.T @ off.astype(np.float64)
            )
            at = at - step
            if np.abs(step).max() < NEGLIGIBLE:
                break
        if _correlation(seen, self._wanted) <= ALIKE:
            return at, 0.0
        return at, np.count_nonzero(np.abs(off) < FITTING * scale) / off.size

    def _leapt(self, flat: Floats32) -> Floats:
        """A first estimate of a large shift, by phase correlation of small pictures."""
        (dx, dy), _ = cv2.phaseCorrelate(self._coarse, _reduced(flat))
        return np.array([COARSE * dx, COARSE * dy, 0.0, 0.0])

    def _moved(self, at: Floats) -> tuple[Floats32, Floats32]:
        u, v = self._offsets
        x = self._pixels[:, 0] + at[0] - at[2] * v + at[3] * u
        y = self._pixels[:, 1] + at[1] + at[2] * u + at[3] * v
        return x.astype(np.float32), y.astype(np.float32)

    def _matrix(self, at: Floats) -> Floats:
        turn, grow = at[2] / self._unit, at[3] / self._unit
        linear = np.array([[1 + grow, -turn], [turn, 1 + grow]])
        shift = at[:2] + self._middle - linear @ self._middle
        return np.column_stack([linear, shift])


def _local_means(picture: Floats32) -> Floats32:
    """(h / COARSE, w / COARSE) local means of an (h, w) picture."""
    return np.asarray(cv2.blur(_reduced(picture), (LOCAL, LOCAL)), np.float32)


def _flattened(picture: Floats32, mean: Floats32) -> Floats32:
    """The picture relative to its local means."""
    size = picture.shape[1], picture.shape[0]
    return np.asarray(picture - cv2.resize(mean, size, interpolation=cv2.INTER_LINEAR), np.float32)


def _sampled(picture: Floats32, x: Floats32, y: Floats32, scale: int = 1) -> Floats32:
    """(N,) samples, at pixels of the full picture, of one scaled down by `scale`."""
    if not x.size:
        return x
    columns, rows = (np.asarray((at + 0.5) / scale - 0.5, np.float32) for at in (x, y))
    shown = cv2.remap(picture, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(shown, np.float32)[:, 0]


def _correlation(one: Floats32, other: Floats32) -> float:
    """Correlation, -1..1, of two pictures at the same pixels, with local means subtracted."""
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / size if size else 0.0


def _reduced(picture: Floats32) -> Floats32:
    size = picture.shape[1] // COARSE, picture.shape[0] // COARSE
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)


def _strongest_edges(strength: Floats) -> tuple[np.ndarray, np.ndarray]:
    """(N,) x and y of the strongest edge pixel of each cell, strongest cells first."""
    rows, columns = strength.shape[0] // CELL, strength.shape[1] // CELL
    whole = strength[: rows * CELL, : columns * CELL]
    cells = (
        whole.reshape(rows, CELL, columns, CELL).transpose(0, 2, 1, 3).reshape(rows, columns, -1)
    )
    best, peak = cells.argmax(2), cells.max(2)
    y = np.arange(rows)[:, None] * CELL + best // CELL
    x = np.arange(columns)[None, :] * CELL + best % CELL
    chosen = np.argsort(-peak, axis=None)[:POINTS]
    chosen = chosen[peak.ravel()[chosen] > WEAKEST]
    return x.ravel()[chosen], y.ravel()[chosen]
