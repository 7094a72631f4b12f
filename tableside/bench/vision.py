"""The first frames of the sample, and everything that vision does to a frame of a known board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import cv2
import numpy as np

import samples
from engine.rules import SHORT
from vision.board.locate import locate_board
from vision.board.tracking import BoardTracker
from vision.reading.learn_set import learn_set
from vision.reading.motion import MotionGate
from vision.reading.reader import Reader
from vision.reading.single_image import read_still
from vision.sources.files import VideoFile
from vision.sources.frame import Frame
from vision.steady.steadier import Steadier

FRAMES: Final = 40
"""Frames of the sample that are decoded, gated or read: some with dice, some with a hand."""
QUIET_FRAME: Final = 9
"""A frame before the first throw, with no hand near."""


@dataclass(frozen=True, slots=True)
class KnownBoard:
    """Frames of a board that has been learned."""

    frames: list[Frame]
    reader: Reader
    tracker: BoardTracker
    gate: MotionGate
    steadier: Steadier

    def read(self) -> None:
        """Read the counts and the dice of a frame."""
        self.reader.read(self.frames[-1])

    def forget(self) -> None:
        """Read a black frame, so that nothing is kept from the previous one."""
        self.reader.read(replace(self.frames[-1], image=np.zeros_like(self.frames[-1].image)))

    def read_unknown(self) -> None:
        """Find the board in a frame and read it, as `tableside read` does without a profile."""
        read_still(self.frames[-1].image, None)

    def track(self) -> None:
        """Check whether the board has moved, as before every reading; it has not."""
        self.tracker.track(self.frames[QUIET_FRAME].image)

    def warp(self) -> None:
        """Warp the whole frame once, as rectification does."""
        pose = self.reader.profile.pose
        corners = pose.corners().astype("float32")
        matrix = cv2.getPerspectiveTransform(corners, corners[::-1].copy())
        cv2.warpPerspective(self.frames[-1].image, matrix, pose.size)

    def watch(self) -> None:
        """Steady all frames and look for motion in them."""
        for frame in self.frames:
            view = self.steadier.process(frame.image)
            assert view is not None, "the sample is steady"  # noqa: S101
            self.gate.update(view.picture, frame.seconds)

    def steady(self) -> None:
        """Register all frames and correct their lighting."""
        for frame in self.frames:
            self.steadier.process(frame.image)

    def decode(self) -> None:
        """Decode all frames."""
        list(_first_frames())


def known_board() -> KnownBoard:
    """The board of the sample, learned from its first frame."""
    frames = list(_first_frames())
    located = locate_board(frames[0].image)
    profile = learn_set(frames[0].image, located.pose, located.layout, SHORT.opening()).profile
    tracker = BoardTracker(profile.pose, profile.layout)
    tracker.track(frames[0].image)  # the first frame determines the marks that later ones follow
    gate = MotionGate(profile.pose, profile.layout)
    return KnownBoard(frames, Reader(profile), tracker, gate, Steadier(profile.pose))


def _first_frames() -> Iterator[Frame]:
    return islice(VideoFile(samples.CLIP), FRAMES)
