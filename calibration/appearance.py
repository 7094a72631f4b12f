"""What this set looks like under this lamp, learned from one picture of a known position.

Colors are (L, 2(a-128)+128, 2(b-128)+128) of 8-bit Lab: one unit is about equally visible on each
axis. Densities are per cubic unit, so that a color model and a background can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import Side
from engine.arrays import Floats, Image, Mask

Colours = NDArray[np.float32]

HISTOGRAM_BINS: Final = 32
BIN_WIDTH: Final = 256 / HISTOGRAM_BINS
HISTOGRAM_SIGMA: Final = 1.2
"""In bins; a set's checkers differ by about ten units."""
BACKGROUND_NOISE: Final = np.array([6, 5, 5], np.float32)
"""One sigma of a still background, in color units, including H.264 noise."""
SHADOW_SIGMA: Final = 22.0
"""Sigma of a background that darkens, in color units: hands and stacks cast shadows."""
OTHER_LOG_DENSITY: Final = np.float32(np.log(1 / (256**3 / 8)))
"""Log density of anything else, such as a hand or a cup: uniform over all colors."""
MAX_SQUARED_SIGMAS: Final = 40.0
"""Squared sigmas beyond which a pixel cannot be background."""
MAX_PIXEL_EVIDENCE: Final = 3.0
"""Bound on one pixel's log-likelihood ratio."""


_bytes = np.arange(256, dtype=np.float32)
_wide = np.clip(2 * (_bytes - 128) + 128, 0, 255)
_STRETCHED: Final = np.stack([_bytes, _wide, _wide], axis=1)[None]
"""(1, 256, 3) the color that each byte of 8-bit Lab stands for."""


def to_perceptual(image: Image) -> Colours:
    """(h, w, 3) float32 colors of a (h, w, 3) uint8 BGR picture."""
    return np.asarray(cv2.LUT(cv2.cvtColor(image, cv2.COLOR_BGR2LAB), _STRETCHED), np.float32)


def to_bgr(colours: Colours) -> Image:
    """(h, w, 3) uint8 BGR picture of such colors: the inverse of `to_perceptual`."""
    lab = np.stack([colours[..., 0], *np.moveaxis((colours[..., 1:] - 128) / 2 + 128, -1, 0)], -1)
    return np.asarray(cv2.cvtColor(np.rint(lab).astype(np.uint8), cv2.COLOR_LAB2BGR), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class ColourModel:
    """The colors of one side's checkers, as a smoothed histogram."""

    log_density: NDArray[np.float32]
    """(32, 32, 32) log density per cubic unit."""

    @classmethod
    def of_pixels(cls, colours: Colours) -> ColourModel:
        """The model of (N, 3) colors; without any, every color is as likely as in anything else."""
        from scipy.ndimage import gaussian_filter

        if not len(colours):
            return cls(np.full((HISTOGRAM_BINS,) * 3, OTHER_LOG_DENSITY))
        counts, _ = np.histogramdd(colours, bins=HISTOGRAM_BINS, range=[(0, 256)] * 3)
        share = gaussian_filter(counts, HISTOGRAM_SIGMA) / max(len(colours), 1)
        return cls(np.log(share / BIN_WIDTH**3 + 1e-12).astype(np.float32))

    def __call__(self, colours: Colours) -> NDArray[np.float32]:
        """(...,) log density of (..., 3) colors."""
        at = np.clip(colours / BIN_WIDTH, 0, HISTOGRAM_BINS - 1).astype(np.int64)
        return np.asarray(self.log_density[at[..., 0], at[..., 1], at[..., 2]])


@dataclass(frozen=True, slots=True, eq=False)
class Appearance:
    """The empty field and both sides' checkers."""

    background: Colours
    """(h, w, 3) the rectified field with no checkers on it."""
    spread: Colours
    """(h, w, 3) one sigma of each color of the background."""
    models: dict[Side, ColourModel]
    diameter: float
    """Diameter of a checker, in rectified pixels."""
    inverse_sigmas: NDArray[np.float32] = field(init=False, repr=False)
    """(h, w, 4) the inverse of `spread`, and of the sigma of the lightness in shadow."""
    log_norms: NDArray[np.float32] = field(init=False, repr=False)
    """(h, w, 2) log normalization of the background, in light and in shadow."""

    def __post_init__(self) -> None:
        shaded = np.maximum(self.spread[..., :1], SHADOW_SIGMA)
        logs = np.log(self.spread[..., 1:]).sum(axis=-1, keepdims=True) + 1.5 * np.log(2 * np.pi)
        norms = -np.concatenate([np.log(self.spread[..., :1]), np.log(shaded)], axis=-1) - logs
        inverse = np.concatenate([1 / self.spread, 1 / shaded], axis=-1)
        object.__setattr__(self, "inverse_sigmas", inverse.astype(np.float32))
        object.__setattr__(self, "log_norms", norms.astype(np.float32))

    def evidence(self, colours: Colours) -> tuple[dict[Side, NDArray[np.float32]], Mask]:
        """Per side (h, w) log-likelihood ratio `its checker : anything else`, clipped.

        Also the mask of pixels that are neither checker nor background: hands, cups, dice.
        """
        from calibration.densities import pixel_evidence

        light, dark, strange = pixel_evidence(
            colours,
            self.background,
            self.inverse_sigmas,
            self.log_norms,
            (self.models[Side.LIGHT].log_density, self.models[Side.DARK].log_density),
            (BIN_WIDTH, float(OTHER_LOG_DENSITY), MAX_PIXEL_EVIDENCE, MAX_SQUARED_SIGMAS),
        )
        return {Side.LIGHT: light, Side.DARK: dark}, strange


def local_spread(background: Colours) -> Colours:
    """(h, w, 3) sigma of a background that may be displaced by a pixel or two."""
    mean = cv2.blur(background, (5, 5))
    square = cv2.blur(background * background, (5, 5))
    return np.asarray(
        np.sqrt(np.maximum(square - mean * mean, 0) + BACKGROUND_NOISE**2), np.float32
    )


def disc_mask(shape: tuple[int, int], centers: Floats, radius: float) -> Mask:
    """(h, w) mask of filled circles around (N, 2) pixels."""
    mask = np.zeros(shape, np.uint8)
    for x, y in centers:
        cv2.circle(mask, (round(x * 16), round(y * 16)), round(radius * 16), 1, -1, cv2.LINE_8, 4)
    return mask.astype(bool)
