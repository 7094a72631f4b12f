"""The camera over the board: field coordinates at any height <-> image pixels.

A camera with square pixels and one radial distortion coefficient, whose principal point is in the
middle of the picture unless that was cropped from a larger one. World units are field widths: X =
x, Y = y * aspect, Z = height above the felt. The frame is right-handed, so a board with home on the
other side is the same field with x mirrored (`mirrored`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats

Maps = tuple[NDArray[np.int16], NDArray[np.uint16]]
UNDISTORT_ITERATIONS = 6
MIN_DEPTH = 1e-9
"""Minimum depth in front of the camera, in field widths, to avoid division by zero."""


@dataclass(frozen=True, slots=True)
class Pose:
    """The camera's position, orientation and lens, and the field's aspect."""

    size: tuple[int, int]
    """Width and height of the picture, pixels."""
    focal: float
    """Focal length, pixels."""
    radial: float
    """First radial distortion coefficient (OpenCV's k1)."""
    rotation: tuple[float, float, float]
    """Rodrigues vector, world to camera."""
    translation: tuple[float, float, float]
    """World to camera, field widths."""
    aspect: float
    """Height of the field divided by its width."""
    mirrored: bool = False
    """Whether light's home is on light's left."""
    off_middle: tuple[float, float] = (0.0, 0.0)
    """Offset of the principal point from the middle of the picture, in picture widths."""

    def project(self, places: Floats, height: float | Floats = 0.0) -> Floats:
        """(N, 2) pixels of (N, 2) field coordinates at `height` above the felt, in field widths."""
        camera = self._world(places, height) @ self.matrix.T
        # Column by column: numpy is slow along an axis of two.
        seen = self._seen(*(camera[:, n] + shift for n, shift in enumerate(self.translation)))
        pixels = np.empty((len(camera), 2))
        pixels[:, 0], pixels[:, 1] = seen
        return pixels

    def project_grid(self, xs: Floats, ys: Floats, height: float) -> tuple[Floats, Floats]:
        """(h, w) pixels x and y of every pair of (w,) and (h,) field coordinates at `height`."""
        # As in `project`, but each column and each row of the grid is rotated only once.
        turn, shift = self.matrix, np.array(self.translation)[:, None]
        by_column = turn[:, :1] * (1 - xs if self.mirrored else xs)
        by_row = turn[:, 1:2] * (ys * self.aspect) + turn[:, 2:] * height + shift
        camera = (np.add.outer(row, column) for row, column in zip(by_row, by_column, strict=True))
        return self._seen(*camera)

    def _seen(self, x: Floats, y: Floats, depth: Floats) -> tuple[Floats, Floats]:
        """The x and y pixels of camera coordinates."""
        depth = np.maximum(depth, MIN_DEPTH)
        x, y = x / depth, y / depth
        bend = 1 + self.radial * (x**2 + y**2)
        middle_x, middle_y = self.center
        return x * bend * self.focal + middle_x, y * bend * self.focal + middle_y

    def locate(self, pixels: Floats, height: float = 0.0) -> Floats:
        """(N, 2) field coordinates of (N, 2) pixels at `height` field widths above the felt."""
        bent = (np.asarray(pixels, float) - self.center) / self.focal
        flat = bent
        for _ in range(UNDISTORT_ITERATIONS):
            flat = bent / (1 + self.radial * (flat[:, :1] ** 2 + flat[:, 1:] ** 2))
        rays = np.column_stack([flat, np.ones(len(flat))]) @ self.matrix
        eye = self.eye
        reach = (height - eye[2]) / rays[:, 2]
        world = eye[:2] + rays[:, :2] * reach[:, None]
        return self._field(world)

    def plane_maps(self, size: tuple[int, int], box: Floats, height: float) -> Maps:
        """Maps for cv2.remap, (h, w, 2) and (h, w): pixels of a grid over `box` at `height`.

        In whole pixels and 32nds, to which cv2.remap would otherwise round floats on every call.
        `box` is ((x0, y0), (x1, y1)) in field coordinates; the top row is y1, so that light's rail
        is at the bottom of the rectified picture.
        """
        width, rows = size
        xs = box[0, 0] + (np.arange(width) + 0.5) / width * (box[1, 0] - box[0, 0])
        ys = box[1, 1] - (np.arange(rows) + 0.5) / rows * (box[1, 1] - box[0, 1])
        x, y = (flat.astype(np.float32) for flat in self.project_grid(xs, ys, height))
        whole, parts = cv2.convertMaps(x, y, cv2.CV_16SC2)
        return np.asarray(whole, np.int16), np.asarray(parts, np.uint16)

    @property
    def matrix(self) -> Floats:
        """(3, 3) rotation, world to camera."""
        return np.asarray(cv2.Rodrigues(np.array(self.rotation, float))[0])

    @property
    def eye(self) -> Floats:
        """(3,) the camera's center, in world units."""
        return np.asarray(-self.matrix.T @ np.array(self.translation))

    @property
    def center(self) -> Floats:
        """(2,) the principal point, in pixels."""
        middle = (np.array(self.size, float) - 1) / 2
        return np.asarray(middle + self.size[0] * np.array(self.off_middle))

    @property
    def tilt(self) -> float:
        """Degrees between the optical axis and straight down."""
        return float(np.degrees(np.arccos(min(1.0, abs(self.matrix[2, 2])))))

    def half_turned(self) -> Pose:
        """The same camera with the field's frame rotated by 180 degrees."""
        shift = self.matrix @ np.array([1.0, self.aspect, 0.0])
        spin = np.diag([-1.0, -1.0, 1.0])
        rotation = np.asarray(cv2.Rodrigues(self.matrix @ spin)[0], float).ravel()
        translation = np.array(self.translation) + shift
        return replace(self, rotation=triple(rotation), translation=triple(translation))

    def fits(self, image: NDArray[np.uint8]) -> bool:
        """Whether an (H, W, 3) picture has the size that the pose is for."""
        return image.shape[1::-1] == self.size

    def is_shaped_like(self, image: NDArray[np.uint8]) -> bool:
        """Whether an (H, W, 3) picture has the pose's aspect ratio, as a `resized` one does.

        A picture with another ratio was cropped or distorted.
        """
        (width, height), (rows, columns) = self.size, image.shape[:2]
        return bool(abs(rows - columns * height / width) < 1)

    def resized(self, size: tuple[int, int]) -> Pose:
        """The same camera with its picture scaled to `size` (width, height) in pixels."""
        return replace(self, size=size, focal=self.focal * size[0] / self.size[0])

    def within(self, size: tuple[int, int], first: tuple[int, int]) -> Pose:
        """The same camera for a picture of `size` in which its own begins at pixel `first`."""
        middle = (np.array(size, float) - 1) / 2
        across, down = (self.center + first - middle) / size[0]
        return replace(self, size=size, off_middle=(float(across), float(down)))

    def moved_to(self, places: Floats, pixels: Floats) -> Pose:
        """The same camera, moved so that (N, 2) places on the felt are at (N, 2) pixels, N >= 4.

        Least squares from the current position (Levenberg-Marquardt, OpenCV's solvePnP).
        """
        lens = np.array([[self.focal, 0, self.center[0]], [0, self.focal, self.center[1]],
                         [0, 0, 1]])  # fmt: skip
        bend = np.array([self.radial, 0, 0, 0])
        turn, shift = (np.array(part, float) for part in (self.rotation, self.translation))
        _, rotation, translation = cv2.solvePnP(
            self._world(places, 0.0), np.asarray(pixels, float), lens, bend,
            turn.reshape(3, 1), shift.reshape(3, 1), True, cv2.SOLVEPNP_ITERATIVE,
        )  # fmt: skip
        return replace(
            self,
            rotation=triple(np.asarray(rotation, float).ravel()),
            translation=triple(np.asarray(translation, float).ravel()),
        )

    def corners(self, margin: float = 0.0, height: float = 0.0) -> Floats:
        """(4, 2) pixels of the field's corners: (0, 0), (1, 0), (1, 1), (0, 1).

        `margin`: how far outside the field they are, in field widths; `height`: above the felt.
        """
        x, y = margin, margin / self.aspect
        corners = np.array([(-x, -y), (1 + x, -y), (1 + x, 1 + y), (-x, 1 + y)])
        return self.project(corners, height)

    def pixels_per_width(self, place: tuple[float, float], height: float = 0.0) -> float:
        """Pixels per field width at `place`: the mean of both directions."""
        step = 1e-3
        x, y = place
        around = self.project(
            np.array([(x, y), (x + step, y), (x, y + step / self.aspect)]), height
        )
        return float(np.mean(np.linalg.norm(around[1:] - around[0], axis=1)) / step)

    def _world(self, places: Floats, height: float | Floats) -> Floats:
        places = np.asarray(places, float)
        world = np.empty((len(places), 3))
        world[:, 0] = 1 - places[:, 0] if self.mirrored else places[:, 0]
        world[:, 1] = places[:, 1] * self.aspect
        world[:, 2] = height
        return world

    def _field(self, world: Floats) -> Floats:
        x = 1 - world[:, 0] if self.mirrored else world[:, 0]
        return np.column_stack([x, world[:, 1] / self.aspect])


def triple(values: Iterable[float]) -> tuple[float, float, float]:
    """Three numbers as Python floats; raises `ValueError` if there are more or fewer."""
    x, y, z = (float(value) for value in values)
    return x, y, z
