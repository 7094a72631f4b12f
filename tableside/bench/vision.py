"""Benchmarks of vision, in CPU time of one core, against what the frames alone cost."""

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
from tableside.bench import BenchRow, Measure, median_seconds
from vision.board.locate import locate_board
from vision.board.tracking import BoardTracker
from vision.reading.learn_set import learn_set
from vision.reading.motion import MotionGate
from vision.reading.reader import Reader
from vision.sources.files import VideoFile
from vision.sources.frame import Frame
from vision.steady.steadier import Steadier

FRAMES: Final = 40
"""Frames of the sample that are decoded, gated or read: some with dice, some with a hand."""
STILL: Final = 9
"""A frame before the first throw, with no hand near."""
READINGS: Final = 15
MILLI: Final = 1000

Result = TypeVar("Result")


def discard(events: Sequence[object]) -> None:
    """Record nothing: the disk is not measured."""


def _measure_read() -> BenchRow:
    """A 720p frame of a known board: counts and dice, with nothing kept from frames before."""
    frames, profile = _sample()
    here = on_one_core(lambda: _full_reading(Reader(profile), frames[-1]))
    return _against_warp(here, frames[-1].image, profile.pose)


def _full_reading(reader: Reader, frame: Frame) -> float:
    """The median CPU seconds of a reading; a black image before each clears what is kept."""
    black = replace(frame, image=np.zeros_like(frame.image))
    seconds = []
    for _ in range(READINGS):
        reader.read(black)
        began = time.process_time()
        reader.read(frame)
        seconds.append(time.process_time() - began)
    return statistics.median(seconds)


def _measure_kept() -> BenchRow:
    """Checking whether the board has moved, as before every reading; it has not."""
    frames, profile = _sample()
    tracker = BoardTracker(profile.pose, profile.layout)
    tracker.track(frames[0].image)  # the first chooses the marks that later ones follow
    image = frames[STILL].image
    return _against_warp(_cpu_seconds(lambda: tracker.track(image)), image, profile.pose)


def _against_warp(here: float, image: Image, pose: Pose) -> BenchRow:
    """CPU seconds against those of warping a (H, W, 3) image once, as rectifying does."""
    corners = pose.corners().astype("float32")
    matrix = cv2.getPerspectiveTransform(corners, corners[::-1].copy())
    baseline = _cpu_seconds(lambda: cv2.warpPerspective(image, matrix, pose.size))
    name = "cv2.warpPerspective of the frame"
    return BenchRow(here * MILLI, "ms", name, baseline * MILLI, is_more_better=False)


def _measure_quiet() -> BenchRow:
    """A frame in which nothing happens, without decoding it."""
    frames, profile = _sample()
    gate, steadier = MotionGate(profile.pose, profile.layout), Steadier(profile.pose)

    def watch() -> None:
        for frame in frames:
            view = steadier.process(frame.image)
            assert view is not None, "the sample is steady"  # noqa: S101
            gate.update(view.picture, frame.seconds)

    return _against_decoding(_cpu_seconds(watch) / len(frames))


def _measure_steady() -> BenchRow:
    """Registering a frame and dividing out its light, as before all else that is done with it."""
    frames, profile = _sample()
    steadier = Steadier(profile.pose)
    seconds = _cpu_seconds(lambda: [steadier.process(frame.image) for frame in frames])
    return _against_decoding(seconds / len(frames))


def _against_decoding(here: float) -> BenchRow:
    decoding = _cpu_seconds(lambda: list(_first_frames())) / FRAMES
    return BenchRow(
        here * MILLI, "ms", "decoding the frame", decoding * MILLI, is_more_better=False
    )


def _sample() -> tuple[list[Frame], Profile]:
    frames = list(_first_frames())
    located = locate_board(frames[0].image)
    adapted = learn_set(frames[0].image, located.pose, located.layout, SHORT.opening())
    return frames, adapted.profile


def _first_frames() -> Iterator[Frame]:
    return islice(VideoFile(samples.CLIP), FRAMES)


def _cpu_seconds(work: Callable[[], object]) -> float:
    return on_one_core(lambda: median_seconds(work, clock=time.process_time))


def on_one_core(measure: Callable[[], Result]) -> Result:
    """The result of `measure`, run while OpenCV has one thread."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        return measure()
    finally:
        cv2.setNumThreads(threads)


ROWS: Final[dict[str, Measure]] = {
    "read_full": _measure_read,
    "frame_quiet": _measure_quiet,
    "steady": _measure_steady,
    "board_kept": _measure_kept,
}
