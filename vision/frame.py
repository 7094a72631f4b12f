"""`Frame`, and what every source of frames has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import SourceError

Image = NDArray[np.uint8]
"""(H, W, 3) uint8, blue first as OpenCV has it."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture and when it was taken."""

    image: Image
    index: int
    """Which picture of its source, from 0; a damaged one counts though it is not shown."""
    seconds: float
    """Since the first picture, in the time of the source; never runs backwards."""


@runtime_checkable
class FrameSource(Protocol):
    """Pictures in order; iterate over it once, close it when done."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def fps(self) -> float:
        """Pictures a second, as far as known."""

    @property
    def frames(self) -> int | None:
        """How many there are, None where nobody knows."""

    @property
    def is_live(self) -> bool:
        """Whether pictures are lost when nobody looks."""

    def __iter__(self) -> Iterator[Frame]: ...

    def close(self) -> None:
        """Let go of the device or the file; iteration ends."""


class Capture(Protocol):
    """The part of `cv2.VideoCapture` that we use, so that a test can hand in its own."""

    def isOpened(self) -> bool: ...  # noqa: N802, D102 - OpenCV's name

    def read(self) -> tuple[bool, Any]: ...  # noqa: D102

    def get(self, prop: int, /) -> float: ...  # noqa: D102

    def release(self) -> None: ...  # noqa: D102


def hush_opencv() -> None:
    """OpenCV and FFmpeg write nothing to stderr from now on; our own errors say it in one line."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def read_image(path: Path) -> Image:
    """The picture in a file, turned as its camera says; `SourceError` if it cannot be read."""
    hush_opencv()
    check_file(path)
    # Through memory: cv2.imread cannot open every path that Windows allows.
    coded = np.fromfile(path, np.uint8)
    try:
        image = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise SourceError(f"{path} cannot be read as a picture: {error.err}") from error
    if image is None:
        raise SourceError(f"{path} is no picture that can be read; give a JPEG or a PNG")
    return np.asarray(image, np.uint8)


def check_file(path: Path) -> None:
    """Nothing, if `path` is a readable file with something in it; else `SourceError`."""
    try:
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except FileNotFoundError as error:
        raise SourceError(f"there is no file {path}; check the name and the folder") from error
    except IsADirectoryError as error:
        raise SourceError(f"{path} is a folder; name a file in it") from error
    except OSError as error:
        raise SourceError(f"{path} cannot be opened: {error.strerror}") from error
    if is_empty:
        raise SourceError(f"{path} is empty (0 bytes); copy it again")
