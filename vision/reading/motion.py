"""Whether anything moves and whether a hand is over the board, on a small gray picture.

Two questions, two criteria. Motion: the picture differs from the previous one. A hand: a large
patch that differs from the last open view and reaches across the rail; checkers, dice and the cube
are small or stay inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from calibration.grid import CHECKER_THICKNESS
from calibration.layout import Layout
from calibration.pose import Pose
from engine.arrays import Image, Mask
from vision.steady.noise import NoiseMap
from vision.steady.steadier import board_mask, seen_from, small_size

MOTION_LEVEL: Final = 10
"""Gray levels between two steadied pictures that a quiet stream does not reach ..."""
TIMES_NOISE: Final = 6.0
"""... nor this many times the measured noise."""
MOVING_SHARE: Final = 0.002
"""Fraction of the watched pixels: a rolling die covers about as much."""
SETTLE_SECONDS: Final = 0.2
"""Seconds without motion before a view is quiet."""
SPARSE_SECONDS: Final = 0.75
"""Seconds between two frames from which a difference shows what happened between them, not what is
moving now."""
FOREGROUND_LEVEL: Final = 16
"""Gray-level difference from the open view that counts as something new."""
WATCHED_MARGIN: Final = 0.07
"""Width of the watched ring around the field, in field widths: rail and table edge."""
MIN_HAND_DISCS: Final = 2.5
"""Area, in checkers, from which a patch across the rail is a hand ..."""
MIN_CUT_HAND_DISCS: Final = 1.0
"""... and where the picture ends there, so that only fingers are visible."""
HELD_SHARE: Final = 0.7
"""Fraction of those from which it is still a hand if nothing has moved since it was one: otherwise
a change of light would hide it for a moment, and it would become part of an open view."""
ARM_DISCS: Final = 20.0
"""Area, in checkers, from which a patch is a hand wherever it is: a sleeve is invisible on a rail
of its color, and checkers being moved do not form such a patch in one piece."""
ABSORB_SECONDS: Final = 6.0
"""Seconds after which a patch that has not moved is furniture, whatever moved beside it: a cup, a
sleeve, a clock, or the place of a hand that was taken for part of the open view."""
HAND_CHECK_SECONDS: Final = 0.5
"""Seconds after which a motionless hand may not be one."""
STACK_HEIGHT: Final = 3 * CHECKER_THICKNESS
"""Of the highest checkers, in field widths: a slanting camera sees them in front of the far rail,
where several that have been moved beside each other would pass for a hand that reaches over it."""
CLOSING_GAIN: Final = 9
"""Number of pixels that one pixel becomes at most when one-pixel gaps are closed."""
MIN_MOVED_PIXELS: Final = 5
"""In the small picture: fewer changed pixels are noise; a die covers thirty."""


@dataclass(frozen=True, slots=True)
class MotionState:
    """Motion and hands in one frame."""

    is_moving: bool
    has_hand: bool
    """Over the board and still; not determined while something moves."""
    was_disturbed: bool = False
    """Whether something has moved since a frame taken long before, and may be at rest again."""

    @property
    def is_open(self) -> bool:
        """Whether the board can be read."""
        return not self.is_moving and not self.has_hand


class MotionGate:
    """Background subtraction on consecutive frames; `update` must receive every frame."""

    def __init__(self, pose: Pose, layout: Layout, moved_at: float = -np.inf) -> None:
        """`moved_at`: until when something may have moved before the first frame.

        If something may have, there may be a hand in that frame, which is taken for an open view: a
        difference from it is then forgiven sooner, until an open view is seen again after a motion.
        """
        self._is_sure = moved_at == -np.inf
        self._size = small_size(pose)
        self._scale = self._size[0] / pose.size[0]
        self._last: Image | None = None
        self._before: Image | None = None
        self._moved_at = moved_at
        self._seconds = np.inf
        self._open: Image | None = None
        self._previous_open: Image | None = None
        self._remembered_at = -np.inf
        self._hand_at = -np.inf
        self._hand_view: Image | None = None
        """The first quiet view of what seems to be a hand since the board was last open ..."""
        self._hand_since = self._hand_seen_at = np.inf
        """... when that was, and when it was last there, whatever came and went beside it."""
        self._layout = layout
        self._noise = NoiseMap(self._size)
        self._motion_limit, self._foreground_limit = self._noise.limits(
            TIMES_NOISE, MOTION_LEVEL, FOREGROUND_LEVEL
        )
        self._set_pose(pose)

    @property
    def picture(self) -> Image | None:
        """The newest frame as watched, small and gray."""
        return self._last

    @property
    def moved_at(self) -> float:
        """When something last moved, in seconds of the source."""
        return self._moved_at

    def matches(self, picture: Image) -> bool:
        """Whether the newest frame shows the same as an earlier `picture`, apart from noise."""
        assert self._last is not None, "a frame was seen"  # noqa: S101
        changed = (cv2.absdiff(self._last, picture) > self._foreground_limit) & self._watched
        return bool(changed.sum() < MIN_MOVED_PIXELS)

    def has_come(self, center: tuple[float, float]) -> bool:
        """Whether what is at `center`, in camera pixels, was not there a frame earlier.

        Not determined for a frame taken long before, which says nothing about what is moving now.
        """
        assert self._last is not None, "a frame was seen"  # noqa: S101
        if self._before is None:
            return False
        x, y = (round(at * self._scale) for at in center)
        reach = math.ceil(self._radius)
        part = (
            slice(max(0, y - reach), max(0, y + reach + 1)),
            slice(max(0, x - reach), max(0, x + reach + 1)),
        )
        step = cv2.absdiff(self._last[part], self._before[part])
        return bool((step > self._motion_limit[part]).sum() >= MIN_MOVED_PIXELS)

    def move_to(self, pose: Pose) -> None:
        """Move the open views along: from now on the board is seen from `pose`."""
        self._open, self._previous_open = (
            None if view is None else np.asarray(seen_from(view, self._pose, pose), np.uint8)
            for view in (self._open, self._previous_open)
        )
        self._hand_view = None
        self._set_pose(pose)

    def _set_pose(self, pose: Pose) -> None:
        self._pose = pose
        self._field = _checkers_mask(pose, self._size)
        self._watched = board_mask(pose, WATCHED_MARGIN, self._size)
        self._mask = self._watched.astype(np.uint8)
        self._moving = MOVING_SHARE * float(self._watched.sum())
        width = self._layout.point_width * pose.pixels_per_width((0.5, 0.5), CHECKER_THICKNESS)
        self._radius = width / 2 * self._scale
        self._disc_area = np.pi * self._radius**2

    def update(self, grey: Image, seconds: float) -> MotionState:
        """The view in a (h, 320) steadied gray picture taken at `seconds`."""
        last, self._last = self._last, grey
        step, self._seconds = seconds - self._seconds, seconds
        self._before = last if step <= SPARSE_SECONDS else None
        has_changed = last is not None and self._differs(grey, last)
        was_disturbed = has_changed and step > SPARSE_SECONDS
        if has_changed:
            self._moved_at = seconds - SETTLE_SECONDS if was_disturbed else seconds
        is_moving = seconds - self._moved_at < SETTLE_SECONDS - 1e-6
        if last is not None and not was_disturbed:
            self._learn_noise(grey, last, is_moving=is_moving)
        if self._open is None:
            self._open = grey
        has_hand = not is_moving and self._has_hand(grey)
        self._hand_at = seconds if has_hand else -np.inf
        if not is_moving:
            self._remember(grey, has_hand, seconds)
        return MotionState(is_moving, has_hand, was_disturbed)

    def _learn_noise(self, grey: Image, last: Image, *, is_moving: bool) -> None:
        step = np.asarray(cv2.absdiff(grey, last), np.uint8)
        if is_moving:
            self._noise.learn_moving(step[self._watched])
        else:
            self._noise.learn(step)
        self._motion_limit, self._foreground_limit = self._noise.limits(
            TIMES_NOISE, MOTION_LEVEL, FOREGROUND_LEVEL
        )

    def _differs(self, grey: Image, other: Image) -> bool:
        moved = cv2.compare(cv2.absdiff(grey, other), self._motion_limit, cv2.CMP_GT)
        return cv2.countNonZero(cv2.bitwise_and(moved, self._mask)) > self._moving

    def _has_hand(self, grey: Image) -> bool:
        """Whether something reaches over the rail that is new to the last two open views.

        A still hand in dark sleeves may pass for an open view; when it leaves, its place becomes
        a patch, which is not new compared with the view before it.
        """
        assert self._open is not None, "an open view is set before it is compared"  # noqa: S101
        if not self._reaches_over(grey, self._open):
            return False
        if self._previous_open is None:
            return True
        if self._reaches_over(grey, self._open, self._previous_open):
            return True
        self._open = self._previous_open
        return False

    def _reaches_over(self, grey: Image, *views: Image) -> bool:
        """Whether a large patch in none of `views` lies on the field and extends beyond it."""
        changed = self._mask
        for view in views:
            new = cv2.compare(cv2.absdiff(grey, view), self._foreground_limit, cv2.CMP_GT)
            changed = np.asarray(cv2.bitwise_and(changed, new), np.uint8)
        least = self._hand_area(MIN_CUT_HAND_DISCS)
        if CLOSING_GAIN * cv2.countNonZero(changed) < least:
            return False
        closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        if cv2.countNonZero(closed) < least:
            return False  # all patches together are too small to contain one
        count, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
        large = (n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] >= least)
        return any(self._is_hand(np.asarray(labels == n), stats[n].tolist()) for n in large)

    def _hand_area(self, discs: float) -> float:
        """Pixels of the small picture from which a patch of this many discs counts now."""
        share = HELD_SHARE if self._hand_at > self._moved_at else 1.0
        return float(share * discs * self._disc_area)

    def _is_hand(self, patch: Mask, stats: list[int]) -> bool:
        """Whether a new patch is a hand.

        patch: (h, w) mask; stats: its left, top, width, height and area, in pixels.
        """
        left, top, wide, high, area = stats
        width, height = self._size
        is_cut = left == 0 or top == 0 or left + wide == width or top + high == height
        if area < self._hand_area(MIN_CUT_HAND_DISCS if is_cut else MIN_HAND_DISCS):
            return False
        if area >= ARM_DISCS * self._disc_area:
            return True
        beyond = (patch & ~self._field).sum()
        return bool(beyond > 0.25 * self._disc_area and (patch & self._field).any())

    @property
    def _absorb_seconds(self) -> float:
        return ABSORB_SECONDS if self._is_sure else HAND_CHECK_SECONDS

    def _remember(self, grey: Image, has_hand: bool, seconds: float) -> None:
        """Update the open view; a patch that has not moved for long becomes part of it."""
        if has_hand:
            self._compare_hand(grey, seconds)
        is_furniture = has_hand and self._hand_seen_at - self._hand_since > self._absorb_seconds
        if not has_hand or is_furniture:
            self._is_sure |= not has_hand and -np.inf < self._remembered_at < self._moved_at
            if self._moved_at > self._remembered_at:
                self._previous_open = self._open
            self._open, self._remembered_at, self._hand_view = grey, seconds, None

    def _compare_hand(self, grey: Image, seconds: float) -> None:
        """Note whether the hand is where it was; a view long gone is forgotten."""
        is_same = self._hand_view is not None and not self._reaches_over(grey, self._hand_view)
        is_gone = seconds - self._hand_seen_at > self._absorb_seconds
        if self._hand_view is None or (is_gone and not is_same):
            self._hand_view, self._hand_since = grey, seconds
            is_same = True
        if is_same:
            self._hand_seen_at = seconds


def _checkers_mask(pose: Pose, size: tuple[int, int]) -> Mask:
    """(h, w) mask of where checkers may appear in a picture of this size: on field and trays.

    Trays are beside the field, and hands come from where the players sit, over the other rails.
    """
    left, right = -WATCHED_MARGIN, 1 + WATCHED_MARGIN
    corners = np.array([(left, 0), (right, 0), (right, 1), (left, 1)])
    seen = np.concatenate([pose.project(corners, height) for height in (0.0, STACK_HEIGHT)])
    hull = cv2.convexHull(np.rint(seen * size[0] / pose.size[0]).astype(np.int32))
    mask = np.zeros(size[::-1], np.uint8)
    cv2.fillConvexPoly(mask, hull, 1)
    return mask.astype(bool)
