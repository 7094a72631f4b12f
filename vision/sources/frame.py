"""`Frame`, and what every source of frames provides."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import cv2
import numpy as np

from calibration.png import is_damaged_png, png_size
from engine.arrays import Image
from engine.message import Sentence, join, msg
from vision.errors import SourceError

MAX_PIXELS: Final = 64_000_000
"""Maximum size of a picture that is accepted: finding a board in it takes 4 GB of memory."""
MAX_SIDE: Final = 1920
"""Pixels: the nets see the field about 400 wide, a fifth of this. More costs memory and time, and
only adds noise when sampled."""

_JPEG: Final = b"\xff\xd8"
_MARKER: Final = re.compile(rb"\xff+[^\x00\xff]")
_FRAME_HEADERS: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""Markers that begin a frame; the three left out begin tables."""
_BARE_MARKERS: Final = frozenset({0x01, *range(0xD0, 0xDA)})
"""Markers that no segment follows."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture and when it was taken."""

    image: Image
    index: int
    """Its index in the source, from 0; damaged frames count."""
    seconds: float
    """Seconds since the first picture, in the source's time; never decreases."""


@runtime_checkable
class FrameSource(Protocol):
    """Pictures in order; iterate over it once, close it when done."""

    @property
    def name(self) -> Sentence:
        """Its display name."""

    @property
    def fps(self) -> float:
        """Pictures per second, as far as known."""

    @property
    def frames(self) -> int | None:
        """How many there are, None if unknown."""

    @property
    def is_live(self) -> bool:
        """Whether pictures not fetched in time are lost."""

    def __iter__(self) -> Iterator[Frame]: ...

    def close(self) -> None:
        """Release the device or file; iteration ends."""


@runtime_checkable
class SparseSource(Protocol):
    """A source that can leave out frames that are not needed."""

    min_fps: float | None
    """Frames are left out, evenly, while this many per second remain; None if none are left out."""


class Capture(Protocol):
    """The part of `cv2.VideoCapture` that we use."""

    def isOpened(self) -> bool: ...  # noqa: N802, D102 - OpenCV's name

    def read(self) -> tuple[bool, Any]: ...  # noqa: D102

    def grab(self) -> bool: ...  # noqa: D102

    def set(self, prop: int, value: float, /) -> bool: ...  # noqa: D102

    def get(self, prop: int, /) -> float: ...  # noqa: D102

    def release(self) -> None: ...  # noqa: D102


@runtime_checkable
class DatedCapture(Protocol):
    """A capture that knows when its pictures were taken."""

    taken_at: float
    """When the last picture was taken, by the monotonic clock."""


def reduced(image: Image, pixel_aspect: float = 1.0) -> Image:
    """An (H, W, 3) picture of a stream at a useful resolution: no side above `MAX_SIDE`.

    pixel_aspect: the width of its pixels over their height; in the result they are square.
    """
    height, width = image.shape[0], image.shape[1] * pixel_aspect
    scale = min(1.0, MAX_SIDE / max(height, width))
    size = round(scale * width), round(scale * height)
    if size == image.shape[1::-1]:
        return image
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def silence_opencv() -> None:
    """Stop OpenCV and FFmpeg from writing to stderr: our own errors report it in one line."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def read_image(path: Path) -> Image:
    """The picture in a file, rotated as its camera says; raises `SourceError` if unreadable."""
    silence_opencv()
    check_file(path)
    # Through memory: cv2.imread cannot open every path that Windows allows.
    coded = path.read_bytes()
    declared = _declared_size(coded)
    if declared is not None:
        _check_size(path, declared)
    image = None if is_damaged_png(coded) else _decoded(path, coded)
    if image is None and declared is None:
        unreadable = msg("{path} is not a picture that can be read", path=str(path))
        raise SourceError(join((unreadable, msg("use a JPEG or PNG file"))))
    if image is None:
        raise SourceError(msg("{path} is cut short or damaged: copy it again", path=str(path)))
    _check_size(path, (image.shape[1], image.shape[0]))
    return image


def _decoded(path: Path, coded: bytes) -> Image | None:
    """(H, W, 3) uint8; None if it is not a picture, `SourceError` if OpenCV does not even try."""
    try:
        image = cv2.imdecode(np.frombuffer(coded, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:  # its own message is a failed assertion over several lines
        limit = MAX_PIXELS // 10**6
        raise SourceError(
            msg(
                "{path} is damaged or too large: use a JPEG or PNG file under {limit} megapixels",
                path=str(path),
                limit=limit,
            )
        ) from error
    return None if image is None else np.asarray(image, np.uint8)


def _check_size(path: Path, size: tuple[int, int]) -> None:
    """Raise `SourceError` unless a picture of (width, height) pixels is acceptable."""
    width, height = size
    if width * height > MAX_PIXELS:
        raise SourceError(
            msg(
                "{path} has {width} x {height} pixels: reduce it to under {largest} megapixels",
                path=str(path),
                width=width,
                height=height,
                largest=MAX_PIXELS // 10**6,
            )
        )


def _declared_size(coded: bytes) -> tuple[int, int] | None:
    """(width, height) from a PNG or JPEG header, without decoding; None for other formats.

    OpenCV's own limit, 2^30 pixels or 3 GB, can only be changed before it is first imported.
    """
    return png_size(coded) or size_of_jpeg(coded)


def size_of_jpeg(coded: bytes) -> tuple[int, int] | None:
    """(width, height) from a JPEG's first frame header, without decoding; None for others.

    Thumbnails, inside segments, are skipped.
    """
    at = 2 if coded[:2] == _JPEG else len(coded)
    while (marker := _MARKER.search(coded, at)) is not None and marker.end() + 7 <= len(coded):
        at, kind = marker.end(), coded[marker.end() - 1]
        if kind in _FRAME_HEADERS:
            height, width = struct.unpack_from(">HH", coded, at + 3)
            return width, height
        if kind not in _BARE_MARKERS:
            at += struct.unpack_from(">H", coded, at)[0]
    return None


def check_file(path: Path) -> None:
    """Raise `SourceError` unless `path` is a readable, nonempty file, and its name is text."""
    try:
        str(path.resolve()).encode()  # OpenCV crashes at names that are not
    except UnicodeEncodeError as error:
        raise SourceError(
            msg("{path} has a name that is not text: rename it", path=ascii(str(path)))
        ) from error
    try:
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except FileNotFoundError as error:
        missing = msg("there is no file {path}", path=str(path))
        raise SourceError(join((missing, msg("check the name and the folder")))) from error
    except IsADirectoryError as error:
        folder = msg("{path} is a folder", path=str(path))
        raise SourceError(join((folder, msg("give a file in it")))) from error
    except OSError as error:
        reason = msg("{path} cannot be opened: {error}", path=str(path), error=str(error.strerror))
        raise SourceError(reason) from error
    if is_empty:
        empty = msg("{path} is empty (0 bytes)", path=str(path))
        raise SourceError(join((empty, msg("copy it again"))))
