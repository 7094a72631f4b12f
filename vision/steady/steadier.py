"""Frames as a fixed camera under a fixed lamp would have taken them.

The board's pose is that of the reference, the first frame. Later frames are registered to it and
divided by the change of light since, so that they can be compared pixel by pixel and read with one
pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.pose import Pose
from engine.arrays import Floats, Floats32, Image, Mask
from vision.steady.light import LightField
from vision.steady.registration import PictureMotion, Registration

WORKING_SIDE: Final = 640
"""Longer side of the picture that is registered, in pixels."""
SMALL_SIDE: Final = 320
"""Longer side of the picture that is compared, in pixels."""
RIM: Final = 0.03
"""Field widths beyond the field that belong to the board: the frame, but not the table."""
RING: Final = 0.07
"""Field widths beyond the field where the light is also measured: rail and table edge."""
BLUR: Final = 1.0
"""Blur in pixels: pictures without finer detail can be shifted by fractions of a pixel."""
SMOOTHING: Final = cv2.getGaussianKernel(5, BLUR)
AS_IT_IS: Final = 0.12
"""Motion, in pixels of the frame, up to which it is left as it is ..."""
AS_LIT: Final = 0.06
"""... together with the relative change of light anywhere on the board."""


@dataclass(frozen=True, slots=True, eq=False)
class SteadyView:
    """One frame relative to the reference."""

    picture: Image
    """(h, w) small, gray, aligned with the reference and in its light."""
    motion: PictureMotion
    """From the reference to the frame, in pixels of the registered picture."""
    light: Floats32
    """(h, w) how many times brighter the light is than in the reference."""
    swing: float
    """Largest relative change of light on the board."""
    _corners: Floats
    """(4, 2) the field's corners in the reference, in pixels of the registered picture."""

    @property
    def shift(self) -> float:
        """The largest motion of a corner of the field, in pixels of the registered picture."""
        moved = self.motion.applied(self._corners) - self._corners
        return float(np.linalg.norm(moved, axis=1).max())

    def frame(self, image: Image) -> Image:
        """The (H, W, 3) frame itself, aligned with the reference and in its light."""
        height, width = image.shape[:2]
        scale = max(width, height) / WORKING_SIDE
        steady = np.asarray(image)
        if self.shift * scale > AS_IT_IS:
            matrix = self.motion.matrix.copy()
            # Pixel centers: x of the frame is scale * (x + 0.5) - 0.5 of the working picture's.
            matrix[:, 2] = scale * matrix[:, 2] + (scale - 1) / 2 * (1 - matrix[:, :2].sum(1))
            steady = np.asarray(
                cv2.warpAffine(
                    image,
                    matrix,
                    (width, height),
                    flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                    borderMode=cv2.BORDER_REPLICATE,
                ),
                np.uint8,
            )
        if self.swing > AS_LIT:
            light = cv2.resize(self.light, (width, height), interpolation=cv2.INTER_LINEAR)
            steady = np.asarray(
                cv2.divide(steady, cv2.merge([light] * 3), dtype=cv2.CV_8U), np.uint8
            )
        return steady


class Steadier:
    """Makes the frames of one camera steady."""

    def __init__(self, pose: Pose, lit_as: Steadier | None = None) -> None:
        """`pose`: the board's pose in the first frame.

        lit_as: the one that followed the board until it moved; its light stays the reference's.
        """
        self._pose = pose
        width, height = pose.size
        self._scale = WORKING_SIDE / max(width, height)
        self._working = round(width * self._scale), round(height * self._scale)
        self._small = small_size(pose)
        self._corners = pose.corners() * self._scale
        self._board = board_mask(pose, RIM, self._working)
        self._lit = board_mask(pose, RING, self._small)
        self._lit_pixels = self._lit.astype(np.uint8)
        self._registration: Registration | None = None
        self._light_seen = None if lit_as is None else lit_as.light_seen_from(pose)
        """(h, w) the small picture whose light is the reference's; None for the first frame."""
        self._light: LightField | None = None
        self._newest: tuple[Floats32, PictureMotion] | None = None
        """(h, w) the newest working picture that was followed, and its motion."""

    def process(self, image: Image) -> SteadyView | None:
        """The (H, W, 3) frame relative to the reference; None if the board cannot be followed."""
        working = self._reduced(image)
        if self._registration is None or self._light is None:
            self._registration = Registration(working, self._board)
            if self._light_seen is None:
                self._light_seen = self._shrunk(working)
            self._light = LightField(self._light_seen, self._lit)
        motion = self._registration.motion(working)
        if motion is None:
            return None
        self._newest = working, motion
        small = self._moved_back(working, motion, self._small)
        light = self._light.gain(small)
        least, most = map(np.float32, cv2.minMaxLoc(light, self._lit_pixels)[:2])
        np.clip(light, least, most, out=light)  # beside the board it is unknown
        even = np.divide(small, light, out=small)
        even += 0.5
        picture = np.clip(even, 0, 255, out=even).astype(np.uint8)
        swing = float(max(most - 1, 1 - least))
        return SteadyView(picture, motion, light, swing, self._corners)

    def light_seen_from(self, pose: Pose) -> Floats32 | None:
        """(h, w) the small picture whose light is the reference's, seen from another pose."""
        seen = self._light_seen
        return None if seen is None else np.asarray(seen_from(seen, self._pose, pose), np.float32)

    def renew(self) -> None:
        """From now on follow what the newest frame shows, because checkers have been moved."""
        if self._newest is not None:
            shown = self._moved_back(*self._newest, self._working)
            self._registration = Registration(shown, self._board)

    def _reduced(self, image: Image) -> Floats32:
        width, height = self._working
        while image.shape[1] >= 2 * width:  # by halves, for which OpenCV is three times as fast
            half = max(width, image.shape[1] // 2), max(height, image.shape[0] // 2)
            if half == (image.shape[1], image.shape[0]):
                break
            image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8)
        if image.shape[1::-1] != self._working:
            image = np.asarray(cv2.resize(image, self._working, interpolation=cv2.INTER_AREA))
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        return np.asarray(cv2.sepFilter2D(grey, cv2.CV_32F, SMOOTHING, SMOOTHING), np.float32)

    def _moved_back(
        self, working: Floats32, motion: PictureMotion, size: tuple[int, int]
    ) -> Floats32:
        """The working picture aligned with the reference, at another size."""
        scale = np.array(self._working) / size
        linear = motion.matrix[:, :2] * scale
        # Pixel centers: x of `size` is scale * (x + 0.5) - 0.5 of the working picture's.
        shift = motion.applied((scale[None] - 1) / 2)[0]
        matrix = np.column_stack([linear, shift])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        moved = cv2.warpAffine(working, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(moved, np.float32)

    def _shrunk(self, working: Floats32) -> Floats32:
        small = cv2.resize(working, self._small, interpolation=cv2.INTER_AREA)
        return np.asarray(small, np.float32)


def seen_from(picture: NDArray[Any], before: Pose, after: Pose) -> NDArray[Any]:
    """An (h, w) picture of the board at `before`, of any size, as it would look at `after`."""
    height, width = picture.shape
    there, here = (
        np.asarray(pose.corners() * width / pose.size[0], np.float32) for pose in (before, after)
    )
    move = cv2.getPerspectiveTransform(there, here)
    moved = cv2.warpPerspective(picture, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved)


def small_size(pose: Pose) -> tuple[int, int]:
    """Width and height of the picture that is compared, in pixels."""
    scale = SMALL_SIDE / max(pose.size)
    return round(pose.size[0] * scale), round(pose.size[1] * scale)


def board_mask(pose: Pose, margin: float, size: tuple[int, int]) -> Mask:
    """(h, w) mask of the field and `margin` field widths around it in a picture of this size."""
    pixels = np.rint(pose.corners(margin) * size[0] / pose.size[0]).astype(np.int32)
    mask = np.zeros(size[::-1], np.uint8)
    cv2.fillPoly(mask, [pixels], 1)
    return mask.astype(bool)
