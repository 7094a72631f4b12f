"""Transcribes a video like one that a camera takes of a match.

The sample is played faster than people play, so it is stretched to the pace of a match: mostly a
still board, with some noise.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import cv2
import numpy as np

import samples
from engine.arrays import Image
from engine.rules import SHORT
from tableside.bench import BenchRow, opencv_on_one_core
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.recording.transcription import ACTIVE_FPS, feed_frames
from vision.sources.files import VideoFile

FPS: Final = 30
WIDTH, HEIGHT = 1280, 720
TURN_SECONDS: Final = 15.0
TURNS: Final = 4
"""Turns of the sample in the video: one minute; ten minutes give the same ratio within 10 %."""
NOISE: Final = 2.0
"""Standard deviation of the camera noise in gray levels, drawn anew for every frame."""
THINKING: Final = 0.6
"""Fraction of a turn's pause that follows the throw; the rest follows the play."""
PAUSE_AFTER: Final = 3
"""Frames between the dice coming to rest, or the hand leaving, and the pause."""


def measure_transcribing() -> BenchRow:
    """Measure the CPU time from frames to events for a match-like video, once its board is known.

    The video is short. Start-up, locating the board and learning it take as long in a long one and
    are not counted.
    """
    with tempfile.TemporaryDirectory() as folder, opencv_on_one_core():
        path = Path(folder) / "match.mp4"
        _write_video(path)
        began = time.process_time()
        pictures = sum(1 for _ in VideoFile(path))
        decoding = time.process_time() - began
        session = Session(MatchConfig(SHORT), lambda _events: None)
        is_known, first = False, 0
        for frame in feed_frames(VideoFile(path, ACTIVE_FPS), session):
            if not is_known:
                is_known = session.profile is not None
                began, first = time.process_time(), frame.index
        here = time.process_time() - began
    baseline = decoding * (pictures - first) / pictures
    name = f"decoding its {pictures} pictures alone"
    return BenchRow(here, "s", name, baseline, is_more_better=False)


def _write_video(path: Path) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), FPS, (WIDTH, HEIGHT))
    for image in _noisy_frames():
        writer.write(image)
    writer.release()


def _noisy_frames() -> Iterator[Image]:
    """The first turns of the sample at `FPS`, as a camera would deliver them."""
    rng = np.random.default_rng(1)
    grain = np.rint(rng.normal(0, NOISE, (1024, 1536, 3))).astype(np.int16)
    source = VideoFile(samples.CLIP)
    pauses, end = _pauses(source.fps)
    due = shown = 0.0
    for frame in source:
        if frame.index >= end:
            return
        due += FPS / source.fps + FPS * pauses.get(frame.index, 0.0)
        still = frame.image.astype(np.int16)
        while shown < round(due):
            y, x = rng.integers(0, (1024 - HEIGHT, 1536 - WIDTH))
            noisy = still + grain[y : y + HEIGHT, x : x + WIDTH]
            yield np.clip(noisy, 0, 255).astype(np.uint8)
            shown += 1


def _pauses(fps: float) -> tuple[dict[int, float], int]:
    """Seconds to repeat each frame, so that turns take `TURN_SECONDS`; and the last turn's end."""
    throws = [event["frame"] for event in samples.true_events("throw")]
    pauses: dict[int, float] = {}
    for first, last in pairwise(throws[: TURNS + 1]):
        idle = max(0.0, TURN_SECONDS - (last - first) / fps)
        for kind, share in (("dice_rest", THINKING), ("hand_out", 1 - THINKING)):
            for event in samples.true_events(kind):
                if first <= event["frame"] < last:
                    pauses[event["frame"] + PAUSE_AFTER] = share * idle
    return pauses, throws[TURNS]
