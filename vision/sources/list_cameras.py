"""Which cameras the system knows, by the numbers under which `open_source` opens them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import cv2

from engine.message import Message, Sentence, msg

BACKENDS: Final = {
    "linux": cv2.CAP_V4L2,
    "darwin": cv2.CAP_AVFOUNDATION,
    "win32": cv2.CAP_MSMF,
}
"""What OpenCV opens a bare number with, on each system; its numbers are those listed."""

List = Callable[[int], Iterable[Any]]
"""Lists what one of OpenCV's backends knows: `index` and `name` of each."""


@dataclass(frozen=True, slots=True)
class CameraInfo:
    """A camera that is plugged in; whether it gives pictures is another matter."""

    number: int
    name: Sentence


def list_cameras(
    platform: str = sys.platform, enumerate_cameras: List | None = None
) -> tuple[CameraInfo, ...]:
    """The cameras of this machine, each number once, in order."""
    if enumerate_cameras is None:
        # Imported late: on macOS it loads the whole of AVFoundation.
        from cv2_enumerate_cameras import enumerate_cameras as listed

        enumerate_cameras = listed
    backend = BACKENDS.get(platform)
    found = () if backend is None else enumerate_cameras(backend)
    named = {int(one.index): one.name or camera_name(int(one.index)) for one in found}
    return tuple(CameraInfo(number, named[number]) for number in sorted(named))


def camera_name(number: int) -> Message:
    """What a camera is called whose own name is not known."""
    return msg("camera {index}", index=number)
