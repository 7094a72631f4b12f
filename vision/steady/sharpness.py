"""Sharpens soft pictures for the nets, as far as the blur of their own edges requires."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from calibration.layout import USUAL_DIE_SIDE
from calibration.pose import Pose
from engine.arrays import Floats32, Image

SHARP: Final = 0.05
"""Standard deviation of a good camera's blur, in die sides; the target."""
SOFT: Final = 0.09
"""Blur, in die sides, from which pictures are sharpened: the nets tolerate less."""
ITERATIONS: Final = 6
"""Van Cittert iterations: more add little and amplify noise."""
EVERY: Final = 8
"""Pictures between two measurements of the blur."""
TOLERANCE: Final = 0.15
"""Relative change of the blur from which the new value is used."""
WINDOW: Final = (640, 360)
"""Maximum size in pixels of the part in the middle of the field whose edges are measured."""
FINE, COARSE = 1.0, 2.5
"""Standard deviations in pixels of two blurs under which the same edges are compared."""
EDGE_PERCENTILE: Final = 98.5
"""Percentile of the gradients from which they are edges."""
CREST: Final = 0.98
"""Fraction of the largest surrounding gradient that the middle of an edge has."""


class Sharpener:
    """Sharpens the pictures of a camera whose lens is out of focus."""

    def __init__(self) -> None:
        self._blur = 0.0
        self._until_measured = 0

    def sharpen(self, image: Image, pose: Pose, margin: float) -> Image:
        """The (H, W, 3) picture, sharpened on the board and `margin` field widths around it."""
        if self._until_measured == 0:
            self._until_measured = EVERY
            blur = measure_blur(image, pose)
            if abs(blur - self._blur) > TOLERANCE * self._blur:
                self._blur = blur
        self._until_measured -= 1
        die = pose.pixels_per_width((0.5, 0.5), USUAL_DIE_SIDE) * USUAL_DIE_SIDE
        if self._blur < SOFT * die:
            return image
        part = _board(pose, margin)
        sharp = image.copy()
        excess = float(np.sqrt(self._blur**2 - (SHARP * die) ** 2))
        sharp[part] = deblurred(image[part], excess)
        return sharp


def measure_blur(image: Image, pose: Pose) -> float:
    """Standard deviation of the blur of the board's edges, in pixels.

    `image`: (H, W, 3) of the pose's size. Under a further blur t, the gradient of an edge with blur
    s falls as 1 / sqrt(s^2 + t^2), so two of them determine s (Zhuo and Sim 2011). Noise is weak
    relative to such edges, and half of them may themselves be soft.
    """
    x, y = np.rint(pose.project(np.array([(0.5, 0.5)]))[0]).astype(int)
    width, height = WINDOW
    part = image[max(0, y - height // 2) : y + height // 2, max(0, x - width // 2) : x + width // 2]
    grey = cv2.cvtColor(part, cv2.COLOR_BGR2GRAY).astype(np.float32)
    fine, coarse = (_gradient(grey, blur) for blur in (FINE, COARSE))
    around = np.asarray(cv2.dilate(fine, np.ones((3, 3), np.uint8)), np.float32)
    is_edge = (fine >= np.percentile(fine, EDGE_PERCENTILE)) & (fine >= CREST * around)
    ratio = float(np.median(fine[is_edge] / np.maximum(coarse[is_edge], 1e-3))) ** 2
    if ratio <= 1:
        return 0.0  # there are no edges
    return float(np.sqrt(max((COARSE**2 - ratio * FINE**2) / (ratio - 1), 0.0)))


def deblurred(image: Image, blur: float) -> Image:
    """An estimate of the (h, w, 3) picture before a Gaussian blur (Van Cittert 1931)."""
    soft = image.astype(np.float32)
    sharp = soft.copy()
    for _ in range(ITERATIONS):
        sharp += soft - cv2.GaussianBlur(sharp, (0, 0), blur)
    return np.asarray(np.clip(sharp, 0, 255), np.uint8)


def _gradient(grey: Floats32, blur: float) -> Floats32:
    smooth = cv2.GaussianBlur(grey, (0, 0), blur)
    across, down = (cv2.Sobel(smooth, cv2.CV_32F, *way, ksize=1) for way in ((1, 0), (0, 1)))
    return np.asarray(cv2.magnitude(across, down), np.float32)


def _board(pose: Pose, margin: float) -> tuple[slice, slice]:
    """The rows and columns of the field and `margin` field widths around it."""
    pixels = pose.corners(margin, USUAL_DIE_SIDE)
    left, top = np.maximum(np.floor(pixels.min(axis=0)), 0).astype(int)
    right, bottom = np.ceil(pixels.max(axis=0)).astype(int) + 1
    return slice(int(top), int(bottom)), slice(int(left), int(right))
