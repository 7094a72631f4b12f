"""Whether anything moves and whether a hand is over the board, on a small grey picture.

Two questions, two clues. Motion: the picture differs from the one before. A hand: a large
patch that differs from the last open view and reaches across the rail; checkers, dice and the
cube are small or stay inside.
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
"""Grey levels between two steady pictures that a quiet stream does not reach."""
TIMES_NOISE: Final = 6.0
"""... and neither this many times the noise that was measured."""
MOVING_SHARE: Final = 0.002
"""Of the watched pixels: a die that rolls covers about as much."""
SETTLE_SECONDS: Final = 0.2
"""Without motion before a view is quiet."""
SPARSE_SECONDS: Final = 0.75
"""Between two frames from which on a difference tells of what happened between them, not of what
moves now."""
FOREGROUND_LEVEL: Final = 16
"""Grey levels off the open view that count as something new."""
WATCHED_MARGIN: Final = 0.07
"""Width of the watched ring beyond the field, field widths: rail and table edge."""
MIN_HAND_DISCS: Final = 2.5
"""Areas of a checker from which a patch over the rail is a hand ..."""
MIN_CUT_HAND_DISCS: Final = 1.0
"""... and where the picture ends there, so that only fingers show."""
HELD_SHARE: Final = 0.7
"""Of those, from which it still is one where nothing moved since it was: light that changes would
hide it for a moment, and an open view be made of it."""
ARM_DISCS: Final = 20.0
"""Areas of a checker from which a patch is one wherever it lies: on a rail of its colour a sleeve
does not show, and checkers that are moved make no such patch in one piece."""
ABSORB_SECONDS: Final = 6.0
"""A patch that has lain where it lies for so long is furniture, whatever moved beside it meanwhile:
a cup, a sleeve, a clock, or the place of a hand that passed for a part of the open view."""
HAND_CHECK_SECONDS: Final = 0.5
"""A hand that lies still for this long may be none."""
CLOSING_GAIN: Final = 9
"""Pixels that one becomes at most when gaps of a pixel are closed."""
MIN_MOVED_PIXELS: Final = 5
"""Of the small picture: fewer that changed are noise, a die covers thirty."""


@dataclass(frozen=True, slots=True)
class MotionState:
    """Motion and hand in one frame."""

    is_moving: bool
    has_hand: bool
    """Over the board and still: while something moves, it is not asked."""
    was_disturbed: bool = False
    """Whether something moved since a frame that was taken long before, and rests perhaps."""

    @property
    def is_open(self) -> bool:
        """Whether the board can be read."""
        return not self.is_moving and not self.has_hand


class MotionGate:
    """Background subtraction on frames in their order; `update` must get every one of them."""

    def __init__(self, pose: Pose, layout: Layout, moved_at: float = -np.inf) -> None:
        """`moved_at`: until when something may have moved before the first frame.

        If it may have, there may be a hand in that frame, which is taken for an open view: what
        differs from it is then forgiven sooner, until an open view is seen again after a motion.
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
        """The first quiet view of what seems to be a hand since the board was open ..."""
        self._hand_since = self._hand_seen_at = np.inf
        """... when that was, and when it lay there last, whatever came and went beside it."""
        self._layout = layout
        self._noise = NoiseMap(self._size)
        self._motion_limit = self._noise.limit(TIMES_NOISE, MOTION_LEVEL)
        self._foreground_limit = self._noise.limit(TIMES_NOISE, FOREGROUND_LEVEL)
        self._set_pose(pose)

    @property
    def picture(self) -> Image | None:
        """The newest frame as it is watched, small and grey."""
        return self._last

    @property
    def moved_at(self) -> float:
        """When something moved last, in seconds of the source."""
        return self._moved_at

    def matches(self, picture: Image) -> bool:
        """Whether the newest frame shows what an earlier `picture` did, but for noise."""
        assert self._last is not None, "a frame was seen"  # noqa: S101
        changed = (cv2.absdiff(self._last, picture) > self._foreground_limit) & self._watched
        return bool(changed.sum() < MIN_MOVED_PIXELS)

    def has_come(self, center: tuple[float, float]) -> bool:
        """Whether what lies at `center`, pixels of the camera, was not there a frame earlier.

        Of a frame taken long before that is not asked: then it tells nothing of what moves now.
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
        """The board is seen from `pose` from now on: the open views are moved with it."""
        self._open, self._previous_open = (
            None if view is None else np.asarray(seen_from(view, self._pose, pose), np.uint8)
            for view in (self._open, self._previous_open)
        )
        self._hand_view = None
        self._set_pose(pose)

    def _set_pose(self, pose: Pose) -> None:
        self._pose = pose
        self._field = board_mask(pose, 0.0, self._size)
        self._watched = board_mask(pose, WATCHED_MARGIN, self._size)
        self._mask = self._watched.astype(np.uint8)
        self._moving = MOVING_SHARE * float(self._watched.sum())
        width = self._layout.point_width * pose.pixels_per_width((0.5, 0.5), CHECKER_THICKNESS)
        self._radius = width / 2 * self._scale
        self._disc_area = np.pi * self._radius**2

    def update(self, grey: Image, seconds: float) -> MotionState:
        """The view in a (h, 320) steady grey picture taken at `seconds`."""
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
        self._motion_limit = self._noise.limit(TIMES_NOISE, MOTION_LEVEL)
        self._foreground_limit = self._noise.limit(TIMES_NOISE, FOREGROUND_LEVEL)

    def _differs(self, grey: Image, other: Image) -> bool:
        moved = cv2.compare(cv2.absdiff(grey, other), self._motion_limit, cv2.CMP_GT)
        return cv2.countNonZero(cv2.bitwise_and(moved, self._mask)) > self._moving

    def _has_hand(self, grey: Image) -> bool:
        """Whether something reaches over that was neither in the last open view nor before it.

        A still hand in dark sleeves may pass for an open view; then it leaves a patch where it is
        gone, which is not new against the view before it.
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
        """Whether a large patch that is in none of `views` lies on the field and reaches beyond."""
        changed = self._mask
        for view in views:
            new = cv2.compare(cv2.absdiff(grey, view), self._foreground_limit, cv2.CMP_GT)
            changed = np.asarray(cv2.bitwise_and(changed, new), np.uint8)
        least = self._hand_area(MIN_CUT_HAND_DISCS)
        if CLOSING_GAIN * cv2.countNonZero(changed) < least:
            return False
        closed = cv2.morphologyEx(changed, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        if cv2.countNonZero(closed) < least:
            return False  # all patches together are too small for one of them
        count, labels, stats, _ = cv2.connectedComponentsWithStats(closed)
        large = (n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] >= least)
        return any(self._is_hand(np.asarray(labels == n), stats[n].tolist()) for n in large)

    def _hand_area(self, discs: float) -> float:
        """Pixels of the small picture from which a patch of so many discs counts now."""
        share = HELD_SHARE if self._hand_at > self._moved_at else 1.0
        return float(share * discs * self._disc_area)

    def _is_hand(self, patch: Mask, stats: list[int]) -> bool:
        """Whether a patch of what is new is a hand.

        patch: (h, w); stats: its left, top, width, height and area, in pixels.
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
        """Update the open view; a patch that has lain still for long becomes part of it."""
        if has_hand:
            self._compare_hand(grey, seconds)
        is_furniture = has_hand and self._hand_seen_at - self._hand_since > self._absorb_seconds
        if not has_hand or is_furniture:
            self._is_sure |= not has_hand and -np.inf < self._remembered_at < self._moved_at
            if self._moved_at > self._remembered_at:
                self._previous_open = self._open
            self._open, self._remembered_at, self._hand_view = grey, seconds, None

    def _compare_hand(self, grey: Image, seconds: float) -> None:
        """Note whether the hand lies where it did; a view that is long gone is forgotten."""
        is_same = self._hand_view is not None and not self._reaches_over(grey, self._hand_view)
        is_gone = seconds - self._hand_seen_at > self._absorb_seconds
        if self._hand_view is None or (is_gone and not is_same):
            self._hand_view, self._hand_since = grey, seconds
            is_same = True
        if is_same:
            self._hand_seen_at = seconds
