"""The edge field: the strength and direction of edges at every pixel.

The color structure tensor (Di Zenzo 1986) of Lab, as coherence times the cosine and sine of twice
the gradient's angle; edges of either polarity and any pair of colors look the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.arrays import Floats, Floats32, Image, Ints
from vision.board.heatmaps import sample

if TYPE_CHECKING:
    from cv2.typing import MatLike

COLOUR_WEIGHT: Final = 1.5
"""Weight of a step in a or b relative to one in L."""
STRONG_PERCENTILE: Final = 80
"""Percentile of the gradient's strength from which an edge counts fully."""
OUTSIDE_SCORE: Final = -0.2
"""Score of a sample beyond the picture: worse than a blank surface."""
SEARCH_STEP: Final = 0.5
"""Pixels between two samples of an edge search."""
OFFSET_PENALTY: Final = 0.3
"""Agreement lost at the end of the search range."""
_SUMMED: Final = np.array([[1, COLOUR_WEIGHT**2, COLOUR_WEIGHT**2]], np.float32)
"""Adds the channels with `cv2.transform`: a numpy sum over so few takes thirty times as long."""


@dataclass(frozen=True, slots=True, eq=False)
class EdgeField:
    """Coherence x (cos, sin) of twice the gradient's angle: two (H, W) float32 pictures."""

    cosine: Floats32
    sine: Floats32

    def agreement(self, pixels: Floats, tangents: Floats) -> Floats:
        """(...,) agreement, -1..1, with edges through (..., 2) `pixels` along `tangents`."""
        height, width = self.cosine.shape
        at = np.rint(pixels).astype(np.int64)
        inside = (at >= 0).all(-1) & (at[..., 0] < width) & (at[..., 1] < height)
        x, y = np.where(inside, at[..., 0], 0), np.where(inside, at[..., 1], 0)
        cosine, sine = _normal_doubled(tangents)
        score = cosine * self.cosine[y, x] + sine * self.sine[y, x]
        return np.where(inside, score, OUTSIDE_SCORE)

    def nearest_edges(
        self, pixels: Floats, tangents: Floats, radius: float
    ) -> tuple[Floats, Floats]:
        """(N,) signed distances to the best edge within `radius` pixels along each normal.

        Also (N,) confidence in each, 0..1.
        """
        offsets = np.arange(-radius, radius + SEARCH_STEP / 2, SEARCH_STEP)
        normals = unit_normals(tangents)
        samples = pixels[:, None] + normals[:, None] * offsets[None, :, None]
        cosine, sine = _normal_doubled(tangents)
        found = cosine[:, None] * sample(self.cosine, samples)
        found += sine[:, None] * sample(self.sine, samples)
        found -= OFFSET_PENALTY * (offsets / radius) ** 2
        best = found.argmax(axis=1)
        trust = np.clip(found[np.arange(len(best)), best], 0, 1)
        return offsets[best] + SEARCH_STEP * _vertex(found, best), trust


def edge_field(image: Image, blur: float, spread: float) -> EdgeField:
    """The field of a BGR picture; sigmas: `blur` before the gradient, `spread` of the tensor."""
    lab = cv2.cvtColor(cv2.GaussianBlur(image, (0, 0), blur), cv2.COLOR_BGR2LAB)
    dx, dy = (cv2.Scharr(lab, cv2.CV_16S, *way) for way in ((1, 0), (0, 1)))
    xx, yy, xy = (
        cv2.GaussianBlur(cv2.transform(_product(one, other), _SUMMED), (0, 0), spread)
        for one, other in ((dx, dx), (dy, dy), (dx, dy))
    )
    total = xx + yy + 1e-6
    strength = np.sqrt(total)
    # Every other pixel in both directions tells as much, and sorting all takes longest of all this.
    strong = float(np.percentile(strength[::2, ::2], STRONG_PERCENTILE))
    gain = np.clip(strength / max(strong, 1.0), 0, 1) / total
    return EdgeField(gain * (xx - yy), gain * 2 * xy)


def _product(one: MatLike, other: MatLike) -> Floats32:
    """The product of two derivatives of each channel, as Scharr's filter gives them: 32-fold."""
    return np.asarray(cv2.multiply(one, other, scale=1 / 32**2, dtype=cv2.CV_32F), np.float32)


def unit_normals(tangents: Floats) -> Floats:
    """(..., 2) unit vectors perpendicular to (..., 2) tangents."""
    length = np.linalg.norm(tangents, axis=-1, keepdims=True) + 1e-9
    return np.asarray(np.stack([-tangents[..., 1], tangents[..., 0]], axis=-1) / length)


def _normal_doubled(tangents: Floats) -> tuple[Floats, Floats]:
    n = unit_normals(tangents)
    return n[..., 0] ** 2 - n[..., 1] ** 2, 2 * n[..., 0] * n[..., 1]


def _vertex(curve: Floats, best: Ints) -> Floats:
    """(N,) steps, -0.5..0.5, to the peak of the parabola through the best sample's neighbors."""
    inner = np.clip(best, 1, curve.shape[1] - 2)
    rows = np.arange(len(best))
    before, peak, after = (curve[rows, inner + k] for k in (-1, 0, 1))
    bend = before - 2 * peak + after
    sharp = (inner == best) & (bend < -1e-6)
    return np.where(
        sharp, np.clip(0.5 * (before - after) / np.where(sharp, bend, -1), -0.5, 0.5), 0
    )
