"""What transcribing a match costs beside decoding it, on a video with the pace of one.

The sample is played faster than people play; a match is mostly a still board with some noise.
"""

from __future__ import annotations

import json
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
from tableside.bench import BenchRow, Measure
from tableside.bench.vision import forget, on_one_core
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from tableside.recording.transcription import LOOKED_AT_FPS, fed
from vision.sources.files import VideoFile

FPS: Final = 30
TURN_SECONDS: Final = 15.0
TURNS: Final = 4
"""Turns of the sample in the video: a minute, of which the ratio is that of ten within a tenth."""
NOISE: Final = 2.0
"""Grey levels of a camera's noise, new in every picture."""
THINKING: Final = 0.6
"""Share of a turn's pause that follows the throw; the rest follows the play."""
SETTLED: Final = 3
"""Pictures after the dice rest, or the hand is gone, at which the pause begins."""


def pauses(truth: Path, fps: float, turns: int) -> tuple[dict[int, float], int]:
    """Seconds for which each picture stands so that turns take `TURN_SECONDS`; where they end."""
    events = [json.loads(line) for line in truth.read_text("utf-8").splitlines()]
    throws = [event["frame"] for event in events if event["event"] == "throw"]
    held: dict[int, float] = {}
    for first, last in pairwise(throws[: turns + 1]):
        idle = max(0.0, TURN_SECONDS - (last - first) / fps)
        for kind, share in (("dice_rest", THINKING), ("hand_out", 1 - THINKING)):
            at = [one["frame"] for one in events if one["event"] == kind]
            held.update({frame + SETTLED: share * idle for frame in at if first <= frame < last})
    return held, throws[turns]


def write_match_like(path: Path, turns: int = TURNS) -> None:
    """The first turns of the sample as a camera would take them at 30 pictures a second."""
    size = (1280, 720)
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), FPS, size)
    for image in _shots(turns):
        writer.write(image)
    writer.release()


def _shots(turns: int) -> Iterator[Image]:
    rng = np.random.default_rng(1)
    grain = np.rint(rng.normal(0, NOISE, (1024, 1536, 3))).astype(np.int16)
    source = VideoFile(samples.CLIP)
    held, end = pauses(samples.TRUTH, source.fps, turns)
    due = shown = 0.0
    for frame in source:
        if frame.index >= end:
            return
        due += FPS / source.fps + FPS * held.get(frame.index, 0.0)
        still = frame.image.astype(np.int16)
        while shown < round(due):
            y, x = rng.integers(0, (1024 - 720, 1536 - 1280))
            noisy = still + grain[y : y + 720, x : x + 1280]
            yield np.clip(noisy, 0, 255).astype(np.uint8)
            shown += 1


def _measure_transcribe() -> BenchRow:
    """CPU of a match-like video from pictures to events, once its board is known.

    A short one is made here, of the sample; start-up, looking for the board and learning it take as
    long in a long one and are not in the figure.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.mp4"
        write_match_like(path)
        return on_one_core(lambda: transcribe_beside_decoding(path))


def transcribe_beside_decoding(path: Path) -> BenchRow:
    """The row of any video of a game of short backgammon from its opening."""
    began = time.process_time()
    pictures = sum(1 for _ in VideoFile(path))
    decoding = time.process_time() - began
    session = Session(MatchConfig(SHORT), forget)
    is_known, first = False, 0
    for frame in fed(VideoFile(path, LOOKED_AT_FPS), session):
        if not is_known:
            is_known = session.profile is not None
            began, first = time.process_time(), frame.index
    here = time.process_time() - began
    left = decoding * (pictures - first) / pictures
    name = f"decoding its {pictures} pictures alone"
    return BenchRow(here, "s", name, left, is_more_better=False)


ROWS: Final[dict[str, Measure]] = {"transcribe_cpu": _measure_transcribe}
