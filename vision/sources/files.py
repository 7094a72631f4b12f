"""Pictures from files: a video, a folder of images, and either of them in real time."""

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
from engine.timestamp import Timestamp
from vision.errors import CutShort, SourceError
from vision.sources.frame import (
    Frame,
    FrameSource,
    check_file,
    read_image,
    reduced,
    silence_opencv,
)
from vision.sources.mp4_header import (
    creation_time,
    find_tear,
    has_index,
    is_mp4,
    video_codec,
)

IMAGE_SUFFIXES: Final = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})

_BAD_IN_A_ROW: Final = 25
"""Number of damaged pictures after which a video is given up; a burst of two is common."""
_COUNT_SLACK: Final = 0.02
"""Fraction of the declared pictures that may be missing: containers without an index estimate
it."""
_MAX_FPS: Final = 500.0
"""Rate from which a header's figure is not a frame rate but a clock's."""
_USUAL_FPS: Final = 25.0
"""Used if the header gives none."""
_FPS_SLACK_S: Final = 1e-3
"""Tolerance, because some containers give times in milliseconds."""
_MAX_BACK_S: Final = 1.0
"""How far a time stamp may be before its turn: some files swap neighbors."""
_ENTRIES_S: Final = (2.0, 20.0, np.inf)
"""How long before the first picture to look for it: farther if that is too late."""
_MAX_LEAP_S: Final = 10.0
"""How far it may be after its turn before the next one must confirm it."""
START: Final = Timestamp(0.0, 0)
_CODEC_NAMES: Final = {
    "hvc1": "HEVC (H.265)",
    "hev1": "HEVC (H.265)",
    "dvh1": "HEVC (H.265)",
    "av01": "AV1",
    "vvc1": "VVC (H.266)",
}


class VideoFile:
    """The pictures of a video file, with the file's time stamps; large ones are scaled down.

    `min_fps`: leave pictures out, evenly, while this many per second remain; it may be changed
    during iteration. The file may be closed while another thread iterates: the decoder is never
    released during a read, which would crash or hang.

    `first`: the picture with which to begin; times and numbers are those of the whole file.
    """

    is_live: Final = False

    def __init__(self, path: Path, min_fps: float | None = None, first: Timestamp = START) -> None:
        silence_opencv()
        check_file(path)
        self.name = path.name
        # If pictures are left out, CPU time matters, and several threads decode more of them.
        threads = [] if min_fps is None else [cv2.CAP_PROP_N_THREADS, 1]
        self._is_count_exact = is_mp4(path)
        self._tear = find_tear(path) if self._is_count_exact else None
        url = str(path.resolve())
        if self._tear is not None and not self._tear.is_in_pictures:
            # FFmpeg refuses a file with a torn index: it is given what is before that.
            url = f"subfile,,start,0,end,{self._tear.at},,:{url}"
        self._capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, threads)
        if not self._capture.isOpened():
            raise SourceError(_fault_of(path))
        self._path, self._size = path, path.stat().st_size
        self._header_fps = _positive(self._capture.get(cv2.CAP_PROP_FPS)) or _USUAL_FPS
        self._announced = int(_positive(self._capture.get(cv2.CAP_PROP_FRAME_COUNT)))
        is_rate = self._header_fps < _MAX_FPS
        self._pixel_aspect = _pixel_aspect(self._capture)
        self.fps = self._header_fps if is_rate else _USUAL_FPS
        self.frames = (self._announced if is_rate or self._is_count_exact else 0) or None
        self.count = self._announced
        """Number of pictures, damaged ones included: as declared; as decoded once all has been
        read."""
        self.seconds = self._announced / self._header_fps
        """Its length in seconds, likewise."""
        self.created = creation_time(path)
        """Seconds since 1904 by the camera's clock; None if the file does not say."""
        self.min_fps = min_fps
        self._first, self._is_begun = first, False
        self._is_closed = False
        self._decoding = threading.Lock()

    def __iter__(self) -> Iterator[Frame]:
        """Yield each picture that can be decoded; raise `CutShort` if the file is cut short."""
        seconds, index = self._first
        good, bad, shown = 0, 0, -np.inf
        clock = StampClock(self.fps, self._first)
        while bad < _BAD_IN_A_ROW:
            with self._decoding:
                if self._is_closed:
                    return
                is_read, image = self._grab(), None
                if is_read:
                    last, seconds = seconds, clock.seconds(index, self._stamp())
                    if self._is_due(seconds - shown, seconds - last):
                        is_read, image = self._retrieve()
            if is_read:
                if image is not None:
                    shown = seconds
                    yield Frame(image, index, seconds)
                good, bad = good + 1, 0
            elif self.frames is None or index >= self.frames:
                break
            else:
                bad += 1
            index += 1
        self._check_end(good, index - bad, seconds + 1 / self.fps)

    def _grab(self) -> bool:
        """Whether there is another picture; what is before the first one is left out."""
        is_there = self._is_begun or self._first == START
        self._is_begun = True
        if is_there:
            return self._capture.grab()
        # OpenCV counts pictures by the mean frame rate, and may seek too far.
        early = self._first.time - 0.5 / self.fps
        for before in _ENTRIES_S:
            at = max(0.0, self._first.time - before)
            self._capture.set(cv2.CAP_PROP_POS_MSEC, 1000 * at)
            while (is_there := self._capture.grab()) and self._stamp() < early:
                pass
            if is_there and self._stamp() <= early + 1 / self.fps:
                return True
        cannot = msg("{name} cannot be entered in the middle", name=self.name)
        raise SourceError(join((cannot, msg("read it in one go"))))

    def _is_due(self, since_shown: float, step: float) -> bool:
        """Whether too few pictures would remain if the next one were shown, one step later."""
        return self.min_fps is None or since_shown + step > 1 / self.min_fps + _FPS_SLACK_S

    def _retrieve(self) -> tuple[bool, Image | None]:
        """Whether the grabbed picture could be decoded, and the picture."""
        is_read, image = self._capture.retrieve()
        if not is_read or image is None:
            return False, None
        return True, reduced(np.asarray(image, np.uint8), self._pixel_aspect)

    def _stamp(self) -> float:
        return self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000

    def _check_end(self, good: int, stopped: int, seconds: float) -> None:
        """Raise what is wrong, if anything, with a file that contained this much."""
        if good == 0:
            raise SourceError(msg("{name} contains no picture that can be decoded", name=self.name))
        self.count, self.seconds = max(self.count, stopped), max(self.seconds, seconds)
        if self._path.exists() and self._path.stat().st_size > self._size:
            early = msg("{name} was read while it was still being recorded", name=self.name)
            again = msg("it was read as far as it goes; start again once it is complete")
            raise CutShort(join((early, again)), stopped)
        rest = msg("everything before was read; copy the file again for the rest")
        if self._tear is not None:
            cut = msg("{name} is cut short after frame {stopped}", name=self.name, stopped=stopped)
            raise CutShort(join((cut, rest)), stopped)
        if self._is_cut_short(stopped, seconds):
            cut = msg(
                "{name} is cut short: decoding stopped at frame {stopped} of {frames}",
                name=self.name,
                stopped=stopped,
                frames=self._announced,
            )
            raise CutShort(join((cut, rest)), stopped)
        self.count, self.seconds = stopped, seconds

    def _is_cut_short(self, stopped: int, seconds: float) -> bool:
        """Whether there were fewer pictures than declared.

        Most containers declare their length; the number of pictures derived from that is an
        estimate if these are not evenly spaced.
        """
        lacks_pictures = stopped < self._announced - max(2, _COUNT_SLACK * self._announced)
        length = self._announced / self._header_fps
        return lacks_pictures and (
            self._is_count_exact or seconds < length - max(2 / self.fps, _COUNT_SLACK * length)
        )

    def close(self) -> None:
        """Close the file once the current read is done; iteration ends."""
        with self._decoding:
            self._is_closed = True
            self._capture.release()


class StampClock:
    """Turns a file's time stamps into strictly increasing times in seconds.

    Where files were joined or a camera was restarted, the stamps start again, and a damaged one may
    be anything: a stamp far from its turn is believed only if the next one is too.
    """

    def __init__(self, fps: float, first: Timestamp = START) -> None:
        """`first`: the first picture, if the file is entered in the middle."""
        self._fps = fps
        self._last = None if first == START else (first.frame, first.time)
        self._offset = 0.0
        self._is_doubted = False

    def seconds(self, index: int, stamp: float) -> float:
        """When the picture with this index was taken; it follows the one last asked for."""
        before, last = self._last or (0, 0.0)
        turn = last + (index - before) / self._fps
        now = stamp + self._offset if stamp * _MAX_FPS > index else turn
        is_in_turn = self._last is None or -_MAX_BACK_S <= now - turn <= _MAX_LEAP_S
        self._is_doubted = not (is_in_turn or self._is_doubted)
        if self._is_doubted:
            now = turn
        elif now < turn - _MAX_BACK_S:
            self._offset, now = turn - stamp, turn
        if self._last is None or now > last:
            self._last = index, now
        return max(last, now)


def _positive(value: float) -> float:
    return value if np.isfinite(value) and value > 0 else 0.0


def _pixel_aspect(capture: cv2.VideoCapture) -> float:
    """Width over height of a pixel in a file's pictures: camcorders squeeze theirs."""
    across, down = (capture.get(p) for p in (cv2.CAP_PROP_SAR_NUM, cv2.CAP_PROP_SAR_DEN))
    if not (_positive(across) and _positive(down)):
        return 1.0
    is_upright = capture.get(cv2.CAP_PROP_ORIENTATION_META) % 180 != 0
    return down / across if is_upright else across / down


def _fault_of(path: Path) -> Message:
    """Why an existing file cannot be opened as a video."""
    if is_mp4(path) and not has_index(path):
        cut = msg(
            "{path} is cut short or still being recorded: its index (moov) is missing",
            path=str(path),
        )
        return join((cut, msg("wait until it is finished, or copy it from the camera again")))
    codec = video_codec(path) if is_mp4(path) else None
    if codec is not None:
        foreign = msg(
            "{path} is encoded as {codec}, which OpenCV cannot decode here",
            path=str(path),
            codec=_CODEC_NAMES.get(codec, codec),
        )
        return join((foreign, msg("record in H.264, or convert the file")))
    unreadable = msg("{path} is not a video, or is damaged", path=str(path))
    return join((unreadable, msg("use .mp4, .mov, .mkv or .avi")))


@dataclass(frozen=True, slots=True)
class ImageFiles:
    """Pictures from image files in the given order, `fps` of them per second."""

    name: str
    paths: Sequence[Path]
    fps: float = 1.0
    is_live: bool = False

    @classmethod
    def of_folder(cls, folder: Path) -> ImageFiles:
        """The images in a folder, `2.jpg` before `10.jpg`; raises `SourceError` if it has none."""
        images = [path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES]
        if not images:
            none = msg(
                "the folder {folder} contains no images (.jpg, .png, ...)", folder=str(folder)
            )
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
        """Do nothing: no file stays open."""


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
        """`first`: the number of the first frame to yield."""
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
        """End the iteration, even while it waits, and close the source."""
        self._closed.set()
        self._source.close()
