"""The cameras that the system knows, by the numbers with which `open_source` opens them."""

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
"""The backend with which OpenCV opens a bare number, on each system; it numbers those listed."""

List = Callable[[int], Iterable[Any]]
"""Lists what one of OpenCV's backends knows: the `index` and `name` of each camera."""


@dataclass(frozen=True, slots=True)
class CameraInfo:
    """A connected camera; it may or may not deliver pictures."""

    number: int
    name: Sentence


def list_cameras(
    platform: str = sys.platform, enumerate_cameras: List | None = None
) -> tuple[CameraInfo, ...]:
    """The cameras of this machine, each number once, in order."""
    if enumerate_cameras is None:
        # Imported late: on macOS this loads all of AVFoundation.
        from cv2_enumerate_cameras import enumerate_cameras as listed

        enumerate_cameras = listed
    backend = BACKENDS.get(platform)
    found = () if backend is None else enumerate_cameras(backend)
    named = {int(one.index): one.name or camera_name(int(one.index)) for one in found}
    return tuple(CameraInfo(number, named[number]) for number in sorted(named))


def camera_name(number: int) -> Message:
    """The name for a camera whose own name is not known."""
    return msg("camera {index}", index=number)
