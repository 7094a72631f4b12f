"""Sight's figures, each in CPU time of one core beside what the pictures alone cost."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, TypeVar

import cv2
import numpy as np

import samples
from calibration.pose import Pose
from calibration.profile import Profile
from engine.arrays import Image
from engine.rules import SHORT
from tableside.bench import BenchRow, Measure, seconds_each
from vision.board.locate import locate_board
from vision.board.tracking import BoardTracker
from vision.reading.learn_set import learn_set
from vision.reading.motion import MotionGate
from vision.reading.reader import Reader
from vision.sources.files import VideoFile
from vision.sources.frame import Frame

LOOKED_AT: Final = 40
"""Frames of the sample that are decoded, gated or read: some with dice, some with a hand."""
STILL: Final = 9
"""One of them before the first throw, with no hand near."""
READINGS: Final = 15
MILLI: Final = 1000

Result = TypeVar("Result")


def forget(events: Sequence[object]) -> None:
    """Keep nothing: the disk is not what is measured."""


def _measure_read() -> BenchRow:
    """One 720p frame of a known board: counts and dice, all from nothing."""
    frames, profile = _sample()
    here = on_one_core(lambda: _full_reading(Reader(profile), frames[-1]))
    return _against_warp(here, frames[-1].image, profile.pose)


def _full_reading(reader: Reader, frame: Frame) -> float:
    """CPU seconds of a reading, the median; before each a black picture lets all be new."""
    black = replace(frame, image=np.zeros_like(frame.image))
    spent = []
    for _ in range(READINGS):
        reader.read(black)
        began = time.process_time()
        reader.read(frame)
        spent.append(time.process_time() - began)
    return statistics.median(spent)


def _measure_kept() -> BenchRow:
    """Whether the board lies where it lay, asked before every look; a frame in which it does."""
    frames, profile = _sample()
    keeper = BoardTracker(profile.pose, profile.layout)
    keeper.check(frames[0].image)  # the first takes the marks that later ones follow
    image = frames[STILL].image
    return _against_warp(_each(lambda: keeper.check(image)), image, profile.pose)


def _against_warp(here: float, image: Image, pose: Pose) -> BenchRow:
    """CPU seconds beside those of warping a (H, W, 3) picture once, as rectifying does."""
    corners = pose.corners().astype("float32")
    matrix = cv2.getPerspectiveTransform(corners, corners[::-1].copy())
    baseline = _each(lambda: cv2.warpPerspective(image, matrix, pose.size))
    name = "cv2.warpPerspective of the frame"
    return BenchRow(here * MILLI, "ms", name, baseline * MILLI, is_more_better=False)


def _measure_quiet() -> BenchRow:
    """What a frame costs in which nothing happens, besides being decoded."""
    frames, profile = _sample()
    gate = MotionGate(profile.pose, profile.layout)
    here = _each(lambda: [gate.see(frame.image, frame.seconds) for frame in frames]) / len(frames)
    decoding = _each(lambda: list(_first_frames())) / len(frames)
    return BenchRow(
        here * MILLI, "ms", "decoding the frame", decoding * MILLI, is_more_better=False
    )


def _sample() -> tuple[list[Frame], Profile]:
    frames = list(_first_frames())
    located = locate_board(frames[0].image)
    adapted = learn_set(frames[0].image, located.pose, located.layout, SHORT.opening())
    return frames, adapted.profile


def _first_frames() -> Iterator[Frame]:
    return islice(VideoFile(samples.CLIP), LOOKED_AT)


def _each(work: Callable[[], object]) -> float:
    return on_one_core(lambda: seconds_each(work, clock=time.process_time))


def on_one_core(measure: Callable[[], Result]) -> Result:
    """What `measure` gives while OpenCV has one thread."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        return measure()
    finally:
        cv2.setNumThreads(threads)


ROWS: Final[dict[str, Measure]] = {
    "read_full": _measure_read,
    "frame_quiet": _measure_quiet,
    "board_kept": _measure_kept,
}
