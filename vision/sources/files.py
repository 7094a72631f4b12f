"""Pictures from files: a video, a folder of images, and either of them served in real time."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from engine.arrays import Image
from engine.message import Message, join, msg
from vision.errors import CutShort, SourceError
from vision.sources.frame import Frame, FrameSource, check_file, read_image, silence_opencv
from vision.sources.mp4_header import creation_time, is_mp4

IMAGE_SUFFIXES: Final = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})

_BAD_IN_A_ROW: Final = 25
"""Damaged pictures after which a video is given up; a burst of two is common."""
_COUNT_SLACK: Final = 0.02
"""Share of the announced pictures that may lack: containers without an index estimate it."""


class VideoFile:
    """The pictures of a video file, with the time stamps of the file.

    `min_fps`: leave pictures out, evenly, while so many a second remain; it may be changed while
    iterating. It may be closed while another thread iterates: the decoder is never released during
    a read, which would crash or hang.
    """

    is_live: Final = False

    def __init__(self, path: Path, min_fps: float | None = None) -> None:
        silence_opencv()
        check_file(path)
        self.name = path.name
        # Where pictures are left out the processor's time counts; several threads decode for more.
        threads = [] if min_fps is None else [cv2.CAP_PROP_N_THREADS, 1]
        self._capture = cv2.VideoCapture(str(path.resolve()), cv2.CAP_FFMPEG, threads)
        if not self._capture.isOpened():
            raise SourceError(_fault_of(path))
        self.fps = _positive(self._capture.get(cv2.CAP_PROP_FPS)) or 25.0
        self.frames = int(_positive(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))) or None
        self.count = self.frames or 0
        """Pictures, damaged ones included: as announced, once all of it was read as decoded."""
        self.seconds = self.count / self.fps
        """Its length, likewise."""
        self.created = creation_time(path)
        """Seconds since 1904 by the camera's clock; None where the file does not say."""
        self.min_fps = min_fps
        self._is_closed = False
        self._decoding = threading.Lock()

    def __iter__(self) -> Iterator[Frame]:
        """Each picture that can be decoded, then `CutShort` if the file stops before its end."""
        index, good, bad, shown, seconds = 0, 0, 0, -np.inf, 0.0
        while bad < _BAD_IN_A_ROW:
            with self._decoding:
                if self._is_closed:
                    return
                is_shown = index - shown >= self._step
                is_read, image = self._next(is_shown)
                stamp = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            if is_read:
                seconds = self._seconds(stamp, index, seconds)
                if image is not None:
                    shown = index
                    yield Frame(image, index, seconds)
                good, bad = good + 1, 0
            elif self.frames is None or index >= self.frames:
                break
            else:
                bad += 1
            index += 1
        count, length = index - bad, seconds + 1 / self.fps
        self.count, self.seconds = max(self.count, count), max(self.seconds, length)
        self._check_end(good, count)
        self.count, self.seconds = count, length

    @property
    def _step(self) -> int:
        return 1 if self.min_fps is None else max(1, int(self.fps / self.min_fps))

    def _next(self, is_shown: bool) -> tuple[bool, Image | None]:
        """Whether the next picture could be decoded, and the picture if it is wanted."""
        if not is_shown:
            return self._capture.grab(), None
        is_read, image = self._capture.read()
        if not is_read or image is None:
            return False, None
        return True, np.asarray(image, np.uint8)

    def _seconds(self, stamp: float, index: int, last: float) -> float:
        return stamp if stamp > last or index == 0 else last + (index > 0) / self.fps

    def _check_end(self, good: int, stopped: int) -> None:
        if good == 0:
            raise SourceError(msg("{name} holds no picture that can be decoded", name=self.name))
        if self.frames and stopped < self.frames - max(2, _COUNT_SLACK * self.frames):
            cut = msg(
                "{name} is cut short: decoding stopped at frame {stopped} of {frames}",
                name=self.name,
                stopped=stopped,
                frames=self.frames,
            )
            rest = msg("what came before was read, copy the file again for the rest")
            raise CutShort(join((cut, rest)), stopped)

    def close(self) -> None:
        """Let go of the file once the read in hand is done; iteration ends."""
        with self._decoding:
            self._is_closed = True
            self._capture.release()


def _positive(value: float) -> float:
    return value if np.isfinite(value) and value > 0 else 0.0


def _fault_of(path: Path) -> Message:
    """Why a file that is there cannot be opened as a video."""
    if is_mp4(path):
        cut = msg("{path} is cut short: its index (moov) is missing", path=str(path))
        return join((cut, msg("copy it again from the camera")))
    unreadable = msg("{path} is not a video that can be read", path=str(path))
    return join((unreadable, msg("give an .mp4, .mov, .mkv or .avi")))


@dataclass(frozen=True, slots=True)
class ImageFiles:
    """Pictures from image files in the order given, `fps` of them a second."""

    name: str
    paths: Sequence[Path]
    fps: float = 1.0
    is_live: bool = False

    @classmethod
    def of_folder(cls, folder: Path) -> ImageFiles:
        """The images of a folder, `2.jpg` before `10.jpg`; `SourceError` if it has none."""
        images = [path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES]
        if not images:
            none = msg("the folder {folder} holds no image (.jpg, .png, ...)", folder=str(folder))
            raise SourceError(none)
        return cls(folder.name or str(folder), sorted(images, key=_natural))

    @property
    def frames(self) -> int:
        """How many files there are."""
        return len(self.paths)

    def __iter__(self) -> Iterator[Frame]:
        for index, path in enumerate(self.paths):
            yield Frame(read_image(path), index, index / self.fps)

    def close(self) -> None:
        """Nothing: no file stays open."""


def _natural(path: Path) -> list[tuple[int, str]]:
    parts = re.findall(r"\d+|\D+", path.name.lower())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


class PacedSource:
    """A source that yields each picture at its time, as a camera would, but drops none."""

    def __init__(
        self,
        source: FrameSource,
        first: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        """`first`: the number of the first frame that is handed out."""
        self._source, self._first = source, first
        self._clock = clock
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait
        self.name, self.fps = source.name, source.fps
        self.frames, self.is_live = source.frames, source.is_live

    def __iter__(self) -> Iterator[Frame]:
        start: float | None = None
        for frame in self._source:
            if frame.index < self._first:
                continue
            start = self._clock() - frame.seconds if start is None else start
            late = self._clock() - start - frame.seconds
            if late < 0:
                self._wait(-late)
            if self._closed.is_set():
                return
            yield frame

    def close(self) -> None:
        """End the iteration, also one that waits, and let go of the source."""
        self._closed.set()
        self._source.close()
