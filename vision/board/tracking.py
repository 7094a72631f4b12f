"""Tracks the board from picture to picture: small bumps are followed, large ones noticed.

Corners of the board's own pattern are tracked from a picture in which its place was known
(Lucas-Kanade, forward and back); most of them are in one plane and move by one homography, whatever
checkers and dice do. The camera is then refitted to where the field went.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Floats, Floats32, Image
from vision.board.locate import FRAME_MARGIN, MIN_AGREEMENT, edge_agreement
from vision.steady.steadier import board_mask

TRACKING_SIDE: Final = 640
"""Longer side of the picture used for tracking, in pixels; all lengths below refer to it."""
MAX_FEATURES: Final = 160
MIN_FEATURE_DISTANCE: Final = 8
MAX_ROUND_TRIP_ERROR: Final = 0.7
"""Pixels within which a feature tracked forward and back must return to its start."""
MIN_TRACKED_SHARE: Final = 0.3
"""Fraction of the features that must be tracked for a movement to be believed: a seventh of them
match by chance in the same pattern upside down."""
MAX_OFF: Final = (0.5, 1.0)
"""Pixels within which a feature moves with the others; the second if too few do by the first, as
after a knock that shows the rail from another side. With a wide limit alone, what is left of towers
that were taken apart can suggest a movement of its own."""
MIN_INLIER_SHARE: Final = 0.6
"""Fraction of the tracked features that must move together."""
MIN_HULL_SHARE: Final = 0.2
"""Fraction of the field that those must span."""
MAX_DRIFT: Final = 0.5
"""Pixels that the field's corners may move before the camera is refitted."""
REFRESH_BELOW_SHARE: Final = 0.5
"""Fraction of an anchor's features that still move together below which new ones are chosen."""
_GRID: Final = np.stack(np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 5)), -1).reshape(-1, 2)


@dataclass(frozen=True, slots=True, eq=False)
class _Anchor:
    """A picture in which the board's place is known, and what to track from it."""

    grey: Image
    features: Floats32
    """(N, 1, 2) pixels of the working picture."""


class BoardTracker:
    """Tracks one board from picture to picture, as long as nothing moves over it."""

    def __init__(self, pose: Pose, layout: Layout) -> None:
        self._pose, self._layout = pose, layout
        self._scale = TRACKING_SIDE / max(pose.size)
        self._anchor: _Anchor | None = None

    def track(self, image: Image) -> Pose | None:
        """The board's pose in an (H, W, 3) BGR picture; the same object unless it moved.

        None if it cannot be tracked there or is covered: then it must be found again.
        """
        grey = self._working_picture(image)
        if self._anchor is None:
            return self._start(image, grey)
        features, tracked = _tracked(self._anchor, grey)
        found = _movement(features, tracked, self._field_area())
        if found is None or len(features) < MIN_TRACKED_SHARE * len(self._anchor.features):
            return None
        move, shared = found
        if self._corner_shift(move) > MAX_DRIFT:
            return self._moved_board(image, grey, move)
        if shared < REFRESH_BELOW_SHARE * len(self._anchor.features):
            self._anchor = self._new_anchor(grey)
        return self._pose

    def _working_picture(self, image: Image) -> Image:
        size = round(image.shape[1] * self._scale), round(image.shape[0] * self._scale)
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)

    def _start(self, image: Image, grey: Image) -> Pose | None:
        """The given pose, if the board's edges confirm it."""
        if edge_agreement(image, self._pose, self._layout) < MIN_AGREEMENT:
            return None
        self._anchor = self._new_anchor(grey)
        return self._pose

    def _moved_board(self, image: Image, grey: Image, move: Floats) -> Pose | None:
        seen = self._pose.project(_GRID)
        pose = self._pose.moved_to(_GRID, _transformed(move, seen * self._scale) / self._scale)
        if edge_agreement(image, pose, self._layout) < MIN_AGREEMENT:
            return None
        self._pose = pose
        self._anchor = self._new_anchor(grey)
        return pose

    def _corner_shift(self, move: Floats) -> float:
        corners = self._pose.corners() * self._scale
        return float(np.linalg.norm(_transformed(move, corners) - corners, axis=1).max())

    def _field_area(self) -> float:
        return float(cv2.contourArea(np.asarray(self._pose.corners() * self._scale, np.float32)))

    def _new_anchor(self, grey: Image) -> _Anchor | None:
        mask = board_mask(self._pose, FRAME_MARGIN, grey.shape[::-1]).astype(np.uint8)
        features = cv2.goodFeaturesToTrack(
            grey, MAX_FEATURES, 0.01, MIN_FEATURE_DISTANCE, mask=mask
        )
        return None if features is None else _Anchor(grey, np.asarray(features, np.float32))


def _tracked(anchor: _Anchor, grey: Image) -> tuple[Floats, Floats]:
    """(N, 2) features that can be tracked, and where they are now."""
    room = np.zeros_like(anchor.features)
    ahead, is_there, _ = cv2.calcOpticalFlowPyrLK(anchor.grey, grey, anchor.features, room.copy())
    back, is_back, _ = cv2.calcOpticalFlowPyrLK(grey, anchor.grey, ahead, room)
    error = np.linalg.norm(back - anchor.features, axis=2)[:, 0]
    good = (is_there[:, 0] > 0) & (is_back[:, 0] > 0) & (error < MAX_ROUND_TRIP_ERROR)
    return anchor.features[good, 0].astype(float), ahead[good, 0].astype(float)


def _movement(features: Floats, tracked: Floats, area: float) -> tuple[Floats, int] | None:
    """(3, 3) homography of the movement that most features share, and how many do.

    None if there is none.
    """
    if len(features) < 4:
        return None
    for most in MAX_OFF:
        move, kept = cv2.findHomography(features, tracked, cv2.RANSAC, most)
        shared = kept[:, 0] > 0
        if move is None or shared.sum() < MIN_INLIER_SHARE * len(features):
            continue
        hull = cv2.convexHull(np.asarray(features[shared], np.float32))
        if cv2.contourArea(hull) > MIN_HULL_SHARE * area:
            return np.asarray(move), int(shared.sum())
    return None


def _transformed(move: Floats, pixels: Floats) -> Floats:
    return np.asarray(cv2.perspectiveTransform(pixels[None], move)[0])
