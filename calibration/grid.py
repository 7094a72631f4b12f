"""The rectified picture: the playing field from straight above, at one pixel scale for every set.

It is taken in the plane of the tops of the checkers, so that a checker is a circle at any tilt. Row
0 is dark's rail (y = 1) and column 0 is x = 0, not counting `PADDING`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import cv2
import numpy as np

from calibration.layout import Layout
from calibration.pose import Maps, Pose
from engine.arrays import Floats, Image

POINT_PITCH: Final = 28
"""Width of a point in the rectified picture, in pixels: near the native scale of a 720p view."""
PADDING: Final = 12
"""Pixels shown beyond the field: checkers at the rail stay whole if the pose is slightly off."""
CHECKER_THICKNESS: Final = 0.0182
"""Thickness of a checker in field widths: 9-11.5 mm on boards 53-61 cm wide."""


class Grid:
    """The map from a camera picture to the rectified one."""

    def __init__(self, pose: Pose, layout: Layout, height: float = CHECKER_THICKNESS) -> None:
        self.pose = pose
        self.layout = layout
        self.height = height

    @cached_property
    def field_size(self) -> tuple[int, int]:
        """Width and height of the field in the rectified picture, pixels."""
        width = round(POINT_PITCH / self.layout.point_width)
        return width, round(width * self.pose.aspect)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the rectified picture, including `PADDING`, in pixels."""
        return self.field_size[0] + 2 * PADDING, self.field_size[1] + 2 * PADDING

    def rectify(self, image: Image) -> Image:
        """(h, w, 3) uint8 BGR picture of the field from a camera picture of the pose's size."""
        taken = cv2.remap(image, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(taken, np.uint8)

    def to_pixels(self, places: Floats) -> Floats:
        """(N, 2) rectified pixels of (N, 2) field coordinates."""
        return np.asarray(places, float) * self._scale + self._origin

    def to_field(self, pixels: Floats) -> Floats:
        """(N, 2) field coordinates of (N, 2) rectified pixels."""
        return (np.asarray(pixels, float) - self._origin) / self._scale

    @property
    def _scale(self) -> tuple[int, int]:
        """Rectified pixels per field coordinate."""
        width, height = self.field_size
        return width, -height

    @property
    def _origin(self) -> tuple[float, float]:
        """The rectified pixel of field coordinates (0, 0)."""
        return PADDING - 0.5, self.field_size[1] + PADDING - 0.5

    @cached_property
    def _maps(self) -> Maps:
        width, height = self.size
        box = self.to_field(np.array([(-0.5, height - 0.5), (width - 0.5, -0.5)]))
        return self.pose.plane_maps(self.size, box, self.height)
